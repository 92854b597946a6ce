import ObjectModel
import Testing

@Suite("Name suggestions")
struct NameSuggestionTests {
  @Test(
    "A letter more, less or other, or two neighbours swapped, is near",
    arguments: ["modl", "mmodel", "nodel", "modle", "MODEL"])
  func near(_ word: String) {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: word, among: ["hash", "model", "help"]) == "model")
  }

  @Test("A word far from all others suggests nothing")
  func nothingNear() {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: "xyz", among: ["model", "hash"]) == nil)
    #expect(suggestion.nearest(to: "anything", among: []) == nil)
  }

  @Test("The nearest wins, whatever its case")
  func nearestWins() {
    var suggestion = NameSuggestion()
    #expect(suggestion.nearest(to: "TRIP", among: ["Stop", "Trips", "Trip"]) == "Trip")
  }
}
