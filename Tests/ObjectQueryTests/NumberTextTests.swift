import ObjectModel
import ObjectQuery
import QueryWorld
import Testing

@Suite("Texts as numbers and moments")
struct NumberTextTests {
  @Test(
    "The whole text is read as a decimal number with all its digits, or is refused",
    arguments: [
      ("5", true), (" 5 ", true), ("0.5e1", true), ("+5.", true), ("5-2", false), ("5e", false),
      ("5.0.0", false), ("", false), (".", false),
      ("5" + String(repeating: "0", count: 300), false),
      ("5." + String(repeating: "0", count: 50) + "1", false),
    ])
  func decimals(_ text: String, _ isFive: Bool) throws {
    let world = try World()
    let five = try world.scan(QueryPredicate("money == 5"))
    #expect(!five.isEmpty)

    let predicate = try QueryPredicate("money == CAST(%@, 'NSDecimalNumber')", text)

    if isFive {
      #expect(try world.scan(predicate) == five, "\(text)")
    } else {
      let error = #expect(throws: QueryError.self, "\(text)") { try world.scan(predicate) }
      #expect(error?.code == .missingValue)
    }
  }

  @Test(
    "A moment is read to its last digit, and a text with any more characters is refused",
    arguments: [
      ("2026-01-31T12:00:00Z", 791_553_600), ("2026-01-31", 791_510_400),
      ("2026-01-31 13:00+01:00", 791_553_600), ("2026-01-31T12:00:00.3Z", 791_553_600.3),
      ("2026-01-31T12:00:00.123456Z", 791_553_600.123456), ("2001-01-01T00:00:00.3Z", 0.3),
      ("2026-01-31T12:00Zx", nil),
      ("2026-02-31", nil), ("2026-01-31T12", nil),
    ] as [(String, Double?)])
  func moments(_ text: String, _ seconds: Double?) throws {
    let world = try World()
    let all = try world.scan(QueryPredicate("TRUEPREDICATE"))

    let predicate = try QueryPredicate(
      "CAST(CAST(%@, 'NSDate'), 'NSNumber') == %@", text, seconds ?? 0)

    if seconds != nil {
      #expect(try world.scan(predicate) == all, "\(text)")
    } else {
      let error = #expect(throws: QueryError.self, "\(text)") { try world.scan(predicate) }
      #expect(error?.code == .missingValue)
    }
  }
}
