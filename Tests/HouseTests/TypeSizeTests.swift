import Testing

/// Measures whole types, because a type can grow unnoticed while each of its files stays small.
///
/// The size of a type is the size of its declaration and of all its extensions in one module.
@Suite("Type sizes")
struct TypeSizeTests {
  static let lineLimit = 1000
  /// The limit for types with state that methods share. A struct without a mutating method is a plain record and may
  /// have any number: its creator sets the values, and no method relies on the order of changes.
  static let propertyLimit = 15

  /// A type that may exceed the limits, with its higher limits.
  struct Exception {
    var lines = lineLimit
    var properties = propertyLimit
    let reason: String
  }

  /// The types that may be larger. An exception is removed when its type fits the limits.
  static let exceptions: [String: Exception] = [
    "ObjectGraph.ManagedObject": Exception(
      lines: 1150,
      reason:
        "The class of programs: keys, hooks and validation are its public face, and an object may have no context yet."
    ),
    "ObjectGraph.RowSource": Exception(
      properties: 28,
      reason: "A value is read from it in one step, so tables of its entity are repeated in it."),
    "ObjectGraph.UndoStack": Exception(
      properties: 16, reason: "Five properties are settings and callbacks of its public face."),
    "Documents.Document": Exception(
      lines: 1570, reason: "Opening, saving, versions and attachments share one lock on one folder."
    ),
    "SQLTranslation.SQLTranslator": Exception(
      lines: 1310, reason: "One walk over a request: a function for each kind of expression."),
    "Validation.BlockFileCheck": Exception(
      lines: 1240, properties: 18, reason: "One pass over a file, with a table for each structure."),
    "Validation.XMLDocumentCheck": Exception(
      properties: 25, reason: "A parser: the properties are its place in the grammar."),
    "XMLStore.DatabaseReader": Exception(
      properties: 33, reason: "A parser: the properties are its place in the grammar."),
    "Recovery.BlockFileRecovery": Exception(
      properties: 16, reason: "One pass over a damaged file, with a table for each structure."),
    "Recovery.RecoveryReport": Exception(
      properties: 16, reason: "A record: its one mutating method counts lost rows."),
  ]

  @Test("No type exceeds the limits of lines and stored properties")
  func sizes() {
    let types = TypeMeasure.all(in: House.swift(in: "Sources", "Plugins"))
    let findings = tooLarge(types, except: Self.exceptions)
    let stale = staleNames(of: Self.exceptions, types)

    #expect(findings.isEmpty, "\(list(findings))")
    #expect(stale.isEmpty, "No longer needed as exceptions: \(stale)")
  }

  @Test("The largest types of the object graph are printed, and its context is measured")
  func figures() throws {
    let types = TypeMeasure.all(in: House.swift(in: "Sources/ObjectGraph"))
    let context = try #require(types.first { $0.name == "ObjectGraph.ManagedObjectContext" })

    let shown = types.prefix(5) + types.dropFirst(5).filter { $0.name == context.name }
    // The output of a test run shows the figures, so that a reader of several logs sees the trend.
    print(shown.map(\.figures).joined(separator: "\n"))

    #expect(context.lineCount > 100 && context.propertyCount > 0)
  }

  @Test("The rule reports a type that is too large, and an exception that is obsolete")
  func canFail() {
    let body = String(repeating: "  let constant = 1\n", count: 16)
    let methods = String(repeating: "  func method() {}\n", count: 499)
    let files = [
      SourceFile("Sources/A/Wide.swift", "final class Wide {\n\(body)}"),
      SourceFile("Sources/A/Record.swift", "struct Record {\n\(body)}"),
      SourceFile("Sources/A/Long.swift", "enum Long {\n\(methods)}"),
      SourceFile("Sources/A/Long+More.swift", "extension Long {\n\(methods)}"),
      SourceFile("Sources/B/Long.swift", "extension Long {\n\(methods)}"),
    ]
    let types = TypeMeasure.all(in: files)
    func found(_ exceptions: [String: Exception]) -> [String] {
      tooLarge(types, except: exceptions).map(\.description)
    }

    #expect(
      found([:]) == [
        "Sources/A/Long.swift:1: A.Long: 1002 lines, 0 stored properties, 1 extensions",
        "Sources/A/Wide.swift:1: A.Wide: 18 lines, 16 stored properties, 0 extensions",
      ])
    #expect(
      found([
        "A.Wide": Exception(properties: 16, reason: "Wide."),
        "A.Long": Exception(lines: 1002, reason: "Long."),
      ]).isEmpty)
    #expect(found(["A.Wide": Exception(lines: 2000, reason: "Wide.")]).count == 2)
    let record = ["A.Record": Exception(properties: 16, reason: "A record.")]
    #expect(staleNames(of: record, types) == ["A.Record"])
    #expect(staleNames(of: ["A.Long": Exception(reason: "Long.")], types).isEmpty)
  }

  private func isTooLarge(
    _ type: TypeMeasure, lines: Int = lineLimit, properties: Int = propertyLimit
  ) -> Bool {
    type.lineCount > lines || type.propertyCount > properties && !type.isRecord
  }

  private func tooLarge(
    _ types: [TypeMeasure], except exceptions: [String: Exception]
  ) -> [Finding] {
    types.filter { type in
      let allowed = exceptions[type.name] ?? Exception(reason: "")
      return isTooLarge(type, lines: allowed.lines, properties: allowed.properties)
    }.map { Finding($0.place.file, $0.place.line, $0.figures) }
  }

  private func staleNames(of exceptions: [String: Exception], _ types: [TypeMeasure]) -> [String] {
    exceptions.keys.filter { name in
      !types.contains { $0.name == name && isTooLarge($0) }
    }.sorted()
  }
}

/// Tests of the type measure.
@Suite("Type measure")
struct TypeMeasureTests {
  /// Returns the figures of the types in one file of the module A.
  private func figures(_ text: String) -> [String] {
    TypeMeasure.all(in: [SourceFile("Sources/A/A.swift", text)]).map(\.figures)
  }

  @Test("Stored properties count, and computed properties and local values do not")
  func properties() {
    let text = #"""
      public final class Sample: Base, @unchecked Sendable {
        public private(set) var count = 0
        lazy var made: [String: Int] = { let inner = 1; return ["{": inner] }()
        @Lock weak var delegate: (any Delegate)?
        nonisolated(unsafe) let table: UnsafeMutablePointer<Int>
        var observed: Int {
          didSet { let old = oldValue }
        }
        let first, second: XMLNameID
        let (third, fourth) = (1, "\(make { let part = 1; return part }) } // class Text {")
        var action:
          @Sendable (Int) -> Void
        static let shared = Sample()
        class var entityName: String { "Sample" }
        var double: Int { count * 2 }
        var pair: (Int, Int) {
          get { let both = (count, count); return both }
        }
        init() { let local = 1 }
        // var comment = 1 {
      }
      """#

    #expect(figures(text) == ["A.Sample: 21 lines, 10 stored properties, 0 extensions"])
  }

  @Test("A nested type is measured by itself, and its lines count for the type around it")
  func nested() {
    let text = """
      struct Outer<Element> {
        struct Inner {
          var one = 1
        }
        var inner: Inner
      }

      extension Outer.Inner {
        func read() {}
      }

      extension Outer where Element == Int {
        enum Kind { case one }
      }
      """

    #expect(
      figures(text) == [
        "A.Outer: 9 lines, 1 stored properties, 1 extensions",
        "A.Outer.Inner: 6 lines, 1 stored properties, 1 extensions",
        "A.Outer.Kind: 1 lines, 0 stored properties, 0 extensions",
      ])
  }

  @Test("Private types of two files are two types, even if they have the same name")
  func privateTypes() {
    let files = ["One", "Two"].map {
      SourceFile("Sources/A/\($0).swift", "private struct Reader {}\nextension Reader {}")
    }

    #expect(
      TypeMeasure.all(in: files).map(\.name) == ["A.Reader in One.swift", "A.Reader in Two.swift"])
  }

  @Test("A struct is a record until a method of its own changes it")
  func records() {
    func isRecord(_ text: String) -> Bool? {
      TypeMeasure.all(in: [SourceFile("Sources/A/A.swift", text)]).first?.isRecord
    }

    #expect(isRecord("struct A {\n  var a = 1\n}") == true)
    #expect(isRecord("struct A {\n  struct B {\n    mutating func b() {}\n  }\n}") == true)
    #expect(isRecord("struct A {\n}\nextension A {\n  mutating func a() {}\n}") == false)
    #expect(isRecord("class A {\n  let a = 1\n}") == false)
  }
}
