import ObjectModel
import Testing

@Suite("Name suggestions")
struct NameSuggestionTests {
  @Test(
    "A name with one letter added, removed, changed or swapped is suggested",
    arguments: ["modl", "mmodel", "nodel", "modle", "MODEL"])
  func near(_ word: String) {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: word, among: ["hash", "model", "help"]) == "model")
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
