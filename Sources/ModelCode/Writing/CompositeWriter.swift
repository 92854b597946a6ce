import ObjectModel

extension ClassWriter {
  /// Returns the file with the structure for a composite type.
  func file(for composite: CompositeType, _ heading: [String]) -> CodeFile {
    let name = plan.composites[composite.name]!
    let parts = composite.storedParts
    let members = CompositeParts.members(of: parts)
    var lines = CodeLines()
    lines.document(["The composite type \(CodeText.code(composite.name))."])
    lines.line("@Composite")
    lines.open(
      "nonisolated \(access)struct \(name): "
        + [
          plan.types.quire("CompositeValue"), plan.types.swift("Sendable"),
          plan.types.swift("Hashable"),
        ].joined(separator: ", "))
    for (part, member) in zip(parts, members) {
      lines.document(
        PropertyWords.paragraphs(
          part.userInfo, otherwise: PropertyWords.sentence(about: part)))
      for marker in AttributeMarkers(part, plan, named: member).lines { lines.line(marker) }
      let value = PropertyLiterals.plainDefault(of: part).map { " = \($0)" } ?? ""
      lines.line("\(access)var \(SwiftNames.declared(member)): \(type(of: part))\(value)")
    }
    if name != composite.name {
      lines.gap()
      lines.line("/// The name of the type in the model.")
      lines.line(
        "\(access)static var compositeName: \(plan.types.swift("String")) { \(CodeText.literal(composite.name)) }"
      )
    }
    lines.gap()
    lines.line("/// The given parts.")
    lines.list("\(access)init(", zip(parts, members).map(parameter), ") {")
    lines.indent()
    for member in members {
      lines.line("self.\(SwiftNames.declared(member)) = \(SwiftNames.declared(member))")
    }
    lines.close()
    lines.close()
    return CodeFile(
      name: plan.fileNames[name]!, heading: heading,
      // A part with its own composite type refers to a structure in another file.
      imports: Set(
        (parts.contains { TypeNames.isFoundation($0.type) } ? ["Foundation", "Quire"] : ["Quire"])
          .map { CodeImport(module: $0, access: access) }), body: lines.lines)
  }

  /// Returns the parameter for a part, with the part's default value if a plain literal expresses it.
  private func parameter(_ part: Attribute, _ member: String) -> String {
    let start = "\(SwiftNames.declared(member)): \(type(of: part))"
    if let value = PropertyLiterals.plainDefault(of: part) { return "\(start) = \(value)" }
    return start.hasSuffix("?") ? start + " = nil" : start
  }
}
