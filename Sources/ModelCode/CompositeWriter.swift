import ObjectModel

extension ClassWriter {
  /// The structure for a composite type.
  func file(for composite: CompositeType, _ heading: [String]) -> CodeFile {
    let name = plan.composites[composite.name]!
    let parts = composite.storedParts
    let members = CompositeParts.members(of: parts)
    var lines = CodeLines()
    lines.document(["The composite type \(CodeText.code(composite.name))."])
    lines.open(
      "nonisolated \(access)struct \(name): \(plan.types.swift("Sendable")), "
        + plan.types.swift("Hashable"))
    for (part, member) in zip(parts, members) {
      lines.document(
        PropertyWords.paragraphs(
          part.userInfo, otherwise: PropertyWords.sentence(about: part)))
      lines.line("\(access)var \(SwiftNames.declared(member)): \(type(of: part))")
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
      // Parts that are structures themselves have the types of theirs in files of their own.
      imports: parts.contains { TypeNames.isFoundation($0.type) }
        ? [CodeImport(module: "Foundation", access: access)] : [],
      body: lines.lines)
  }

  private func type(of part: Attribute) -> String {
    if let name = part.compositeName, let structure = plan.composites[name] { return structure }
    let isOptional = part.isOptional || part.type == .transformable
    return plan.types.values(part.type)! + (isOptional ? "?" : "")
  }

  /// The parameter for a part, with the value of a new object where it can be written plainly.
  private func parameter(_ part: Attribute, _ member: String) -> String {
    let start = "\(SwiftNames.declared(member)): \(type(of: part))"
    let value: String? =
      switch part.defaultValue {
      case .boolean(let value): "\(value)"
      case .integer(let value): "\(value)"
      case .double(let value) where value.isFinite: "\(value)"
      case .string(let text): CodeText.literal(text)
      default: part.type != .composite && part.isOptional ? "nil" : nil
      }
    return value.map { "\(start) = \($0)" } ?? start
  }
}
