import JSONText

/// Answers the messages of the compiler: one JSON text for each message.
///
/// The protocol belongs to the compiler and may change (docs/decisions/0021). Members of a message that are not known
/// here are ignored, and a message of an unknown kind is answered with an empty expansion. Only this file knows the
/// names in messages.
package enum CompilerMessages {
  /// The newest version of the protocol that the answers conform to.
  private static let protocolVersion = 7

  package static func answer(_ message: [UInt8]) -> [UInt8] {
    let answer: JSON =
      if let read = try? JSON.read(message, depthLimit: 100), case .members(let members) = read,
        let first = members.first
      {
        self.answer(kind: first.name, first.value)
      } else {
        expansion("", [])
      }
    return Array(answer.line.utf8)
  }

  private static func answer(kind: String, _ body: JSON) -> JSON {
    switch kind {
    case "getCapability":
      return .object([
        "getCapabilityResult": .object([
          "capability": .object(["protocolVersion": .number(protocolVersion)])
        ])
      ])
    case "expandAttachedMacro":
      let declaration = Syntax(body["declSyntax"])
      do {
        let (source, problems) = try MacroExpansion.expand(
          macro: body["macro"]?["typeName"]?.text ?? "", role: body["macroRole"]?.text ?? "",
          declaration: declaration.source, at: declaration.place,
          in: Syntax(body["parentDeclSyntax"]).source,
          extendedType: Syntax(body["extendedTypeSyntax"]).source)
        return expansion(source, problems.map { diagnostic($0, in: declaration) })
      } catch {
        return expansion("", [diagnostic(error, in: declaration)])
      }
    default: return expansion("", [])
    }
  }

  /// A part of the program's source, with its place.
  private struct Syntax {
    let source: String
    let fileName: String
    let offset: Int
    let place: SourcePlace

    init(_ json: JSON?) {
      source = json?["source"]?.text ?? ""
      fileName = json?["location"]?["fileName"]?.text ?? ""
      offset = json?["location"]?["offset"]?.number ?? 0
      place = SourcePlace(
        fileName: fileName, line: json?["location"]?["line"]?.number ?? 0,
        column: json?["location"]?["column"]?.number ?? 0)
    }
  }

  private static func expansion(_ source: String, _ diagnostics: [JSON]) -> JSON {
    .object([
      "expandMacroResult": .object([
        "expandedSource": .string(source), "diagnostics": .array(diagnostics),
      ])
    ])
  }

  private static func diagnostic(_ problem: SourceProblem, in syntax: Syntax) -> JSON {
    func place(_ range: Range<Int>) -> JSON {
      .object([
        "fileName": .string(syntax.fileName),
        "startOffset": .number(syntax.offset + range.lowerBound),
        "endOffset": .number(syntax.offset + range.upperBound),
      ])
    }
    let fix = problem.fix.map { fix in
      JSON.object([
        "message": .string(fix.message),
        "changes": .array([
          .object(["range": place(fix.range), "newText": .string(fix.text)])
        ]),
      ])
    }
    return .object([
      "message": .string(problem.message),
      "severity": .string("error"),
      "position": .object([
        "fileName": .string(syntax.fileName),
        "offset": .number(syntax.offset + problem.range.lowerBound),
      ]),
      "highlights": .array(problem.range.isEmpty ? [] : [place(problem.range)]),
      "notes": .array([]),
      "fixIts": .array(fix.map { [$0] } ?? []),
    ])
  }
}

extension JSON {
  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  fileprivate var number: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }
}
