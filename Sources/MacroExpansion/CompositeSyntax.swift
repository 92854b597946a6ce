/// A structure with `@Composite`, checked.
struct CompositeSyntax {
  let declaration: ClassSyntax
  let parts: [PropertySyntax]
}

/// Checks the declarations of a structure with `@Composite`, and collects the problems for the compiler to show.
struct CompositeChecker {
  private(set) var problems: [SourceProblem] = []

  /// Checks a structure and its parts.
  ///
  /// - Returns: The composite type; `nil` if the declaration can't be one.
  mutating func check(_ declaration: ClassSyntax) -> CompositeSyntax? {
    guard declaration.keyword.text == "struct", !declaration.isGeneric else {
      let range = declaration.keyword.range
      problems.append(
        SourceProblem(
          "@Composite needs a structure without generic parameters.", at: range,
          fix: declaration.keyword.text == "struct" ? nil : .writing("struct", at: range)))
      return nil
    }
    var checker = EntityChecker()
    let parts = declaration.variables.filter { !$0.isStatic }.compactMap { checker.check($0) }
    problems += checker.problems
    for part in parts {
      let range = part.variable.name.range
      if part.role != .plain || part.isUnique {
        problems.append(
          SourceProblem(
            "A part of a composite attribute can have the marker @Attribute only: remove the other marker of \(part.variable.plainName).",
            at: range))
      }
      // The parts of a composite part have their own defaults.
      if let value = part.computedDefault, part.variable.type?.shape.isKnownValue ?? false {
        problems.append(
          SourceProblem(
            "The default of a part must be a literal, or a case such as .none, not \(value.text).",
            at: value.range))
      }
    }
    return CompositeSyntax(declaration: declaration, parts: parts)
  }
}

/// Writes the extension that `@Composite` adds to a structure.
struct CompositeWriter {
  private let composite: CompositeSyntax
  private let typeName: String

  /// Makes a writer for a composite type.
  ///
  /// - Parameter typeName: The name of the structure, with the names of the types around it.
  init(_ composite: CompositeSyntax, typeName: String) {
    self.composite = composite
    self.typeName = typeName.isBlank ? composite.declaration.name.text : typeName
  }

  private var conformance: String {
    let isStated = composite.declaration.inherited.contains {
      $0.text.split(separator: ".").last == "CompositeValue"
    }
    return isStated ? "" : ": CompositeValue"
  }

  private var access: String { composite.declaration.memberAccess }

  /// Returns the source of the extension. The extension is `nonisolated`, because a module may put all declarations on
  /// the main actor by default.
  func members() -> String {
    """
    nonisolated extension \(typeName)\(conformance) {
      \(access)static var compositeParts: [CompositePart] {
        [
    \(lines { ".part(\(arguments(of: $0)))," })
        ]
      }
      \(access)init(composite parts: CompositeParts) {
    \(lines { "self.\($0.variable.name.text) = parts[\"\($0.variable.storedName)\"]" })
      }
      \(access)func write(to parts: CompositeParts) {
    \(lines { "parts[\"\($0.variable.storedName)\"] = self.\($0.variable.name.text)" })
      }
    }
    """
  }

  private func lines(_ line: (PropertySyntax) -> String) -> String {
    composite.parts.map { "      " + line($0) }.joined(separator: "\n")
  }

  private func arguments(of part: PropertySyntax) -> String {
    var arguments = ["\"\(part.variable.storedName)\"", "\\Self.\(part.variable.name.text)"]
    if let value = part.constantDefault, value.text != "nil" {
      arguments.append("default: \(value.text)")
    }
    return (arguments + part.arguments).joined(separator: ", ")
  }
}
