// Problems of a class as a whole, and of the members that are not properties.
extension EntityChecker {
  /// Checks the attributes and the initializers of a class.
  mutating func checkParts(of declaration: ClassSyntax) {
    for attribute in declaration.attributes where attribute.plainName == "MainActor" {
      report(
        "An object belongs to its context, and not to an actor: remove @MainActor. The compiler refuses objects of a viewContext outside of the main actor.",
        at: attribute.range, .removing("@MainActor", at: attribute.range))
    }
    let isRequired = declaration.initializers.contains { $0.has("required") }
    for initializer in declaration.initializers
    where !isRequired && !initializer.has("convenience") {
      report(
        "Only ManagedObject makes an object: write convenience init, and call self.init() first.",
        at: initializer.keyword,
        .init(
          message: "Write convenience init", range: initializer.header.range,
          text: "convenience \(initializer.header.text)\n    self.init()"))
    }
  }

  /// Checks the key paths in `#Index`, `#Unique` and `#Inverse`. The properties of a superclass are not known here.
  mutating func checkPaths(of declaration: ClassSyntax, _ properties: [PropertySyntax]) {
    let names = properties.map(\.variable.plainName)
    let others = Set(declaration.variables.map(\.plainName)).subtracting(names)
    for expansion in declaration.expansions
    where ["Index", "Unique", "Inverse"].contains(expansion.name.text) {
      for path in expansion.arguments?.pathNames ?? [] {
        let name = path.text.filter { $0 != "`" }
        if names.contains(name) || name == "self" { continue }
        report(
          others.contains(name)
            ? "\(name) is not a stored property of \(declaration.plainName), so #\(expansion.name.text) can't name it."
            : "\(declaration.plainName) does not have the property \(name). It has: \(names.joined(separator: ", ")).",
          at: path.range)
      }
    }
  }

  /// The properties of `ManagedObject` that a subclass can't declare.
  static let reservedNames: Set<String> = [
    "description", "entity", "hasChanges", "hasPersistentChangedValues", "hashValue", "isDeleted",
    "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID", "queryExpression",
  ]

  /// Checks the name of a property of a class.
  mutating func checkName(_ variable: VariableSyntax) {
    let name = variable.plainName
    if EntityChecker.reservedNames.contains(name) {
      let range = variable.keyword.range.lowerBound..<variable.name.range.upperBound
      let isPlain = variable.attributes.isEmpty && variable.type?.shape.isKnownValue == true
      let fixed = "@Attribute(\"\(name)\") var \(name)_"
      report(
        "\(name) is a property of ManagedObject. Choose another name; \(fixed) keeps the name in the model.",
        at: variable.name.range, isPlain ? .writing(fixed, at: range) : nil)
    }
  }

  /// Checks the options in the markers of a property.
  mutating func checkOptions(_ variable: VariableSyntax) {
    for marker in variable.markers {
      for option in marker.arguments?.options ?? [] {
        switch marker.plainName {
        case "Attribute": checkOption(option.name, marker, variable)
        case "Relationship" where !EntityChecker.deleteRules.contains(option.name.text):
          report(
            "A delete rule is .cascade, .deny, .noAction or .nullify, not .\(option.name.text).",
            at: option.name.range)
        default: continue
        }
      }
    }
  }

  private static let deleteRules = ["cascade", "deny", "noAction", "nullify"]

  private mutating func checkOption(
    _ option: SourceText, _ marker: AttributeSyntax, _ variable: VariableSyntax
  ) {
    let isAlone = marker.arguments?.options.count == 1 && variable.modelName == nil
    for (spelling, macro) in [("unique", "Unique"), ("ephemeral", "Transient")]
    where option.text == spelling {
      report(
        "Write @\(macro) in place of .\(spelling).", at: option.range,
        isAlone ? .writing("@\(macro)", at: marker.range) : nil)
    }
    guard let shape = variable.type?.shape, shape.isKnownValue else { return }
    let isText = shape.bareName == "String"
    if option.text == "range", isText {
      report(
        "\(variable.plainName) is a text, and .range limits numbers and dates: write .length for its number of characters.",
        at: option.range, .writing("length", at: option.range))
    } else if option.text == "length", !isText {
      report(
        "\(variable.plainName) is not a text, and .length limits the characters of texts: write .range for its values.",
        at: option.range, .writing("range", at: option.range))
    }
    for (name, type, words) in [
      ("day", "Date", "makes days of dates"), ("places", "Decimal", "limits decimal numbers"),
    ] where option.text == name && shape.bareName != type {
      report(
        "\(variable.plainName) is not a \(type), and .\(name) \(words).",
        at: option.range)
    }
  }
}

extension InitializerSyntax {
  fileprivate func has(_ modifier: String) -> Bool { modifiers.contains { $0.text == modifier } }
}
