/// Expands the macros of the object graph.
enum MacroExpansion {
  /// Expands a macro in one of its roles.
  ///
  /// - Parameters:
  ///   - macro: The name of the macro's implementing type.
  ///   - role: The role, in the compiler's spelling.
  ///   - declaration: The source of the declaration with the attribute, or of a member of it.
  ///   - place: The place of the declaration; `nil` if it is not known.
  ///   - parent: The source of the declaration that has the member; empty for a declaration at the top level.
  ///   - extendedType: The name of the type that an extension is for, with the names of the types around it.
  /// - Returns: The source to add, and the problems to show.
  /// - Throws: ``SourceProblem`` for a declaration that can't be parsed.
  static func expand(
    macro: String, role: String, declaration: String, at place: SourcePlace? = nil,
    in parent: String = "",
    extendedType: String = ""
  ) throws(SourceProblem) -> (source: String, problems: [SourceProblem]) {
    switch (macro, role) {
    case ("EntityMacro", "member"):
      var parser = try DeclarationParser(declaration)
      let parsed = try parser.parseClass()
      var checker = EntityChecker()
      let entity = checker.check(
        parsed, parsed.attributes.first { $0.plainName == "Entity" })
      // A class with problems gets no members, so that the compiler shows no further problems that follow from them.
      guard let entity, checker.problems.isEmpty else { return ("", checker.problems) }
      return (EntityWriter(entity).members(), [])
    case ("EntityMacro", "memberAttribute"):
      var parser = try DeclarationParser(declaration)
      guard let variable = try parser.parseVariable(), isProperty(variable), isClass(parent) else {
        return ("", [])
      }
      return ("@StoredProperty", [])
    case ("StoredPropertyMacro", "accessor"):
      var parser = try DeclarationParser(declaration)
      guard let variable = try parser.parseVariable() else { return ("", []) }
      let offset = variable.type?.source.range.lowerBound ?? 0
      return (
        AccessorWriter.accessors(
          of: variable, at: place?.advanced(by: offset, in: declaration)), []
      )
    case ("CompositeMacro", "extension"):
      var parser = try DeclarationParser(declaration)
      let parsed = try parser.parseClass()
      var checker = CompositeChecker()
      guard let composite = checker.check(parsed), checker.problems.isEmpty else {
        return ("", checker.problems)
      }
      return (CompositeWriter(composite, typeName: extendedType).members(), [])
    default: return ("", [])
    }
  }

  /// Returns whether members of a declaration get accessors. A structure gets one error at its declaration, so its
  /// members get neither accessors nor errors.
  private static func isClass(_ parent: String) -> Bool {
    guard var parser = try? DeclarationParser(parent), let head = try? parser.parseTypeHead() else {
      return true
    }
    return head.keyword.text == "class"
  }

  /// Returns whether a member gets accessors. A wrong declaration does not, because the expansion of its class reports
  /// the reason.
  private static func isProperty(_ variable: VariableSyntax) -> Bool {
    guard variable.accessors == .none, variable.keyword.text == "var", !variable.isStatic,
      variable.type != nil, !variable.isIgnored
    else { return false }
    return !variable.attributes.contains { $0.plainName == "StoredProperty" }
  }
}
