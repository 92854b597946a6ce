import ObjectModel
import ObjectQuery
import PropertyLists

// Predicates and expressions in the form of Foundation's archives.

extension ArchiveWriter {
  /// Returns the archived predicate of a text; nothing when the text is not a plain predicate.
  mutating func predicate(_ text: String?) -> PropertyList {
    text.flatMap(Self.plain).map { archived($0) } ?? KeyedArchiveWriter.nothing
  }

  /// Returns the predicate of a text; `nil` if archives can't contain it here, such as a call of a function.
  private static func plain(_ text: String) -> QueryPredicate? {
    guard let predicate = try? QueryPredicate(text), predicate.isPlain else { return nil }
    return predicate
  }

  /// Returns the predicates for an attribute's values, and the error number or message of each failure.
  mutating func validation(
    of attribute: Attribute, notes: inout [String: String]
  ) -> (predicates: [PropertyList], warnings: [PropertyList]) {
    let validation = attribute.validation
    let kind = attribute.type
    let measured: QueryExpression = kind == .string ? .path("length") : .evaluatedObject
    var predicates: [PropertyList] = []
    var warnings: [PropertyList] = []
    if !validation.minimum.isNull {
      let bound = constant(value(validation.minimum))
      predicates.append(comparison(expression(measured), .greaterThanOrEqual, bound))
      warnings.append(archive.add(.integer(kind == .string ? 1670 : kind == .date ? 1640 : 1620)))
    }
    if !validation.maximum.isNull {
      let bound = constant(value(validation.maximum))
      predicates.append(comparison(expression(measured), .lessThanOrEqual, bound))
      warnings.append(archive.add(.integer(kind == .string ? 1660 : kind == .date ? 1630 : 1610)))
    }
    if let pattern = validation.pattern {
      let pattern = constant(archive.text(pattern))
      predicates.append(comparison(expression(.evaluatedObject), .matches, pattern))
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
      predicates.append(archived(Self.plain(other.predicate) ?? .constant(true)))
      warnings.append(
        other.message.map { archive.text($0) }
          ?? archive.add(.integer(other.code.map { Int64($0) } ?? Self.usualCode)))
    }
  }

  /// Returns the archived expression of a derived attribute; nothing when the expression cannot be derived.
  mutating func derivation(_ derivation: Attribute.Derivation) -> PropertyList {
    switch derivation.form {
    case .now: function("now", [])
    case .value(let path): expression(.keyPath(of: .evaluatedObject, path))
    case .function(let function, let path):
      self.function("\(function):", [expression(.keyPath(of: .evaluatedObject, path))])
    case nil: KeyedArchiveWriter.nothing
    }
  }

  private mutating func archived(_ predicate: QueryPredicate) -> PropertyList {
    switch predicate {
    case .constant(let isTrue): archive.add(isTrue ? .truePredicate : .falsePredicate, [:])
    case .not(let part): compound(0, [part])
    case .and(let parts): compound(1, parts)
    case .or(let parts): compound(2, parts)
    case .comparison(let comparison):
      self.comparison(
        expression(comparison.left), comparison.operation, expression(comparison.right),
        comparison.modifier,
        options: (comparison.options.contains(.caseInsensitive) ? 1 : 0)
          | (comparison.options.contains(.diacriticInsensitive) ? 2 : 0))
    }
  }

  private mutating func compound(_ kind: Int64, _ parts: [QueryPredicate]) -> PropertyList {
    archive.add(
      .compoundPredicate,
      [
        "NSCompoundPredicateType": .integer(kind),
        "NSSubpredicates": archive.array(parts.map { archived($0) }),
      ])
  }

  private mutating func comparison(
    _ left: PropertyList, _ operation: QueryPredicate.Operator, _ right: PropertyList,
    _ modifier: QueryPredicate.Modifier = .direct, options: Int64 = 0
  ) -> PropertyList {
    let (number, archivedClass) = operation.archived
    var fields: [String: PropertyList] = [
      "NSOperatorType": .integer(number),
      "NSModifier": .integer(modifier == .direct ? 0 : modifier == .all ? 1 : 2),
    ]
    // Each class of operators has its own field name for the options about case and diacritics.
    switch operation {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      fields["NSVariant"] = .integer(number)
      fields["NSOptions"] = .integer(options)
    case .equal, .notEqual:
      fields["NSNegate"] = .boolean(operation == .notEqual)
      fields["NSOptions"] = .integer(options)
    case .beginsWith, .endsWith:
      fields["NSPosition"] = .integer(operation == .beginsWith ? 0 : 1)
      fields["NSFlags"] = .integer(options)
    case .matches, .like, .in, .contains: fields["NSFlags"] = .integer(options)
    case .between, .text: break
    }
    return archive.add(
      .comparisonPredicate,
      [
        "NSLeftExpression": left, "NSRightExpression": right,
        "NSPredicateOperator": archive.add(archivedClass, fields),
      ])
  }

  private mutating func expression(_ expression: QueryExpression) -> PropertyList {
    switch expression {
    case .variable(let name):
      archive.add(
        .variableExpression, ["NSExpressionType": .integer(2), "NSVariable": archive.text(name)])
    case .keyPath(of: let start, let path):
      keyPath(
        path.joined(separator: "."), of: self.expression(start),
        kind: start == .evaluatedObject ? 3 : 4)
    case .constant(let value): constant(self.value(value))
    case .aggregate(let members):
      archive.add(
        .aggregateExpression,
        [
          "NSExpressionType": .integer(14),
          "NSCollection": archive.array(members.map { self.expression($0) }),
        ])
    // Only `SELF` is left, because `isPlain` refuses all further kinds of expressions.
    default: archive.add(.selfExpression, ["NSExpressionType": .integer(1)])
    }
  }

  private mutating func constant(_ value: PropertyList) -> PropertyList {
    archive.add(
      .constantValueExpression, ["NSExpressionType": .integer(0), "NSConstantValue": value])
  }

  /// Returns the archived value at the end of a path. The kind records whether the path begins at the object itself.
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

extension QueryPredicate {
  /// Whether archives have a form for every part of the predicate here: comparisons of paths, variables and constants.
  fileprivate var isPlain: Bool {
    switch self {
    case .constant: true
    case .not(let part): part.isPlain
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isPlain)
    case .comparison(let comparison):
      comparison.operation != .text && comparison.left.isPlain && comparison.right.isPlain
        && comparison.options.isSubset(of: [.caseInsensitive, .diacriticInsensitive])
    }
  }
}

extension QueryExpression {
  fileprivate var isPlain: Bool {
    switch self {
    case .constant, .evaluatedObject, .variable: true
    case .aggregate(let members): members.allSatisfy(\.isPlain)
    case .keyPath(of: .evaluatedObject, _), .keyPath(of: .variable, _): true
    default: false
    }
  }
}

extension QueryPredicate.Operator {
  /// The number and the class of the operator in archives. `TEXT` does not exist in archives.
  fileprivate var archived: (number: Int64, class: ArchivedClass) {
    switch self {
    case .lessThan: (0, .comparisonOperator)
    case .lessThanOrEqual: (1, .comparisonOperator)
    case .greaterThan: (2, .comparisonOperator)
    case .greaterThanOrEqual: (3, .comparisonOperator)
    case .equal: (4, .equalityOperator)
    case .notEqual: (5, .equalityOperator)
    case .matches: (6, .matchingOperator)
    case .like: (7, .likeOperator)
    case .beginsWith: (8, .substringOperator)
    case .endsWith: (9, .substringOperator)
    case .in: (10, .inOperator)
    case .contains, .text: (99, .inOperator)
    case .between: (100, .betweenOperator)
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
