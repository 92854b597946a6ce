import Foundation
import ObjectModel
import ObjectQuery
import SeededRandom
import Testing

@Suite("Reading predicates")
struct ReadingTests {
  @Test(
    "Random trees are read back from their printed text",
    arguments: 0..<40)
  func roundTrip(_: Int) throws {
    var trees = RandomTrees(random: SeededGenerator())
    let seed = "\(trees.random)"
    for _ in 0..<50 {
      let predicate = trees.predicate(4)
      let text = predicate.description
      let read: QueryPredicate?
      do { read = try QueryPredicate(text) } catch {
        Issue.record("\(seed): \(error)")
        return
      }
      #expect(read == predicate, "\(seed): \(text)")
      let expression = trees.expression(4)
      let back = try QueryExpression(expression.description)
      #expect(back == expression, "\(seed): \(expression)")
    }
  }

  @Test("A cut or changed text is read as a predicate or refused")
  func damage() {
    let text =
      "NONE stops.cost >[cd] 1.5e3 AND (name LIKE 'a*\\u00e9' OR SUBQUERY(a.b, $x, $x.c IN {1, "
      + "0x1F, CAST(5, \"NSDate\")})[FIRST].d == -2 ** sum:(z)) && NOT !TERNARY(a = nil, b, c) <> $v"
    let bytes = Array(text.utf8)
    var read = 0
    for cut in 0...bytes.count {
      if (try? QueryPredicate(String(decoding: bytes[..<cut], as: UTF8.self))) != nil { read += 1 }
    }
    for place in bytes.indices {
      for change: UInt8 in [
        0, 0x20, 0x22, 0x27, 0x28, 0x29, 0x5B, 0x5C, 0x7B, 0x2E, 0x25, 0x40, 0xFF,
      ] {
        var changed = bytes
        changed[place] = change
        if (try? QueryPredicate(String(decoding: changed, as: UTF8.self))) != nil { read += 1 }
      }
    }
    #expect(read > 0)
  }

  @Test(
    "A syntax error is reported with its place",
    arguments: [
      ("", 0, "Expected a value, found the end"), ("name", 4, "A comparison is expected"),
      ("name BEGINSWTH 'x'", 5, "Did you mean \"BEGINSWITH\"?"), ("name ==", 7, "Expected a value"),
      ("name == 'x", 8, "no closing quote"), ("name == 5 5", 10, "Expected an operator or the end"),
      ("(a == 1", 7, "close the bracket"), ("a == 1)", 6, "Expected an operator or the end"),
      ("a == {1, 2", 10, "Expected \",\" or \"}\""), ("a == 1 AND", 10, "Expected a value"),
      ("a AND b", 2, "A comparison is expected"), ("a == 1 && b", 11, "A comparison is expected"),
      ("a NOT == 1", 2, "NOT x == y, x NOT IN y"), ("a < b < c", 6, "can't be chained"),
      ("AND name == 1", 0, "joins two predicates, but no predicate precedes it"),
      ("NOT IN {1}", 4, "compares two values, but no value precedes it: x IN y"),
      ("a == NOT b", 5, "must precede a whole comparison: NOT x == y"),
      ("a == ANY b", 5, "ANY stops.nights > 1"), ("a == any(b)", 5, "ANY stops.nights > 1"),
      ("a IS NULL", 2, "Write == NULL."), ("a IS NOT NULL", 2, "Write != NULL."),
      ("a startswith 'x'", 2, "\"BEGINSWITH\""),
      ("UNION a == b", 0, "joins two collections"),
      ("a == “Sm”", 5, "straight quotes"), ("a == ‘Sm’", 5, "straight quotes"),
      ("a == O’Brien", 6, "straight quotes"), ("a == 'Sm’", 5, "\"’\" is a typographic quote"),
      ("a ≠ 1", 2, "Write !="), ("a ≤ 1", 2, "Write <="), ("a == −1", 5, "Write -"),
      ("a\u{A0}== 1", 1, "not a plain space"), ("#“a” == 1", 1, "straight quotes"),
      ("a & == 1", 4, "Expected a value"), ("a == 1 & (b == 2)", 9, "A value is expected"),
      ("ANY a", 5, "Expected an operator"), ("ANY (a == 1) == 2", 4, "A value is expected"),
      ("(a == 1) + 2 == 3", 0, "A value is expected"), ("summ(a) == 1", 0, "Did you mean \"sum\"?"),
      ("CAST(a) == 1", 6, "and a type"), ("CAST(a, 'NSDat') == 1", 8, "Did you mean \"NSDate\"?"),
      ("CAST(a, b) == 1", 8, "the name of a type"),
      ("a == 12abc", 7, "follows the number directly"),
      ("a == 0xZZ", 5, "base 16"), ("a == 1e999", 5, "too large"), ("a == ~", 5, "has no meaning"),
      ("a ==[x] 1", 5, "[c], [d], [n] and [l]"), ("a ==[c 1", 6, "[c], [d], [n] and [l]"),
      ("SUBQUERY(a, b, c == 1)", 12, "a variable such as $x"),
      ("a.== 1", 2, "a name after the dot"),
      ("a[ == 1", 3, "Expected a value"), ("a[FIRST == 1", 8, "after the index of the element"),
      ("TERNARY(a, 1, 2) == 1", 9, "A comparison is expected"), ("$ == 1", 1, "A name is expected"),
      ("@ == 1", 1, "A collection operator"), ("a == %", 5, "The placeholders are"),
      ("a == %z", 5, "The placeholders are"),
      ("FUNCTION(a) == 1", 10, "the name of a method"),
      ("IN {1}", 0, "as \"#IN\""), ("a == '\\u12'", 10, "4 hexadecimal digits"),
      ("FETCH('A', a == 1) == 1", 17, "YES (count only) or NO"),
      ("a == 1 OR OR b == 2", 10, "joins"),
      ("NOT", 3, "Expected a value"), ("a ==\n  b c", 9, "Expected an operator or the end"),
      ("a == \"\\uD83Dx\"", 8, "No character"), ("a BETWEEN", 9, "Expected a value"),
      ("a == b = c", 7, "can't be chained"), ("FETCH(1, 2, 3) == 1", 12, "or NO is expected"),
      ("SUBQUERY(a, $x, $x) == 1", 18, "A comparison is expected"), ("a == ,", 5, "found \",\""),
    ])
  func faults(_ text: String, _ offset: Int, _ message: String) {
    do {
      let predicate = try QueryPredicate(text)
      Issue.record("\(text) was read as \(predicate)")
    } catch {
      #expect(error.offset == offset, "\(text): \(error.message)")
      #expect(error.message.contains(message), "\(text): \(error.message)")
      #expect(error.text == text)
    }
  }

  @Test("A caret marks the error in its line")
  func caret() {
    do {
      _ = try QueryPredicate("a == 1 AND\n\tnäme BEGINSWTH 'x'")
      Issue.record("read")
    } catch {
      #expect(
        error.description == """
          \tnäme BEGINSWTH 'x'
          \t     ^
          The operator "BEGINSWTH" is unknown. Did you mean "BEGINSWITH"?
          """)
    }
  }

  @Test("Depth and size have limits, and no text overflows the stack")
  func limits() {
    func code(_ text: String) -> QueryError.Code? {
      do {
        _ = try QueryPredicate(text)
        return nil
      } catch { return error.code }
    }
    func many(_ text: String, _ count: Int = 100_000) -> String {
      String(repeating: text, count: count)
    }
    #expect(code(many("(") + "a == 1" + many(")")) == .tooLarge)
    #expect(code(many("NOT ") + "a == 1") == .tooLarge)
    #expect(code(many("!") + "a == 1") == .tooLarge)
    #expect(code("a == " + many("-") + "b") == .tooLarge)
    #expect(code("a == " + many("{")) == .tooLarge)
    #expect(code("a == 1" + many(" + 1")) == .tooLarge)
    #expect(code("a == 2" + many(" ** 2")) == .tooLarge)
    #expect(code("a" + many("[0]") + " == 1") == .tooLarge)
    #expect(code("a == " + many("abs(")) == .tooLarge)
    #expect(code("a == 1" + many(" AND a == 1", 60_000)) == .tooLarge)
    #expect(code(many(" ", QueryLimits.textByteCount + 1)) == .tooLarge)
    #expect(code("a == 1" + many(" AND a == 1", 20_000)) == nil)
    #expect(code("a" + many(".b") + " == 1") == nil)
  }

  // MARK: - Arguments

  @Test("Arguments become values in their order")
  func arguments() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let uuid = UUID()
    func same(_ predicate: QueryPredicate, _ text: String) throws {
      #expect(try predicate == QueryPredicate(text))
    }
    try same(QueryPredicate("a == %@", "x' OR 'a' == 'a"), "a == \"x' OR 'a' == 'a\"")
    try same(QueryPredicate("%K == %d AND %K > %f", "a.b", 5, "c", 1), "a.b == 5 AND c > 1.0")
    try same(QueryPredicate("%K.c == %ld", "a.b", Int16(5)), "a.b.c == 5")
    try same(QueryPredicate("a == %@", nil), "a == NULL")
    try same(QueryPredicate("a == %@", nil as String?), "a == NULL")
    try same(QueryPredicate("a == %@", Float(0.5)), "a == 0.5")
    try same(QueryPredicate("a == %@", date), "a == CAST(5, 'NSDate')")
    try same(QueryPredicate("a == %@", uuid), "a == CAST('\(uuid)', 'NSUUID')")
    try same(QueryPredicate("a IN %@", [1, 2]), "a IN {1, 2}")
    try same(QueryPredicate("a BETWEEN %@", 1...2), "a BETWEEN {1, 2}")
    try same(
      QueryPredicate("a == %@", Decimal(string: "1.5")!), "a == CAST('1.5', 'NSDecimalNumber')")
    try same(QueryPredicate("a == %@", Data([1])), "a == CAST('AQ==', 'NSData')")
    try same(QueryPredicate("a == %@", UInt64.max), "a == 18446744073709551616.0")
    try same(QueryPredicate("'%@' == a"), "'%@' == a")
    let request = QueryRequest("Trip", where: try QueryPredicate("x == 1"))
    try same(
      QueryPredicate("FETCH(%@, %@, YES) > 1", request, nil), "FETCH('Trip', x == 1, YES) > 1")
  }

  @Test(
    "Arguments that do not fit are refused",
    arguments: [
      ("a == %@", []), ("a == 1", [5]), ("a == %d", ["x"]), ("%K == 1", [5]), ("%K == 1", ["a..b"]),
      ("a == %d", [1.5]),
    ] as [(String, [any QueryArgument & Sendable])])
  func badArguments(_ text: String, _ arguments: [any QueryArgument & Sendable]) {
    do {
      _ = try QueryPredicate(text, arguments: arguments)
      Issue.record("read")
    } catch { #expect(error.code == .badArgument) }
  }

  @Test("A placeholder in quotes is text, and left-over arguments are an error that says so")
  func quotedPlaceholders() throws {
    let error = #expect(throws: QueryError.self) { try QueryPredicate("a == '%@'", "x") }
    #expect(error?.code == .badArgument)
    #expect(error?.offset == 5)
    #expect(error?.message.contains("without quotes") == true)
    #expect(try QueryPredicate("a == '%@'") == QueryPredicate("a == %@", "%@"))

    let surplus = #expect(throws: QueryError.self) { try QueryPredicate("a == %@", 1, 2) }
    #expect(surplus?.offset == 7)
    #expect(surplus?.message.contains("2 are given") == true)
  }

  @Test("Bit operators have the precedence of C, and operate on values")
  func bits() throws {
    func same(_ text: String, _ bracketed: String) throws {
      #expect(try QueryPredicate(text) == QueryPredicate(bracketed), "\(text)")
    }
    try same("a & 1 == 1", "bitwiseAnd:with:(a, 1) == 1")
    try same("a | b ^ c & d << 1 + 2 == 0", "(a | (b ^ (c & (d << (1 + 2))))) == 0")
    try same("a + 1 << 2 & b ^ c | d == 0", "(((((a + 1) << 2) & b) ^ c) | d) == 0")
    try same("a >> 1 >> 1 == 0", "((a >> 1) >> 1) == 0")
    try same(
      "a&1==1&&b|2==2||c<<1<>d>>1", "((a & 1) == 1 AND (b | 2) == 2) OR ((c << 1) != (d >> 1))")
    try same("ANY a.b & 4 != 0", "ANY (a.b & 4) != 0")
    try same("a UNION b | c == d", "(a UNION (b | c)) == d")
    #expect(try QueryPredicate("(a & 1) * 2 == 1").description == "(a & 1) * 2 == 1")
  }

  @Test("A negated operator is the negated comparison")
  func negatedOperators() throws {
    func same(_ text: String, _ other: String) throws {
      #expect(try QueryPredicate(text) == QueryPredicate(other), "\(text)")
    }
    try same("a NOT IN {1}", "NOT a IN {1}")
    try same("a not in[cd] {'x'} AND b == 1", "(NOT a IN[cd] {'x'}) AND b == 1")
    try same("a NOT BETWEEN {1, 2}", "NOT a BETWEEN {1, 2}")
    try same("ANY a.b NOT IN {1}", "NOT ALL a.b IN {1}")
    try same("ALL a.b NOT IN {1}", "NOT ANY a.b IN {1}")
    try same("NONE a.b NOT IN {1}", "ALL a.b IN {1}")
    try same("NOT a NOT IN {1}", "NOT NOT a IN {1}")
  }

  @Test("Variables are listed and replaced, and a missing one is an error")
  func variables() throws {
    let predicate = try QueryPredicate("a == $A AND SUBQUERY(b, $x, $x.c == $B).@count > 0")
    #expect(predicate.variables == ["A", "B"])
    #expect(
      try predicate.substituting(["A": 1, "B": nil])
        == QueryPredicate("a == 1 AND SUBQUERY(b, $x, $x.c == NULL).@count > 0"))
    #expect(throws: QueryError.self) { try predicate.substituting(["A": 1]) }
  }
}
