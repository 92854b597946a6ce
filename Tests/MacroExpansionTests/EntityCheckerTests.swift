import Testing

@testable import MacroExpansion

@Suite("Wrong declarations are errors at their places, with fixes")
struct EntityCheckerTests {
  /// A wrong member, the text at the place of the problem, words of the message, and the member after the fix.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let member: String
    let place: String
    let words: String
    let fixed: String?
    var testDescription: String { member }

    init(_ member: String, at place: String, _ words: String, fixed: String? = nil) {
      self.member = member
      self.place = place
      self.words = words
      self.fixed = fixed
    }
  }

  static let wrong = [
    Wrong("let name: String", at: "let", "write var name", fixed: "var name: String"),
    Wrong(
      "var name = \"x\"", at: "name", "write var name: String", fixed: "var name: String = \"x\""),
    Wrong("var size = 1.5", at: "size", "write var size: Double", fixed: "var size: Double = 1.5"),
    Wrong(
      "var start = Date()", at: "start", "write var start: Date",
      fixed: "var start: Date = Date()"),
    Wrong(
      "var key = Foundation.UUID()", at: "key", "write var key: Foundation.UUID",
      fixed: "var key: Foundation.UUID = Foundation.UUID()"),
    Wrong(
      "var kind = Shop.Kind.a", at: "kind", "write var kind: Shop.Kind",
      fixed: "var kind: Shop.Kind = Shop.Kind.a"),
    Wrong("var note = nil", at: "note", "write it after the name"),
    Wrong("var size = make()", at: "size", "write it after the name"),
    Wrong("lazy var age: Int = 1", at: "lazy", "can't be lazy", fixed: " var age: Int = 1"),
    Wrong("weak var trip: Trip?", at: "weak", "can't be weak", fixed: " var trip: Trip?"),
    Wrong(
      "var age: Int = 1 { didSet { } }", at: "{ didSet { } }", "can't have observers",
      fixed: "var age: Int = 1 "),
    Wrong(
      "@Attribute(.range(0...1)) var age: Int { 3 }", at: "@Attribute(.range(0...1))",
      "is computed", fixed: " var age: Int { 3 }"),
    Wrong("var stops: [Stop]", at: "stops", "write @Relationship(inverse: \\Stop.…)"),
    Wrong(
      "@Relationship var stops: [Shop.Stop]", at: "[Shop.Stop]", "read in place",
      fixed: "@Relationship var stops: RelatedObjects<Shop.Stop>"),
    Wrong(
      "@Relationship var stops: Set<Stop>", at: "Set<Stop>", "write RelatedObjects<Stop>",
      fixed: "@Relationship var stops: RelatedObjects<Stop>"),
    Wrong(
      "@Relationship var stops: RelatedObjects<Stop>?", at: "RelatedObjects<Stop>?", "not nil",
      fixed: "@Relationship var stops: RelatedObjects<Stop>"),
    Wrong(
      "@Relationship var stops: [Stop]?", at: "[Stop]?", "not nil",
      fixed: "@Relationship var stops: RelatedObjects<Stop>"),
    Wrong(
      "@Relationship(ordered: true) var stops: Stop?", at: "Stop?", "write RelatedObjects<Stop>",
      fixed: "@Relationship(ordered: true) var stops: RelatedObjects<Stop>"),
    Wrong(
      "@Relationship var name: String", at: "@Relationship", "is a value",
      fixed: " var name: String"),
    Wrong("var trip: Trip!", at: "Trip!", "write Trip? or Trip", fixed: "var trip: Trip?"),
    Wrong(
      "var tags: Set<String>", at: "Set<String>", "write [String]", fixed: "var tags: [String]"),
    Wrong(
      "@Attribute(.unique) var code: String", at: "unique", "Write @Unique",
      fixed: "@Unique var code: String"),
    Wrong(
      "@Attribute(.unique, .length(1...3)) var code: String", at: "unique", "Write @Unique"),
    Wrong(
      "@Attribute(.ephemeral) var on: Bool", at: "ephemeral", "Write @Transient",
      fixed: "@Transient var on: Bool"),
    Wrong(
      "@Attribute(.range(0...3)) var name: String?", at: "range", "write .length",
      fixed: "@Attribute(.length(0...3)) var name: String?"),
    Wrong(
      "@Attribute(\"a\", .length(1...)) var age: Int", at: "length", "write .range",
      fixed: "@Attribute(\"a\", .range(1...)) var age: Int"),
    Wrong("@Attribute(.day) var name: String", at: "day", "is not a Date"),
    Wrong("@Attribute(.places(2)) var price: Double?", at: "places", "is not a Decimal"),
    Wrong(
      "@Relationship(.casade, inverse: \\Stop.trip) var stops: RelatedObjects<Stop>",
      at: "casade", ".cascade, .deny, .noAction or .nullify"),
    Wrong(
      "@Relationship(deleteRule: .all) var stop: Stop?", at: "all",
      ".cascade, .deny, .noAction or .nullify"),
    Wrong(
      "var isDeleted: Bool = false", at: "isDeleted", "Choose another name",
      fixed: "@Attribute(\"isDeleted\") var isDeleted_: Bool = false"),
    Wrong("@Unique var objectID: UUID", at: "objectID", "is a property of ManagedObject"),
    Wrong("var entity: Stop?", at: "entity", "is a property of ManagedObject"),
    Wrong(
      "init(name: String) { self.name = name }", at: "init",
      "write convenience init, and call self.init() first",
      fixed: """
        convenience init(name: String) {
            self.init() self.name = name }
        """),
    Wrong(
      "public init?() async { }", at: "init", "call self.init() first",
      fixed: """
        public convenience init?() async {
            self.init() }
        """),
    Wrong(
      "var a: Int; #Index<Trip>([\\.a], [\\.b])", at: "b", "does not have the property b. It has: a"
    ),
    Wrong(
      "var a: Int; var c: Int { 1 }; #Unique<Trip>([\\.a, \\.c])", at: "c",
      "is not a stored property"),
    Wrong(
      "@Relationship var a: RelatedObjects<Trip>; #Inverse<Trip>(\\.a, \\.up)", at: "up",
      "does not have the property up"),
    Wrong("var pair: (Int, Int)", at: "(Int, Int)", "can't store values of the type"),
    Wrong("var f: () -> Void", at: "() -> Void", "can't store values of the type"),
    Wrong("var p: any Proto", at: "any Proto", "can't store values of the type"),
    Wrong("var x: Int??", at: "Int??", "optional of an optional"),
    Wrong("var age: Int = \"three\"", at: "\"three\"", "not a valid Int"),
    Wrong("var age: Int = 1.5", at: "1.5", "not a valid Int"),
    Wrong("var age: Int = nil", at: "nil", "not a valid Int"),
    Wrong("var name: String = 3", at: "3", "not a valid String"),
    Wrong("var on: Bool = 1", at: "1", "not a valid Bool"),
    Wrong(
      "@Relationship var stops: RelatedObjects<Stop> = [Stop()]", at: "[Stop()]",
      "remove the default"),
    Wrong("@Derived(\"now()\") var at: Date = .now", at: ".now", "can't have a default"),
    Wrong(
      "@Transient @Derived(\"now()\") var at: Date?", at: "@Derived(\"now()\")",
      "remove one of them"),
    Wrong("@Unique @Transient var at: Date?", at: "@Unique", "can't be combined with @Transient"),
    Wrong(
      "@Fetched var near: Stop", at: "Stop", "write [Stop]", fixed: "@Fetched var near: [Stop]"),
    Wrong("@Fetched var near: [Stop] = []", at: "[]", "can't have a default"),
    Wrong("@Fetched @Unique var near: [Stop]", at: "@Unique", "can't be combined with @Fetched"),
    Wrong("@Attribute(\"a\\tb\") var x: Int", at: "\"a\\tb\"", "without escapes"),
    Wrong("var a: Int, b: Int", at: "b", "separately"),
    Wrong("#if DEBUG\nvar a: Int\n#endif", at: "a", "#if"),
  ]

  private func problems(_ source: String) throws -> [SourceProblem] {
    do throws(SourceProblem) {
      return try MacroExpansion.expand(
        macro: "EntityMacro", role: "member", declaration: source
      ).problems
    } catch { return [error] }
  }

  @Test("A wrong member is reported at its place, with a fix", arguments: wrong)
  func members(_ wrong: Wrong) throws {
    let head = "@Entity final class Trip: ManagedObject {\n"
    let source = head + wrong.member + "\n}"
    let problems = try problems(source)
    try #require(problems.count == 1, "\(problems.map(\.message))")
    let problem = problems[0]
    let bytes = Array(source.utf8)
    #expect(String(decoding: bytes[problem.range], as: UTF8.self) == wrong.place)
    #expect(problem.message.contains(wrong.words), "\(problem.message)")
    guard let fixed = wrong.fixed else { return }
    let fix = try #require(problem.fix)
    let text =
      bytes[..<fix.range.lowerBound] + Array(fix.text.utf8) + bytes[fix.range.upperBound...]
    #expect(String(decoding: text, as: UTF8.self) == head + fixed + "\n}")
  }

  @Test(
    "A wrong class is reported at its place",
    arguments: [
      ("struct Trip: ManagedObject { }", "struct", "needs a class"),
      ("enum Trip { case a }", "enum", "needs a class"),
      ("class Trip<T>: ManagedObject { }", "Trip", "can't have generic parameters"),
      ("class Trip { }", "Trip", "must inherit from ManagedObject"),
      ("@MainActor class Trip: ManagedObject { }", "@MainActor", "remove @MainActor"),
    ])
  func classes(_ source: String, _ place: String, _ words: String) throws {
    let source = "@Entity " + source.replacing("case a", with: "")
    let problem = try #require(try problems(source).first)
    #expect(String(decoding: Array(source.utf8)[problem.range], as: UTF8.self) == place)
    #expect(problem.message.contains(words))
  }

  @Test(
    "A wrong structure of a composite attribute is reported at its place",
    arguments: [
      ("class Address { }", "class", "needs a structure"),
      ("struct Address<T> { }", "struct", "without generic parameters"),
      ("struct Address { @Unique var code: String }", "code", "remove the other marker"),
      ("struct Address { var id: UUID = UUID() }", "UUID()", "must be a literal"),
      ("struct Address { let code: String }", "let", "write var code"),
    ])
  func composites(_ source: String, _ place: String, _ words: String) throws {
    let source = "@Composite " + source
    let problems = try MacroExpansion.expand(
      macro: "CompositeMacro", role: "extension", declaration: source
    ).problems
    let problem = try #require(problems.first)
    #expect(String(decoding: Array(source.utf8)[problem.range], as: UTF8.self) == place)
    #expect(problem.message.contains(words), "\(problem.message)")
  }

  @Test("A composite attribute gets an extension with the part names of the model")
  func compositeExtension() throws {
    let source = try MacroExpansion.expand(
      macro: "CompositeMacro", role: "extension",
      declaration: """
        @Composite public struct Address {
          @Attribute("postcode", .length(1...9)) public var code: String?
          public var city: String = "Rome"
        }
        """, extendedType: "Home.Address"
    ).source
    #expect(source.hasPrefix("nonisolated extension Home.Address: CompositeValue {"))
    #expect(source.contains(".part(\"postcode\", \\Self.code,  .length(1...9)),"))
    #expect(source.contains(".part(\"city\", \\Self.city, default: \"Rome\"),"))
    #expect(source.contains("self.code = parts[\"postcode\"]"))
    #expect(source.contains("public func write(to parts: CompositeParts) {"))
  }

  @Test("Other members are ignored, and correct properties have no problem")
  func right() throws {
    let source = """
      @Entity final class Trip: ManagedObject {
        static let shared = 3
        var summary: String { name }
        func f() { let x: Int; var y = 2 }
        var name: String = "Untitled"
        var start: Date?
        var id: UUID = UUID()
        var kind: Kind = .leisure
        var budget: Decimal = -1.5
        @Attribute(.range(0...365)) var length: Int16 = 1
        @Unique var code: String
        @Relationship(.cascade, inverse: \\Stop.trip, ordered: true) var stops: RelatedObjects<Stop>
        @Relationship var tags: RelatedObjects<Tag>
        var owner: Person?
        @Transient var isSelected: Bool = false
        @Transient @Relationship(inverse: \\Stop.highlight) var highlights: RelatedObjects<Stop>
        @Derived("stops.@count") var stopCount: Int
        public private(set) var places: [String] = []
        var days: [String: Int] = [:]
        @Attribute(.required) var kinds: [Kind]? = []
        @Relationship(deleteRule: .deny, inverse: \\Stop.lead) var lead: Stop?
        convenience init(_ name: String) throws { try self.init(context: .shared) }
        #Unique<Trip>([\\.name, \\.start])
        #Index<Trip>([\\.start], [\\.name, \\.start]); #Index<Trip>([\\.code])
        #Index<Trip>(words: \\.name)
        #Index<Trip>(
          // A comment.
          words: \\.code, \\.name)
      }
      """
    #expect(try problems(source) == [])
    let members = try MacroExpansion.expand(
      macro: "EntityMacro", role: "member", declaration: source
    ).source
    // The structure of the snapshot follows.
    #expect(
      members.hasPrefix(
        """
        override class var entityName: Swift.String { "Trip" }
        class func entityProperties<Root__: Trip>(of _: Root__.Type) -> [EntityProperty] {
          [
            .property("name", \\Root__.name, default: "Untitled"),
            .property("start", \\Root__.start),
            .property("id", \\Root__.id),
            .property("kind", \\Root__.kind, default: .leisure),
            .property("budget", \\Root__.budget, default: -1.5),
            .property("length", \\Root__.length, default: 1, .range(0...365)),
            .property("code", \\Root__.code, unique: true),
            .relationship("stops", \\Root__.stops, .cascade, inverse: \\Stop.trip, ordered: true),
            .relationship("tags", \\Root__.tags),
            .property("owner", \\Root__.owner),
            .transient("isSelected", \\Root__.isSelected, default: false),
            .relationship("highlights", \\Root__.highlights, inverse: \\Stop.highlight).inMemory,
            .derived("stopCount", \\Root__.stopCount, "stops.@count"),
            .property("places", \\Root__.places, default: []),
            .property("days", \\Root__.days, default: [:]),
            .property("kinds", \\Root__.kinds, default: [], .required),
            .relationship("lead", \\Root__.lead,  .deny, inverse: \\Stop.lead),
          ]
        }
        override class var entityDeclaration: EntityDeclaration? {
          EntityDeclaration(Trip.self, named: "Trip", properties: entityProperties(of: Trip.self), unique: [[\\.name, \\.start]], indexes: [[\\.start], [\\.name, \\.start], [\\.code]], words: [\\.name, \\.code, \\.name])
        }
        override func setInitialValues() {
          super.setInitialValues()
          self.id = UUID()
        }
        """))
  }

  @Test("Options, a name, access and a superclass are part of the added members")
  func header() throws {
    let source = """
      @Entity("Journey", .abstract, .originalName("Trip")) public class Trip: Base {
        var `default`: Int
      }
      """
    let members = try MacroExpansion.expand(
      macro: "EntityMacro", role: "member", declaration: source
    ).source
    // The structure of the snapshot follows.
    #expect(
      members.hasPrefix(
        """
        public override class var entityName: Swift.String { "Journey" }
        public class func entityProperties<Root__: Trip>(of _: Root__.Type) -> [EntityProperty] {
          Base.entityProperties(of: Root__.self) + [
            .property("default", \\Root__.`default`),
          ]
        }
        public override class var entityDeclaration: EntityDeclaration? {
          EntityDeclaration(Trip.self, named: "Journey", inheriting: Base.self, properties: entityProperties(of: Trip.self), options: [ .abstract, .originalName("Trip")])
        }
        """))
  }
}
