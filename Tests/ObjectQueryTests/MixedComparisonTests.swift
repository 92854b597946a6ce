import ObjectQuery
import QueryWorld
import Testing

@Suite("Comparisons of values of different types")
struct MixedComparisonTests {
  /// Returns the objects that a predicate finds, in both ways of evaluation.
  private func found(_ text: String, _ entity: String = "Sample") throws -> [UInt64] {
    let world = try World()
    let predicate = try QueryPredicate(text)
    let scanned = try world.scan(predicate, entity)
    #expect(try world.ask(predicate, entity) == scanned, "\(text)")
    return scanned
  }

  @Test(
    "A text that reads as a number counts as the number beside a property with numbers",
    arguments: [
      ("small == '3'", [3, 8]), ("'3' == small", [3, 8]), ("small != \"3\"", [1, 2, 5, 6, 7]),
      ("small < '3.5'", [1, 2, 3, 6, 8]), ("small IN {'3', '100'}", [3, 7, 8]),
      ("small BETWEEN {'0', '3'}", [2, 3, 8]), ("large == '9007199254740993'", [3]),
      ("money == '19.99'", [1]), ("ANY owner.samples.small == '100'", [7, 8]),
      ("small + 1 == '4'", [3, 8]),
    ])
  func numbers(_ text: String, _ expected: [UInt64]) throws {
    #expect(try found(text) == expected)
  }

  @Test(
    "A comparison that can hold for no object is refused",
    arguments: [
      "small == 'three'", "small == ''", "name == 5", "name IN {1, 2}", "5 == name",
      "small IN {'x', 'y'}", "'5' == 5", "when == 'soon'", "name BETWEEN {1, 'x'}", "small < 'x'",
    ])
  func refused(_ text: String) throws {
    let error = #expect(throws: QueryError.self) { try found(text) }
    #expect(error?.code == .typeMismatch, "\(text)")
  }

  @Test(
    "IN passes over the elements of a list that are of another type",
    arguments: [
      ("name IN {'Ada', 'smith', 1, 2}", [1, 7]),
      ("NOT name IN {'Ada', 1}", [2, 3, 4, 5, 6, 7, 8]),
      ("small IN {'x', 3}", [3, 8]), ("name IN {NULL, 'Ada', 7}", [1]),
      ("name IN[c] {1, 'ADA'}", [1, 2]), ("{'Ada', 1} CONTAINS name", [1]),
    ])
  func lists(_ text: String, _ expected: [UInt64]) throws {
    #expect(try found(text) == expected)
  }

  @Test(
    "A list and nil are compared as any value and nil are",
    arguments: [
      ("{1, 2} == nil", false), ("nil == {1, 2}", false), ("{1, 2} != nil", true),
      ("nil != {1, 2}", true), ("nil IN {1, 2}", false), ("nil IN {nil}", false),
      ("{1, 2} CONTAINS nil", false), ("1 IN nil", false), ("1 BETWEEN nil", false),
      ("nil CONTAINS 1", false),
    ])
  func missing(_ text: String, _ holds: Bool) throws {
    #expect(try found(text) == (holds ? [1, 2, 3, 4, 5, 6, 7, 8] : []))
  }

  @Test(
    "Statements of the page about single operators hold",
    arguments: [
      ("'a\\nb' MATCHES 'a.b'", false), ("'a\\nb' MATCHES '(?s)a.b'", true),
      ("'ab\\n' MATCHES 'ab'", false), ("nil >= nil", false), ("nil == nil", true),
      ("nil < 1", false), ("length('e\u{301}') == 1", true), ("length('👩‍👩‍👧') == 1", true),
    ])
  func operators(_ text: String, _ holds: Bool) throws {
    #expect(try found(text) == (holds ? [1, 2, 3, 4, 5, 6, 7, 8] : []))
  }

  @Test("Collection operators pass over missing values")
  func aggregates() throws {
    #expect(try found("samples.@avg.ratio == 42", "Person") == [24])
    #expect(try found("samples.@sum.ratio == 0", "Person") == [25])
    #expect(try found("samples.@avg.ratio == nil", "Person") == [25])
    #expect(try found("samples.@max.ratio == nil", "Person") == [25])
  }

  @Test("TRUE and YES are truth values, 1 is a number, and each prints as it is")
  func printing() throws {
    #expect(try QueryPredicate("flag == YES").description == "flag == TRUE")
    #expect(try QueryPredicate("flag == NO").description == "flag == FALSE")
    #expect(try QueryPredicate("flag == 1 OR flag == 0").description == "flag == 1 OR flag == 0")
    #expect(try found("flag == 1") == found("flag == TRUE"))
  }

  @Test("A variable holds an object, and what follows its dot is a name")
  func variablePaths() throws {
    #expect(throws: QueryError.self) { try QueryPredicate("$a.$b == 1") }
    #expect(try QueryPredicate("$a.b == 1").description == "$a.b == 1")
  }
}
