import Testing
import TextMatching

@Suite("Name suggestions")
struct NameSuggestionTests {
  @Test(
    "A name with one letter added, removed, changed or swapped is suggested",
    arguments: ["modl", "mmodel", "nodel", "modle", "MODEL"])
  func near(_ word: String) {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: word, among: ["hash", "model", "help"]) == "model")
  }

  @Test(
    "At most a third of the letters of the longer name differ, or two of five to eight",
    arguments: [
      ("nwe", "new"), ("st", "set"), ("sets", "set"), ("hepl", "help"), ("hlp", "help"),
      ("fecth", "fetch"), ("ftch", "fetch"), ("fthc", "fetch"), ("isnert", "insert"),
      ("inesrtt", "insert"), ("valdat", "validate"), ("predicat", "predicate"),
      ("predictae", "predicate"), ("prdictte", "predicate"), ("complteion", "completion"),
      ("stopp", "Stop"), ("ab", "ac"),
    ])
  func pairs(_ word: String, _ name: String) {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: word, among: [name]) == name)
    #expect(suggestion.nearest(to: name, among: [word]) == word)
  }

  @Test(
    "Names that differ more are not near",
    arguments: [
      ("xyz", "new"), ("xyz", "set"), ("xet", "xyz"), ("se", "info"), ("sort", "set"),
      ("help", "pack"), ("hash", "hepl"), ("open", "help"), ("count", "mount_x"),
      ("fetch", "patchy"), ("insert", "invent_"), ("export", "imports"), ("vacuum", "valid"),
      ("validate", "vacation"), ("predicate", "president"), ("recover", "revert__"), ("x", "y"),
      ("", "a"), ("", "abc"),
    ])
  func farPairs(_ word: String, _ name: String) {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: word, among: [name]) == nil)
    #expect(suggestion.nearest(to: name, among: [word]) == nil)
  }

  @Test("A word far from all names has no suggestion")
  func nothingNear() {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: "xyz", among: ["model", "hash"]) == nil)
    #expect(suggestion.nearest(to: "anything", among: []) == nil)
  }

  @Test("The nearest name is suggested, regardless of case")
  func nearestWins() {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: "TRIP", among: ["Stop", "Trips", "Trip"]) == "Trip")
  }
}
