import PropertyLists

// Predicates and expressions in the form of Foundation's archives.

extension ArchiveWriter {
  /// Returns the archived predicate of a text; nothing when the text is not a plain predicate.
  mutating func predicate(_ text: String?) -> PropertyList {
    text.flatMap { PlainPredicate($0) }.map { archived($0) } ?? KeyedArchiveWriter.nothing
  }

  /// Returns the predicates for an attribute's values, and the error number or message of each failure.
  mutating func validation(
    of attribute: Attribute, notes: inout [String: String]
  ) -> (predicates: [PropertyList], warnings: [PropertyList]) {
    let validation = attribute.validation
    let kind = attribute.type
    let measured: PlainPredicate.Expression = kind == .string ? .path("length") : .own
    var predicates: [PropertyList] = []
    var warnings: [PropertyList] = []
    if !validation.minimum.isNull {
      let bound = constant(value(validation.minimum))
      predicates.append(comparison(expression(measured), .greaterOrEqual, bound))
      warnings.append(archive.add(.integer(kind == .string ? 1670 : kind == .date ? 1640 : 1620)))
    }
    if !validation.maximum.isNull {
      let bound = constant(value(validation.maximum))
      predicates.append(comparison(expression(measured), .lessOrEqual, bound))
      warnings.append(archive.add(.integer(kind == .string ? 1660 : kind == .date ? 1630 : 1610)))
    }
    if let pattern = validation.pattern {
      let pattern = constant(archive.text(pattern))
      predicates.append(comparison(expression(.own), .matches, pattern))
      warnings.append(archive.add(.integer(1680)))
    }
    add(validation.predicates, to: &predicates, &warnings, notes: &notes)
    return (predicates, warnings)
  }

  /// The usual error number of a value that does not meet a predicate.
  static let usualCode: Int64 = 1550

  /// Returns the name of the note with the text of the predicate at the given place.
  static func predicateNote(_ place: Int) -> String { "validation\(place)" }

  /// Adds validation predicates, with the message or the number of each.
  ///
  /// A predicate that is not plain is archived as an always true predicate. Its text is in the notes.
  mutating func add(
    _ others: [ValidationPredicate], to predicates: inout [PropertyList],
    _ warnings: inout [PropertyList], notes: inout [String: String]
  ) {
    for other in others {
      notes[Self.predicateNote(predicates.count)] = other.predicate
      predicates.append(archived(PlainPredicate(other.predicate) ?? .constant(true)))
      warnings.append(
        other.message.map { archive.text($0) }
          ?? archive.add(.integer(other.code.map { Int64($0) } ?? Self.usualCode)))
    }
  }

  /// Returns the archived expression of a derived attribute; nothing when the expression cannot be derived.
  mutating func derivation(_ derivation: Attribute.Derivation) -> PropertyList {
    switch derivation.form {
    case .now: function("now", [])
    case .value(let path): expression(.path(path.joined(separator: ".")))
    case .function(let function, let path):
      self.function("\(function):", [expression(.path(path.joined(separator: ".")))])
    case nil: KeyedArchiveWriter.nothing
    }
  }

  private mutating func archived(_ predicate: PlainPredicate) -> PropertyList {
    switch predicate {
    case .constant(let isTrue): archive.add(isTrue ? .truePredicate : .falsePredicate, [:])
    case .not(let part): compound(0, [part])
    case .all(let parts): compound(1, parts)
    case .any(let parts): compound(2, parts)
    case .comparison(let comparison):
      self.comparison(
        expression(comparison.left), comparison.comparator, expression(comparison.right),
        comparison.quantifier,
        options: (comparison.ignoresCase ? 1 : 0) | (comparison.ignoresDiacritics ? 2 : 0))
    }
  }

  private mutating func compound(_ kind: Int64, _ parts: [PlainPredicate]) -> PropertyList {
    archive.add(
      .compoundPredicate,
      [
        "NSCompoundPredicateType": .integer(kind),
        "NSSubpredicates": archive.array(parts.map { archived($0) }),
      ])
  }

  private mutating func comparison(
    _ left: PropertyList, _ comparator: PlainPredicate.Comparator, _ right: PropertyList,
    _ quantifier: PlainPredicate.Quantifier = .none, options: Int64 = 0
  ) -> PropertyList {
    var fields: [String: PropertyList] = [
      "NSOperatorType": .integer(comparator.rawValue),
      "NSModifier": .integer(quantifier.rawValue),
    ]
    // Each class of operators has its own field name for the options about case and diacritics.
    switch comparator {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      fields["NSVariant"] = .integer(comparator.rawValue)
      fields["NSOptions"] = .integer(options)
    case .equal, .unequal:
      fields["NSNegate"] = .boolean(comparator == .unequal)
      fields["NSOptions"] = .integer(options)
    case .beginsWith, .endsWith:
      fields["NSPosition"] = .integer(comparator == .beginsWith ? 0 : 1)
      fields["NSFlags"] = .integer(options)
    case .matches, .like, .isIn, .contains: fields["NSFlags"] = .integer(options)
    case .between: break
    }
    return archive.add(
      .comparisonPredicate,
      [
        "NSLeftExpression": left, "NSRightExpression": right,
        "NSPredicateOperator": archive.add(comparator.archivedClass, fields),
      ])
  }

  private mutating func expression(_ expression: PlainPredicate.Expression) -> PropertyList {
    switch expression {
    case .own: archive.add(.selfExpression, ["NSExpressionType": .integer(1)])
    case .path(let path): keyPath(path, of: self.expression(.own), kind: 3)
    case .variable(let name):
      archive.add(
        .variableExpression, ["NSExpressionType": .integer(2), "NSVariable": archive.text(name)])
    case .variablePath(let name, let path):
      keyPath(path, of: self.expression(.variable(name)), kind: 4)
    case .nothing: constant(KeyedArchiveWriter.nothing)
    case .boolean(let value): constant(archive.add(.boolean(value)))
    case .integer(let value): constant(archive.add(.integer(value)))
    case .real(let value): constant(archive.add(.real(value)))
    case .text(let value): constant(archive.text(value))
    case .list(let members):
      archive.add(
        .aggregateExpression,
        [
          "NSExpressionType": .integer(14),
          "NSCollection": archive.array(members.map { self.expression($0) }),
        ])
    }
  }

  private mutating func constant(_ value: PropertyList) -> PropertyList {
    archive.add(
      .constantValueExpression, ["NSExpressionType": .integer(0), "NSConstantValue": value])
  }

  /// Returns the archived value at the end of a path. The kind states whether the path begins at the object itself.
  private mutating func keyPath(
    _ path: String, of operand: PropertyList, kind: Int64
  ) -> PropertyList {
    let specifier = archive.add(
      .keyPathSpecifierExpression,
      ["NSExpressionType": .integer(10), "NSKeyPath": archive.text(path)])
    let isSimple = kind == 3 && !path.contains(".")
    return archive.add(
      .keyPathExpression,
      [
        "NSExpressionType": .integer(kind), "NSOperand": operand,
        "NSSelectorName": archive.text(isSimple ? "valueForKey:" : "valueForKeyPath:"),
        "NSArguments": archive.array([specifier], as: .mutableArray),
      ])
  }

  /// Returns a call of one of the predefined functions of predicates.
  private mutating func function(_ name: String, _ arguments: [PropertyList]) -> PropertyList {
    let library = archive.add(
      .constantValueExpression,
      [
        "NSExpressionType": .integer(0),
        "NSConstantValueClassName": archive.text("_NSPredicateUtilities"),
      ])
    return archive.add(
      .functionExpression,
      [
        "NSExpressionType": .integer(4), "NSOperand": library,
        "NSSelectorName": archive.text(name),
        "NSArguments": archive.array(arguments, as: .mutableArray),
      ])
  }
}

extension PlainPredicate.Comparator {
  fileprivate var archivedClass: ArchivedClass {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparisonOperator
    case .equal, .unequal: .equalityOperator
    case .matches: .matchingOperator
    case .like: .likeOperator
    case .beginsWith, .endsWith: .substringOperator
    case .isIn, .contains: .inOperator
    case .between: .betweenOperator
    }
  }
}

extension ArchivedClass {
  fileprivate static let truePredicate = ArchivedClass("NSTruePredicate", "NSPredicate")
  fileprivate static let falsePredicate = ArchivedClass("NSFalsePredicate", "NSPredicate")
  fileprivate static let compoundPredicate = ArchivedClass("NSCompoundPredicate", "NSPredicate")
  fileprivate static let comparisonPredicate = ArchivedClass(
    "NSComparisonPredicate", "NSPredicate")

  fileprivate static let comparisonOperator = ArchivedClass(
    "NSComparisonPredicateOperator", "NSPredicateOperator")
  fileprivate static let equalityOperator = ArchivedClass(
    "NSEqualityPredicateOperator", "NSPredicateOperator")
  fileprivate static let inOperator = ArchivedClass("NSInPredicateOperator", "NSPredicateOperator")
  fileprivate static let betweenOperator = ArchivedClass(
    "NSBetweenPredicateOperator", "NSPredicateOperator")
  fileprivate static let substringOperator = ArchivedClass(
    "NSSubstringPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator")
  fileprivate static let matchingOperator = ArchivedClass(
    "NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator")
  fileprivate static let likeOperator = ArchivedClass(
    "NSLikePredicateOperator", "NSMatchingPredicateOperator", "NSStringPredicateOperator",
    "NSPredicateOperator")

  fileprivate static let constantValueExpression = ArchivedClass(
    "NSConstantValueExpression", "NSExpression")
  fileprivate static let selfExpression = ArchivedClass("NSSelfExpression", "NSExpression")
  fileprivate static let variableExpression = ArchivedClass("NSVariableExpression", "NSExpression")
  fileprivate static let keyPathSpecifierExpression = ArchivedClass(
    "NSKeyPathSpecifierExpression", "NSExpression")
  fileprivate static let keyPathExpression = ArchivedClass(
    "NSKeyPathExpression", "NSFunctionExpression", "NSExpression")
  fileprivate static let functionExpression = ArchivedClass("NSFunctionExpression", "NSExpression")
  fileprivate static let aggregateExpression = ArchivedClass(
    "NSAggregateExpression", "NSExpression")
}
