import JSONText
import MacroExpansion

extension HostileInputs {
  /// Expands any text as a declaration: the result is an expansion, or problems at places within the text. Any bytes
  /// that are sent as a message must get an answer.
  public static func declaration(_ bytes: [UInt8]) {
    _ = CompilerMessages.answer(bytes)
    let source = String(decoding: bytes, as: UTF8.self)
    for (macro, role) in [
      ("EntityMacro", "member"), ("EntityMacro", "memberAttribute"),
      ("StoredPropertyMacro", "accessor"), ("CompositeMacro", "extension"),
    ] {
      let message = JSON.object([
        "expandAttachedMacro": .object([
          "macro": .object(["typeName": .string(macro)]), "macroRole": .string(role),
          "declSyntax": .object(["source": .string(source)]),
        ])
      ])
      let answer = try? JSON.read(CompilerMessages.answer(Array(message.line.utf8)))
      guard let result = answer?["expandMacroResult"],
        case .array(let diagnostics)? = result["diagnostics"],
        case .string(let expanded)? = result["expandedSource"]
      else { preconditionFailure("A message has no answer.") }
      precondition(diagnostics.isEmpty || expanded.isEmpty, "A wrong declaration was expanded.")
      for diagnostic in diagnostics {
        guard case .number(let digits)? = diagnostic["position"]?["offset"],
          let offset = Int(digits), (0...source.utf8.count).contains(offset)
        else { preconditionFailure("A problem is not at a place of the source.") }
      }
    }
  }
}
