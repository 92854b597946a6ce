import JSONText
import SeededRandom
import Testing

@testable import MacroExpansion

@Suite("Messages from the compiler")
struct CompilerMessagesTests {
  private func answer(_ message: JSON) throws -> JSON {
    try JSON.read(CompilerMessages.answer(Array(message.line.utf8)))
  }

  private func message(_ macro: String, _ role: String, _ source: String) -> JSON {
    .object([
      "expandAttachedMacro": .object([
        "macro": .object([
          "moduleName": .string("EntityMacros"), "name": .string("Entity "),
          "typeName": .string(macro),
        ]),
        "macroRole": .string(role), "discriminator": .string("$s3App"),
        "attributeSyntax": .object(["source": .string("\n@Entity "), "kind": .string("attribute")]),
        "declSyntax": .object([
          "kind": .string("declaration"), "source": .string(source),
          "location": .object([
            "fileName": .string("/App.swift"), "fileID": .string("App/App.swift"),
            "offset": .number(100), "line": .number(5), "column": .number(1),
          ]),
        ]),
        "aMemberOfTheFuture": .array([.null, .boolean(true)]),
      ])
    ])
  }

  @Test("The answer contains the version of the protocol")
  func capability() throws {
    let asked = JSON.object([
      "getCapability": .object(["capability": .object(["protocolVersion": .number(99)])])
    ])
    #expect(
      try answer(asked)["getCapabilityResult"]?["capability"]?["protocolVersion"] == .number(7))
  }

  @Test("Accessors and member attributes are expanded")
  func members() throws {
    let accessors = try answer(message("StoredPropertyMacro", "accessor", "\n  var a: Int = 1"))
    #expect(
      accessors["expandMacroResult"]?["expandedSource"]
        == .string(
          "{\n  get { self[stored: \"a\", 0xaf63dc4c8601ec8c] }\n  set { self[stored: \"a\", 0xaf63dc4c8601ec8c] = newValue }\n}"
        ))
    for (source, attribute) in [
      ("var a: Int", "@StoredProperty"), ("var a: Int { 1 }", ""), ("static var a: Int = 1", ""),
      ("let a: Int", ""), ("func f() { var a: Int }", ""), ("var a = 1", ""),
      ("@Derived(\"now()\") var a: Date", "@StoredProperty"),
    ] {
      let expanded = try answer(message("EntityMacro", "memberAttribute", source))
      #expect(
        expanded["expandMacroResult"]?["expandedSource"] == .string(attribute), "\(source)")
    }
    let derived = try answer(
      message("StoredPropertyMacro", "accessor", "@Derived(\"now()\") var a: Date"))
    #expect(
      derived["expandMacroResult"]?["expandedSource"]
        == .string("{\n  get { self[stored: \"a\", 0xaf63dc4c8601ec8c] }\n}"))
  }

  @Test("The error of a type that can't be stored is shown at the type in the program")
  func located() throws {
    let accessors = try MacroExpansion.expand(
      macro: "StoredPropertyMacro", role: "accessor", declaration: "\n  @Attribute(.a) var a: Kind",
      at: SourcePlace(fileName: "/App.swift", line: 5, column: 40)
    ).source

    #expect(
      accessors == """
        {
          get {
        #sourceLocation(file: "/App.swift", line: 6)
        \(String(repeating: " ", count: 24))self[attribute: "a", 0xaf63dc4c8601ec8c]
        #sourceLocation()
          }
          set { self[stored: "a", 0xaf63dc4c8601ec8c] = newValue }
        }
        """)
    // A literal can't name this file.
    let plain = try MacroExpansion.expand(
      macro: "StoredPropertyMacro", role: "accessor", declaration: "var a: Kind",
      at: SourcePlace(fileName: "/A\"pp.swift", line: 5, column: 1)
    ).source
    #expect(plain.contains("get { self[stored: \"a\", 0xaf63dc4c8601ec8c] }"))
  }

  @Test("The accessors of a wrong property, and the members of a structure, have no errors")
  func wrong() throws {
    let accessors = try answer(
      message("StoredPropertyMacro", "accessor", "var tags: Set<String>"))
    #expect(
      accessors["expandMacroResult"]?["expandedSource"]
        == .string("{\n  get { Swift.fatalError() }\n  set { }\n}"))
    for (parent, attribute) in [("struct T {", ""), ("final class T {", "@StoredProperty")] {
      #expect(
        try MacroExpansion.expand(
          macro: "EntityMacro", role: "memberAttribute", declaration: "var a: Int", in: parent
        ).source == attribute)
    }
  }

  @Test("A problem has its place in the file, and an edit")
  func problem() throws {
    let source = "\n@Entity class Trip: ManagedObject { let a: Int }"
    let result = try answer(message("EntityMacro", "member", source))["expandMacroResult"]
    guard case .array(let diagnostics)? = result?["diagnostics"], let first = diagnostics.first
    else {
      Issue.record("There is no diagnostic.")
      return
    }
    let start = 100 + source.utf8.count - "let a: Int }".utf8.count
    #expect(diagnostics.count == 1 && first["severity"] == .string("error"))
    #expect(first["position"]?["offset"] == .number(start))
    #expect(first["position"]?["fileName"] == .string("/App.swift"))
    guard case .array(let fixes)? = first["fixIts"],
      case .array(let changes)? = fixes.first?["changes"]
    else {
      Issue.record("There is no edit.")
      return
    }
    #expect(changes.first?["newText"] == .string("var"))
    #expect(changes.first?["range"]?["startOffset"] == .number(start))
    #expect(changes.first?["range"]?["endOffset"] == .number(start + 3))
  }

  @Test(
    "An unknown message gets an empty expansion",
    arguments: [
      "", "{", "[]", "null", "{}", "{\"expandFreestandingMacro\":{}}", "{\"loadPluginLibrary\":3}",
      "{\"expandAttachedMacro\":null}", "{\"expandAttachedMacro\":{\"macroRole\":[]}}",
      "\u{0}\u{1}",
    ])
  func unknown(_ text: String) throws {
    let answer = try JSON.read(CompilerMessages.answer(Array(text.utf8)))
    #expect(answer["expandMacroResult"]?["expandedSource"] == .string(""))
  }

  @Test("Damaged source is answered, whatever is removed or inserted")
  func damaged() throws {
    let source = Array(
      """
      @Entity("A", .abstract) public final class Trip: Base.Inner<Int>, P {
        /* a /* b */ c */ var name: String = "x \\(f("}")) y" // z
        @Attribute(.range(0...3), .matches(#"[a-z]"#)) var n: Int16 = 0x1f
        @Relationship(.cascade, inverse: \\Stop.trip) var stops: [Stop] = []
        #if os(Linux)
        func f<T>(_ x: T = { 1 }()) -> [T: Int]? where T: Hashable { let r = /[/]{/ ; return nil }
        #endif
        var a: any P & Q, b: (Int) throws -> Void = { _ in } ; lazy var c = \"\"\"
          text "
          \"\"\"
        var d: Int { get { 1 } }
      }
      """.utf8)
    let marks = Array("{}()[]<>\"'`#/*\\@:,;.=&?!-\n \u{e4}var let class".utf8)
    var random = SeededGenerator(seed: 26)
    for _ in 0..<4000 {
      var bytes = source
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(marks.randomElement(using: &random)!, at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 20))
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { break }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      for (macro, role) in [
        ("EntityMacro", "member"), ("EntityMacro", "memberAttribute"),
        ("StoredPropertyMacro", "accessor"), ("CompositeMacro", "extension"),
      ] {
        let result = try answer(message(macro, role, text))["expandMacroResult"]
        #expect(result != nil)
        guard case .array(let diagnostics)? = result?["diagnostics"] else { continue }
        for diagnostic in diagnostics {
          guard case .number(let digits)? = diagnostic["position"]?["offset"],
            let offset = Int(digits)
          else {
            Issue.record("A diagnostic has no place.")
            continue
          }
          #expect((100...100 + text.utf8.count).contains(offset), "\(text)")
        }
      }
    }
  }
}
