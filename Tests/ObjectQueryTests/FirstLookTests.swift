import ObjectQuery
import Testing

@Suite("First look")
struct FirstLookTests {
  @Test(arguments: [
    ("name == 'Ada'", [1]), ("name ==[c] 'ADA'", [1, 2]), ("small > 0 AND flag == YES", [3]),
    ("ANY owner.samples.small > 3", [5, 7, 8]), ("owner.name == 'Grace'", [1, 2]),
    ("name == nil", [4]), ("owner == nil", [4]), ("owner.city.name BEGINSWITH[cd] 'al'", [1, 2, 7, 8]),
    ("real BETWEEN {0, 2}", [1, 5, 6]), ("small + medium == 4", []), ("small * 2 == 6", [3, 8]),
    ("SUBQUERY(owner.samples, $s, $s.small > 0).@count > 1", [7, 8]),
  ] as [(String, [UInt64])])
  func look(_ text: String, _ expected: [UInt64]) throws {
    for world in [try World(), try World(layered: true)] {
      let predicate = try QueryPredicate(text)
      #expect(try QueryPredicate(predicate.description) == predicate)
      #expect(try world.scan(predicate) == expected)
      #expect(try world.ask(predicate) == expected)
    }
  }
}
