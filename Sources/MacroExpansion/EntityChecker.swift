/// Checks the declarations of a class with `@Entity`, and collects the problems for the compiler to show.
struct EntityChecker {
  private(set) var problems: [SourceProblem] = []

  /// The attributes that determine the kind of a property.
  static let markers: Set<String> = [
    "Attribute", "Relationship", "Unique", "Transient", "Derived", "Fetched", "Ignored",
  ]

  /// Checks a class and its properties.
  ///
  /// - Returns: The entity; `nil` if the declaration can't be one.
  mutating func check(
    _ declaration: ClassSyntax, _ attribute: AttributeSyntax?
  ) -> EntitySyntax? {
    guard declaration.keyword.text == "class" else {
      let fixText = declaration.keyword.text == "struct" ? "class" : nil
      problems.append(
        SourceProblem(
          "@Entity needs a class, not this kind of declaration: \(declaration.keyword.text).",
          at: declaration.keyword.range,
          fix: fixText.map {
            .writing($0, at: declaration.keyword.range)
          }))
      return nil
    }
    if declaration.isGeneric {
      problems.append(
        SourceProblem(
          "A class with @Entity can't have generic parameters: it represents one entity.",
          at: declaration.name.range))
      return nil
    }
    guard let superclass = declaration.inherited.first else {
      let end = declaration.name.range.upperBound
      problems.append(
        SourceProblem(
          "A class with @Entity must inherit from ManagedObject or from another class with @Entity.",
          at: declaration.name.range,
          fix: .init(message: "Add ': ManagedObject'", range: end..<end, text: ": ManagedObject")))
      return nil
    }
    checkParts(of: declaration)
    let isRoot = superclass.text.split(separator: ".").last == "ManagedObject"
    var properties: [PropertySyntax] = []
    var declared: Set<Int> = []
    for variable in declaration.variables where !variable.isStatic {
      if !declared.insert(variable.range.lowerBound).inserted {
        problems.append(
          SourceProblem(
            "Declare each property of an entity separately: var \(variable.name.text).",
            at: variable.name.range))
        continue
      }
      if variable.accessors != .computed, !variable.isIgnored { checkName(variable) }
      if let property = check(variable) { properties.append(property) }
    }
    // A property with a problem is missing in the list.
    if isRoot, problems.isEmpty { checkPaths(of: declaration, properties) }
    return EntitySyntax(
      declaration: declaration, arguments: attribute?.arguments,
      superentity: isRoot ? nil : superclass, properties: properties)
  }

  /// Checks a variable.
  ///
  /// - Returns: The property; `nil` if the variable is not a property, or has a problem.
  mutating func check(_ variable: VariableSyntax) -> PropertySyntax? {
    let markers = variable.markers
    if variable.isIgnored { return nil }
    if variable.accessors == .computed {
      if let marker = markers.first {
        report(
          "\(variable.plainName) is computed and not stored: remove @\(marker.plainName).",
          at: marker.range,
          .removing("@\(marker.plainName)", at: marker.range))
      }
      return nil
    }
    let count = problems.count
    checkForm(variable)
    checkOptions(variable)
    guard let type = variable.type else {
      reportMissingType(variable)
      return nil
    }
    let role = checkRole(markers)
    checkType(type, role, variable, markers)
    checkDefault(type, role, variable)
    guard problems.count == count else { return nil }
    let arguments = [["Relationship", "Derived", "Fetched"], ["Attribute"]].compactMap { names in
      markers.first { names.contains($0.plainName) }
    }
    return PropertySyntax(
      variable: variable, role: role,
      arguments: arguments.compactMap { marker in
        // The first argument of a derived attribute is its expression, not a name.
        marker.plainName == "Derived"
          ? marker.arguments?.text
          : NamedArguments(marker.arguments).others?.withoutLabel("deleteRule")
      }, isUnique: markers.contains { $0.plainName == "Unique" })
  }

  mutating func report(
    _ message: String, at range: Range<Int>, _ fix: SourceProblem.Fix? = nil
  ) {
    problems.append(SourceProblem(message, at: range, fix: fix))
  }

  // MARK: Form of the declaration

  private mutating func checkForm(_ variable: VariableSyntax) {
    let name = variable.plainName
    if variable.keyword.text == "let" {
      report(
        "A property of an entity must be a variable: write var \(name).",
        at: variable.keyword.range,
        .writing("var", at: variable.keyword.range))
    }
    if case .observers(let range) = variable.accessors {
      report(
        "A property of an entity can't have observers. Write a computed property that sets it, or observe changes with FetchedResults.",
        at: range, .removing("the observers", at: range))
    }
    if let given = variable.modelName, given.text.contains("\\") || given.text.hasPrefix("\"\"") {
      report("Write the name as a string literal without escapes.", at: given.range)
    }
    if variable.isConditional {
      report(
        "A property of an entity can't be in #if: the model would depend on the build.",
        at: variable.name.range)
    }
    for modifier in variable.modifiers {
      let word = modifier.text
      if ["lazy", "weak"].contains(word) || word.hasPrefix("unowned") {
        report(
          "A property of an entity can't be \(word): its value is in the store.",
          at: modifier.range, .removing(word, at: modifier.range))
      }
    }
  }

  private mutating func reportMissingType(_ variable: VariableSyntax) {
    let end = variable.name.range.upperBound
    let typeName: String? =
      switch variable.initialValue.flatMap({ LiteralKind($0.text) }) {
      case .text: "String"
      case .whole: "Int"
      case .real: "Double"
      case .boolean: "Bool"
      case .some(.none): nil
      case nil: variable.initialValue?.leadingTypeName
      }
    report(
      typeName.map {
        "The type of \(variable.plainName) is missing: write var \(variable.name.text): \($0)."
      } ?? "The type of \(variable.plainName) is missing: write it after the name and a colon.",
      at: variable.name.range,
      typeName.map { .init(message: "Add ': \($0)'", range: end..<end, text: ": \($0)") })
  }

  // MARK: Markers

  private mutating func checkRole(_ markers: [AttributeSyntax]) -> PropertySyntax.Role {
    var role = PropertySyntax.Role.plain
    var chosen: AttributeSyntax?
    for marker in markers {
      let next: PropertySyntax.Role
      switch marker.plainName {
      case "Relationship": next = .relationship
      case "Transient": next = .transient
      case "Derived": next = .derived
      case "Fetched": next = .fetched
      default: continue
      }
      let both = [chosen?.plainName, marker.plainName]
      if both.contains("Relationship"), both.contains("Transient") {
        role = .transient
        continue
      }
      if let chosen {
        report(
          "A property can't be both @\(chosen.plainName) and @\(marker.plainName): remove one of them.",
          at: marker.range)
      }
      (role, chosen) = (next, marker)
    }
    for marker in markers where role != .plain {
      let isWrong =
        switch (marker.plainName, role) {
        case ("Attribute", .relationship), ("Attribute", .fetched): true
        case ("Unique", .relationship), ("Unique", .transient), ("Unique", .fetched): true
        default: false
        }
      if isWrong, let chosen {
        report(
          "@\(marker.plainName) can't be combined with @\(chosen.plainName): remove one of them.",
          at: marker.range)
      }
    }
    return role
  }

  // MARK: Types

  private mutating func checkType(
    _ type: TypeSyntax, _ role: PropertySyntax.Role, _ variable: VariableSyntax,
    _ markers: [AttributeSyntax]
  ) {
    let name = variable.plainName
    let range = type.source.range
    switch type.shape {
    case .tuple, .function, .existential:
      report(
        "Quire can't store values of the type \(type.source.text). Declare a structure that conforms to CodableValue, and use it for \(name).",
        at: range)
    case .implicitlyUnwrapped:
      let plain = String(type.source.text.dropLast())
      report(
        "A property of an entity must be optional or required: write \(plain)? or \(plain).",
        at: range,
        .writing(plain + "?", at: range))
    case .optional(.optional):
      report("An optional of an optional can't be stored.", at: range)
    case .optional(.array(let element)) where !element.isKnownValue && !variable.hasAttributeMarker,
      .optional(.related(let element)):
      let many = element.many
      report(
        "A relationship to many objects can be empty but not nil: write \(many).", at: range,
        .writing(many, at: range))
    case .array(let element)
    where !element.isKnownValue && markers.contains { $0.plainName == "Relationship" },
      .set(let element) where !element.isKnownValue:
      let many = element.many
      report(
        "A relationship to many objects is read in place, and not as \(type.source.text): write \(many).",
        at: range, .writing(many, at: range))
    case .array(let element), .related(let element), .set(let element),
      .optional(.array(let element)), .optional(.set(let element)):
      checkMany(element, type, role, variable)
    case .named, .optional, .dictionary: checkOne(type, role, markers)
    }
  }

  private mutating func checkMany(
    _ element: TypeSyntax.Shape, _ type: TypeSyntax, _ role: PropertySyntax.Role,
    _ variable: VariableSyntax
  ) {
    let range = type.source.range
    if case .set = type.shape.unwrapped {
      let list = "[\(element.bareName ?? "Element")]"
      report(
        "The elements of \(type.source.text) have no order, so that one value has many texts: write \(list).",
        at: range, .writing(list, at: range))
      return
    }
    guard role == .plain, !type.shape.isKnownList, !variable.hasAttributeMarker,
      let destination = element.bareName
    else { return }
    let start = variable.range.lowerBound
    report(
      "The inverse of \(variable.plainName) is missing: write @Relationship(inverse: \\\(destination).…), or @Relationship if \(destination) names \(variable.plainName) as an inverse. If \(destination) is a type of values, write @Attribute.",
      at: variable.name.range,
      .init(
        message: "Add @Relationship", range: start..<start,
        text: "@Relationship(inverse: \\\(destination).<#inverse#>) "))
  }

  private mutating func checkOne(
    _ type: TypeSyntax, _ role: PropertySyntax.Role, _ markers: [AttributeSyntax]
  ) {
    if case .dictionary = type.shape { return }
    if role == .fetched {
      let element = type.shape.bareName ?? "Element"
      report(
        "A fetched property must be an array of objects: write [\(element)].",
        at: type.source.range,
        .writing("[\(element)]", at: type.source.range))
    }
    guard let marker = markers.first(where: { $0.plainName == "Relationship" }) else { return }
    let range = type.source.range
    if type.shape.isKnownValue {
      report(
        "A relationship refers to objects, but \(type.source.text) is a value: remove @Relationship.",
        at: marker.range, .removing("@Relationship", at: marker.range))
      return
    }
    let many = type.shape.many
    let isOrdered = marker.arguments.map { $0.text.filter { $0 != " " }.contains("ordered:true") }
    if isOrdered == true {
      report(
        "An ordered relationship must refer to many objects: write \(many).", at: range,
        .writing(many, at: range))
    }
  }

  // MARK: Defaults

  private mutating func checkDefault(
    _ type: TypeSyntax, _ role: PropertySyntax.Role, _ variable: VariableSyntax
  ) {
    guard let value = variable.initialValue else { return }
    if role == .derived || role == .fetched {
      report(
        "The value of \(variable.plainName) is computed, so it can't have a default.",
        at: value.range)
      return
    }
    let isEmpty = value.text == "nil" || value.text == "[]"
    if role == .relationship, !isEmpty {
      report(
        "A relationship of a new object is empty: remove the default.", at: value.range)
      return
    }
    guard let literal = LiteralKind(value.text), literal.fits(type.shape) == false else { return }
    report(
      "The default of \(variable.plainName) is not a valid \(type.source.text): \(value.text).",
      at: value.range)
  }
}

extension VariableSyntax {
  /// Whether the variable belongs to the class only, and not to the entity.
  var isIgnored: Bool { markers.contains { $0.plainName == "Ignored" } }

  /// The attributes that determine the kind of the property.
  var markers: [AttributeSyntax] {
    attributes.filter { EntityChecker.markers.contains($0.plainName) }
  }
}

extension AttributeSyntax {
  /// The name without the module.
  var plainName: String { name.text.split(separator: ".").last.map(String.init) ?? "" }
}
