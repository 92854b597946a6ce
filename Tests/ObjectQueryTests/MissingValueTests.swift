import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import Testing

@Suite("Constant parts without a value")
struct MissingValueTests {
  /// Predicates with a constant part without a value, and the place of the part.
  static let faults: [(text: String, offset: Int)] = [
    ("small == 1/0", 9), ("small != 1/0", 9), ("1/0 == small", 0), ("small > 1 / 0", 8),
    ("1 / 0 == nil", 0), ("nil == 1 / 0", 7), ("NOT small == 1/0", 13), ("small == 1.5 / 0", 9),
    ("when == CAST('not a date', 'NSDate')", 8), ("when != CAST(\"x\", \"NSDate\")", 8),
    ("token == CAST('x', 'NSUUID')", 9), ("small == CAST('three', 'NSNumber')", 9),
    ("bytes == CAST('*', 'NSData')", 9), ("owner == CAST('x', 'NSManagedObjectID')", 9),
    ("small == CAST(NULL, 'NSNumber')", 9), ("small == {5}[3]", 9), ("small == {}[FIRST]", 9),
    ("small == {5}[-1]", 9), ("small == modulus(7, 0)", 9), ("small == NULL + 1", 9),
    ("small + 1 / 0 == 5", 8), ("small == 5 + (1 / 0)", 14), ("small IN {1, 1/0}", 13),
    ("small BETWEEN {1/0, 5}", 15), ("small BETWEEN {1, {5}[3]}", 18),
    ("abs(1/0) == small", 4), ("max(small, 1/0) == 3", 11), ("small == max({})", 9),
    ("small == {}.@max", 9), ("small == average({})", 9),
    ("name == FUNCTION('abc', 'substringFromIndex:', 9)", 8), ("name == uppercase(NULL)", 8),
    ("TERNARY(small == 1/0, 1, 2) == 1", 17), ("small == TERNARY(TRUEPREDICATE, NULL, 1)", 9),
    ("ANY owner.samples.small == 1/0", 27),
    ("SUBQUERY(owner.samples, $s, $s.small == 1/0).@count > 0", 40),
    ("FETCH('Person', age == 1/0, YES) > 0", 23), ("small == 3 OR small == 1/0", 23),
  ]

  @Test("A constant part without a value is an error with its place", arguments: faults.indices)
  func refused(_ index: Int) throws {
    let (text, offset) = Self.faults[index]
    let world = try World()
    let predicate = try QueryPredicate(text)
    for ask in [world.scan, world.ask] {
      let error = #expect(throws: QueryError.self, "\(text)") { try ask(predicate, "Sample") }
      #expect(error?.code == .missingValue, "\(text)")
      #expect(error?.located(in: text).offset == offset, "\(text)")
      #expect(
        error?.message.contains("To find objects without a value, compare with NULL.") == true)
    }
  }

  @Test("The reason is part of the message")
  func reasons() throws {
    let world = try World()
    for (text, reason) in [
      ("small == 1/0", "it divides by zero"), ("small == {5}[3]", "no element 3"),
      ("when == CAST('x', 'NSDate')", "can't be cast to NSDate"),
      ("small == NULL * 2", "computes with NULL"),
    ] {
      let error = #expect(throws: QueryError.self) { try world.scan(QueryPredicate(text)) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
      #expect(error?.description.contains("The part is: ") == true)
    }
  }

  @Test(
    "The constant NULL selects objects without a value, in any spelling",
    arguments: [("small == NULL", [4]), ("NULL == when", [4, 6]), ("when == nil", [4, 6])])
  func null(_ text: String, _ expected: [UInt64]) throws {
    let world = try World()
    let predicate = try QueryPredicate(text)

    #expect(try world.scan(predicate) == expected)
    #expect(try world.scan(QueryPredicate("\(text) AND TRUEPREDICATE")) == expected)
    #expect(try world.ask(predicate) == expected)
  }

  @Test("Arguments and variables of nil select objects without a value")
  func given() throws {
    let world = try World()

    #expect(try world.scan(QueryPredicate("small == %@", nil as Int?)) == [4])
    #expect(try world.scan(QueryPredicate("small == $X").substituting(["X": nil])) == [4])
    #expect(try world.scan(QueryPredicate("small IN {3, NULL}")) == [3, 8])
  }

  @Test(
    "A comparison with a part that has no value for an object is false for it",
    arguments: ["small == 1 / medium", "1 / medium == small", "small IN {1 / medium}"])
  func perObject(_ text: String) throws {
    // Sample 1 divides by zero, and the value of sample 4 is missing.
    let world = try World()
    let negated = try world.scan(QueryPredicate("NOT (\(text))"))

    #expect(try world.scan(QueryPredicate(text)) == [2])
    #expect(negated == [1, 3, 4, 5, 6, 7, 8])
  }
}

@Suite("Places of errors that a model reveals")
struct FaultPlaceTests {
  @Test(
    "The error for types that do not match has a place",
    arguments: [
      ("small == 'x'", 6), ("small > 1 AND name == 5", 19), ("name == 5 OR name == 6", 5),
      ("NOT (small CONTAINS 1)", 11), ("small + name == 5", 6), ("name * 2 == 5", 5),
      ("when > 'soon'", 5), ("abs(name) == 1", 0), ("owner.samples.small == 3", 20),
      ("small IN 5", 6), ("small BETWEEN {1, 2, 3}", 6), ("owner > owner", 6),
      ("SUBQUERY(owner.samples, $s, $s.name == 1).@count > 0", 36), ("name & 1 == 1", 5),
      ("ANY small == 1", 10), ("small NOT IN 5", 6), ("length(small) == 1", 0),
      ("name == %@", 5), ("%K == %d AND name == %@", 18),
      ("FETCH('Person', name == 1, YES) > 0 OR name == 1", 21),
    ])
  func types(_ text: String, _ offset: Int) throws {
    let world = try World()
    let arguments: [(any QueryArgument)?] =
      text.hasPrefix("%K") ? ["small", 3, 5] : text.contains("%@") ? [5] : []
    let predicate = try QueryPredicate(text, arguments: arguments)

    let error = #expect(throws: QueryError.self, "\(text)") { try world.scan(predicate) }

    #expect(error?.code == .typeMismatch, "\(text)")
    #expect(error?.located(in: text, arguments: arguments).offset == offset, "\(text)")
  }

  @Test(
    "If several parts have the same name, the error names the position of the wrong one",
    arguments: [
      ("SUBQUERY(owner.samples, $s, $s.grade == 1).@count > 0", "grade", 31),
      ("owner.name == 'small' AND owner.small == 1", "small", 32),
      ("small == 1 AND FETCH('Person', small == 1, YES) > 0", "small", 31),
    ])
  func names(_ text: String, _ name: String, _ offset: Int) throws {
    let world = try World()

    let error = #expect(throws: QueryError.self) { try world.scan(QueryPredicate(text)) }

    #expect(error?.name == name)
    #expect(error?.located(in: text).offset == offset)
  }

  @Test("An error in a variable's value names the position of the variable")
  func variables() throws {
    let world = try World()
    let text = "name == 'x' AND small == $X"
    let error = #expect(throws: QueryError.self) {
      try QueryPlan(
        QueryRequest("Sample", where: QueryPredicate(text)), model: world.model,
        schema: world.schema, variables: ["X": QueryExpression("1 / 0")])
    }

    #expect(error?.located(in: text).offset == 25)
  }
}
