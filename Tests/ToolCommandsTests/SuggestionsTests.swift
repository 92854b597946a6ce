import Testing

@testable import ToolCommands

@Suite("Suggestions")
struct SuggestionsTests {
  @Test(
    "Letters added, missing, changed and swapped are one change each",
    arguments: [
      ("model", "model", 0), ("", "abc", 3), ("abc", "", 3), ("modl", "model", 1),
      ("mmodel", "model", 1), ("nodel", "model", 1), ("modle", "model", 1),
      ("kitten", "sitting", 3),
    ])
  func distance(_ left: String, _ right: String, _ changes: Int) {
    #expect(editDistance(left, right) == changes)
  }

  @Test("A word far from all others suggests nothing")
  func nothingNear() {
    #expect(nearest(to: "xyz", among: ["model", "hash"]) == nil)
    #expect(nearest(to: "anything", among: []) == nil)
  }

  @Test("Case is no difference, and the nearest wins")
  func nearestWins() {
    #expect(nearest(to: "TRIP", among: ["Stop", "Trips", "Trip"]) == "Trip")
  }
}
