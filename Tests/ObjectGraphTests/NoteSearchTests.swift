import NoteSearches
import ObjectGraph
import Testing

@Suite("Searches for words in every type of store")
struct NoteSearchTests {
  @Test(
    "A store finds the notes that the naive search finds, in the same order",
    arguments: Kind.allCases)
  func naive(_ kind: Kind) throws {
    var foundCount = 0
    for seed in NoteSearches.seeds {
      let graph = try Graph(kind, model: NoteSearches.model, classes: [])
      var searches = NoteSearches(seed: seed, in: graph.context())

      let differences = try searches.differences()

      for difference in differences { Issue.record("seed \(seed), \(difference)") }
      foundCount += searches.foundCount
    }

    // Searches without results would test little.
    #expect(foundCount > NoteSearches.seeds.count * 200)
  }
}
