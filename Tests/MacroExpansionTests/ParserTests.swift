import Testing

@testable import MacroExpansion

@Suite("Declarations are parsed as Swift reads them")
struct ParserTests {
  private func variables(_ members: String) throws -> [VariableSyntax] {
    var parser = try DeclarationParser("final class Trip: ManagedObject {\n\(members)\n}")
    return try parser.parseClass().variables
  }

  /// One member, and the variables that the parser finds in it: name, type and initial value.
  struct Member: Sendable, CustomTestStringConvertible {
    let source: String
    let variables: [String]
    var testDescription: String { source }

    init(_ source: String, _ variables: String...) {
      self.source = source
      self.variables = variables
    }
  }

  static let table = [
    Member("var name: String", "name|String|"),
    Member("var name: String = \"a } b\" // }", "name|String|\"a } b\""),
    Member(
      "var name: String = \"\\(f(\"}\", [1: \"{\"]))\"",
      "name|String|\"\\(f(\"}\", [1: \"{\"]))\""),
    Member("var a = #\"\\\"}\"# + \"x\"\nvar b: Int", "a||#\"\\\"}\"# + \"x\"", "b|Int|"),
    Member(
      "var a: String = \"\"\"\n  {\"}\n  \"\"\"\nvar b: Int", "a|String|\"\"\"\n  {\"}\n  \"\"\"",
      "b|Int|"),
    Member("/* { /* nested } */ } */ var a: Int", "a|Int|"),
    Member(
      "var start: Date?\nvar end: Optional<Date> = nil", "start|Date?|", "end|Optional<Date>|nil"),
    Member("var a: [String: [Int]]\n  = [:]\nlet b: Int", "a|[String: [Int]]|[:]", "b|Int|"),
    Member(
      "var f: (Int, String) -> Void = { _, _ in }\nvar b: Int",
      "f|(Int, String) -> Void|{ _, _ in }", "b|Int|"),
    Member("var total: Int { stops.count }\nvar b: Int", "total|Int|", "b|Int|"),
    Member("var a: Int = 3 { didSet { print(\"}\") } }\nvar b: Int", "a|Int|3", "b|Int|"),
    Member(
      "var a = items.map { $0 * 2 }\n  .filter { $0 > 1 }\nvar b: Int",
      "a||items.map { $0 * 2 }\n  .filter { $0 > 1 }", "b|Int|"),
    Member("var a = x\n  ?? y\nvar b = -1", "a||x\n  ?? y", "b||-1"),
    Member("var a: Int = isBig ? 1 : 2; var b: Int", "a|Int|isBig ? 1 : 2", "b|Int|"),
    Member(
      "func f(_ x: Int = { 3 }()) -> [Int] { var inner: Int = 1; return [inner] }\nvar b: Int",
      "b|Int|"),
    Member("init?(x: Int) { let r = /[{]\"/\n }\nvar b: Int", "b|Int|"),
    Member("func d() -> Double { 6 / 2 / 1 }\nvar b: Int", "b|Int|"),
    Member("let r = #/ } \" /#\nvar b: Int", "r||#/ } \" /#", "b|Int|"),
    Member(
      "enum Kind: String { case a, b }\nstruct S<T> where T: P { var x: Int }\nvar b: Int", "b|Int|"
    ),
    Member(
      "#if DEBUG && canImport(X)\nfunc f() {}\n#else\nfunc g() {}\n#endif\nvar b: Int", "b|Int|"),
    Member("#Index<Trip>([\\.start], [\\.name])\nvar b: Int", "b|Int|"),
    Member(
      "@available(*, deprecated, message: \"use } b\") @objc dynamic var a: Int\nvar b: Int",
      "a|Int|", "b|Int|"),
    Member("public private(set) var a: Int\nstatic let shared = 1", "a|Int|", "shared||1"),
    Member("class var k: Int { 1 }\nclass func f() {}\nvar b: Int", "k|Int|", "b|Int|"),
    Member("typealias Pair = (Int, Int)\nvar b: Int", "b|Int|"),
    Member(
      "var `default`: Int = 0x1e\nvar ünïcode: String", "`default`|Int|0x1e", "ünïcode|String|"),
    Member("var a: any P & Q\nvar b: A.B<C, D<E>>?", "a|any P & Q|", "b|A.B<C, D<E>>?|"),
    Member(
      "subscript(i: Int) -> Int { get { 1 } }\ndeinit { f() }\nvar b: Double = 1e-3",
      "b|Double|1e-3"),
    Member("var a: Int, b: Int = 2", "a|Int|", "b|Int|2"),
    Member(
      "@Relationship(.cascade, inverse: \\Stop.trip, ordered: true) var stops: [Stop] = []",
      "stops|[Stop]|[]"),
  ]

  @Test("The parser finds the variables of a class, and none inside its members", arguments: table)
  func members(_ member: Member) throws {
    let found = try variables(member.source).map {
      "\($0.name.text)|\($0.type?.source.text ?? "")|\($0.initialValue?.text ?? "")"
    }
    #expect(found == member.variables)
  }

  @Test("The parser finds the attributes, modifiers and accessors of a member")
  func details() throws {
    let all = try variables(
      """
      @Attribute(.range(0...(3)), .length(1...)) public private(set) var a: Int = 1 { willSet { } }
      #if X
      static var b: Int
      #endif
      lazy var c = 3
      var d: Int { get { 1 } set { } }
      """)
    #expect(all.map(\.isStatic) == [false, true, false, false])
    #expect(all.map(\.isConditional) == [false, true, false, false])
    #expect(all[0].attributes.map(\.name.text) == ["Attribute"])
    #expect(all[0].attributes[0].arguments?.text == ".range(0...(3)), .length(1...)")
    #expect(all[0].modifiers.map(\.text) == ["public", "private(set)"])
    #expect(all[2].modifiers.map(\.text) == ["lazy"] && all[3].accessors == .computed)
    guard case .observers = all[0].accessors else {
      Issue.record("The observers were not found.")
      return
    }
  }

  @Test("The header of a class is parsed with attributes, generics and conformances")
  func header() throws {
    var parser = try DeclarationParser(
      "@Entity(.abstract) @MainActor public class Trip<T>: Base<T>.Inner, @unchecked Sendable where T: P { }"
    )
    let parsed = try parser.parseClass()
    #expect(parsed.name.text == "Trip" && parsed.isGeneric && parsed.keyword.text == "class")
    #expect(parsed.inherited.map(\.text) == ["Base<T>.Inner", "Sendable"])
    #expect(parsed.attributes.map(\.name.text) == ["Entity", "MainActor"])
    #expect(parsed.modifiers.map(\.text) == ["public"])
  }

  @Test(
    "Source that can't be parsed is refused at its place",
    arguments: [
      ("class A: B { var a: String = \"x }", "The string does not end."),
      ("class A: B { /* }", "The comment does not end."),
      ("class A: B { var a: [Int }", "The end of the type is expected: ]."),
      ("class A: B { func f( }", "The bracket does not match the opening one."),
      ("class A: B { frob a: Int }", "A declaration is expected."),
      (
        "class A: B { var (a, b): (Int, Int) }",
        "Declare each property separately, not in a tuple."
      ),
      ("class A: B { var a: Int = }", "The initial value is expected."),
      ("class A: B { var a: Int", "The body of the class does not end."),
      (
        "class A: B { var a: \(String(repeating: "[", count: 100_000)) }",
        "The type is nested too deeply."
      ),
      (
        "class A: B { var a = \(String(repeating: "\"\\(", count: 50_000)) }",
        "The interpolations are nested too deeply."
      ),
      ("func f() {}", "A class is expected."), ("", "A class is expected."),
      ("class A: B { var `a: Int\n }", "The name does not end with a backtick."),
    ])
  func refused(_ source: String, _ message: String) {
    do throws(SourceProblem) {
      var parser = try DeclarationParser(source)
      _ = try parser.parseClass()
      Issue.record("The source was not refused.")
    } catch {
      #expect(error.message == message)
      #expect(error.range.lowerBound >= 0 && error.range.upperBound <= source.utf8.count)
    }
  }
}
