// SAFETY: Row indexes are within the draft, and its columns are not written while they are checked.

import Foundation
package import ObjectModel
import ObjectQuery
import Rows
import TextMatching

/// The validation rules of an entity's objects. Drafts are checked column by column, and only failing drafts object by
/// object.
struct ValidationPlan: Sendable {
  private let attributes: [AttributeCheck]
  let relationships: [GraphProperty]
  /// The column of each of ``relationships`` that is a required reference; `nil` for the others.
  let requiredColumns: [Int?]
  /// The relationships whose delete rule denies the deletion of an object, by their positions among the properties.
  let denyingRelationships: [Int]
  /// The predicates of relationships and composite attributes, which are evaluated on whole objects.
  let propertyPredicates: [(property: String, check: PropertyCheck)]
  /// The checks of transient attributes. No draft contains their values.
  private let transients: [AttributeCheck]

  fileprivate struct AttributeCheck: Sendable {
    let attribute: Attribute
    let column: Int
    let kind: ColumnKind
    let isRequired: Bool
    let pattern: RegularPattern?
    let predicates: [ValuePredicate]
    private let bounds: ColumnBounds

    init(_ attribute: Attribute, column: Int, kind: ColumnKind, isRequired: Bool) {
      self.attribute = attribute
      self.column = column
      self.kind = kind
      self.isRequired = isRequired
      pattern = ValidationPlan.pattern(of: attribute)
      predicates = attribute.validation.predicates.map { ValuePredicate($0, of: attribute) }
      bounds =
        predicates.isEmpty
        ? ColumnBounds(attribute.validation, kind, hasPattern: pattern != nil) : .unknown
    }

    var isNeeded: Bool {
      isRequired || attribute.validation != Attribute.Validation()
    }
  }

  init(_ properties: [GraphProperty], _ layout: Layout, _ model: Model, _ schema: Schema) {
    attributes = properties.compactMap { property in
      guard case .attribute(let attribute, let column) = property.place else { return nil }
      let check = AttributeCheck(
        attribute, column: column, kind: layout.columns[column].kind,
        isRequired: !attribute.isOptional && attribute.derivation == nil)
      return check.isNeeded ? check : nil
    }
    transients = properties.compactMap { property in
      guard case .transient(let attribute) = property.place else { return nil }
      let check = AttributeCheck(attribute, column: -1, kind: .string, isRequired: false)
      return check.isNeeded ? check : nil
    }
    propertyPredicates = properties.flatMap { property in
      property.wholePredicates.map {
        (property.name, PropertyCheck($0, of: property.property, layout, model, schema))
      }
    }
    denyingRelationships = properties.indices.filter {
      properties[$0].relationship?.deleteRule == .deny
    }
    relationships = properties.filter { property in
      property.relationship.map(ValidationPlan.counts) ?? false
    }
    requiredColumns = relationships.map { property in
      guard case .toOne(let toOne) = property.place, !toOne.relationship.isOptional else {
        return nil
      }
      return toOne.column
    }
  }

  /// Returns the pattern that whole texts must match; `nil` if the attribute has none.
  fileprivate static func pattern(of attribute: Attribute) -> RegularPattern? {
    attribute.validation.pattern.flatMap { try? RegularPattern($0) }
  }

  /// Whether a stored relationship limits the number of its objects or has validation predicates.
  static func counts(_ relationship: Relationship) -> Bool {
    !relationship.isTransient
      && (!relationship.validationPredicates.isEmpty || relationship.limitsCount)
  }

  /// Whether a row of a draft may have an invalid value.
  func mayFail(_ draft: Draft) -> Bool {
    attributes.indices.contains { index in
      // A missing column is unchanged in rows of changes. In inserted rows its value is missing, so the objects are
      // checked one by one.
      guard let raw = unsafe draft.raw(attributes[index].column) else {
        return draft.role == .insertions
      }
      return unsafe attributes[index].mayFail(raw, draft.rowCount)
    }
  }

  /// Whether any object needs its own check, besides the check of its stored attributes.
  var checksObjects: Bool {
    !transients.isEmpty || !relationships.isEmpty || !propertyPredicates.isEmpty
  }

  /// Returns the failures of an object's transient attributes.
  func transientFailures(of object: ManagedObject) -> [ValidationFailure] {
    transients.compactMap { check in
      let value = object[check.attribute.name]
      return check.problem(with: value).map {
        ValidationFailure(object, check.attribute.name, value, $0)
      }
    }
  }

  /// Returns the failures of an object's relationships and composite attributes that have predicates.
  func predicateFailures(of object: ManagedObject, in state: StoreState) -> [ValidationFailure] {
    propertyPredicates.compactMap { property, check in
      check.problem(with: object.key, in: state.source).map {
        ValidationFailure(object, property, nil, $0)
      }
    }
  }

  /// Returns the failures that a value for a property of an object would have.
  ///
  /// - Throws: ``ContextError`` if the value does not have the type of the attribute.
  func failures(
    of value: Value, for property: GraphProperty, of object: ManagedObject
  ) throws -> [ValidationFailure] {
    let problem: ValueProblem?
    switch property.place {
    case .attribute(let attribute, _), .transient(let attribute):
      guard attribute.type.accepts(value) else {
        throw ContextError.wrongType(value, attribute, of: object.source.entity.graph)
      }
      let check = (attributes + transients).first { $0.attribute.name == property.name }
      problem = check?.problem(with: value)
    case .toOne(let toOne) where value.isNull && !toOne.relationship.isOptional:
      problem = ValueProblem(.required, "\"\(property.name)\" must refer to an object.")
    default: problem = nil
    }
    return problem.map { [ValidationFailure(object, property.name, value, $0)] } ?? []
  }

  /// Returns the failures of an object's stored attributes.
  func failures(of object: ManagedObject) -> [ValidationFailure] {
    attributes.compactMap { check in
      let value = object.source.value(check.column, Int(object.row))
      return check.problem(with: value).map {
        ValidationFailure(object, check.attribute.name, value, $0)
      }
    }
  }
}

/// The bounds of an attribute's values, in the form of its column. A value within the bounds is valid without an exact
/// check.
private enum ColumnBounds: Sendable {
  case none
  case integers(ClosedRange<Int64>)
  case reals(Double, Double)
  /// The earliest and the latest midnight.
  case days(Double, Double)
  /// The bounds and the precision of decimal numbers.
  case decimals(Attribute.Validation)
  /// The least and the greatest number of characters.
  case text(Int64, Int)
  /// Each value needs an exact check.
  case unknown

  init(_ validation: Attribute.Validation, _ kind: ColumnKind, hasPattern: Bool) {
    let (least, greatest) = (validation.minimum, validation.maximum)
    func integer(_ value: Value) -> Int64? {
      if case .integer(let bound) = value { bound } else { nil }
    }
    let (lowest, highest) = (integer(least) ?? .min, integer(greatest) ?? .max)
    switch kind.family {
    case .reals where validation.precision == .day:
      self = .days(least.realNumber ?? -.infinity, greatest.realNumber ?? .infinity)
    case .bytes where kind == .decimal && validation.precision != nil:
      self = .decimals(validation)
    case _ where least.isNull && greatest.isNull: self = hasPattern ? .unknown : .none
    case .integers: self = lowest <= highest ? .integers(lowest...highest) : .unknown
    case .reals: self = .reals(least.realNumber ?? -.infinity, greatest.realNumber ?? .infinity)
    case .bytes:
      self = hasPattern || !kind.isText ? .unknown : .text(lowest, Int(clamping: highest))
    }
  }
}

extension ValidationPlan.AttributeCheck {
  /// Whether a value of a column may be invalid.
  @unsafe fileprivate func mayFail(_ raw: RawColumn, _ rowCount: Int) -> Bool {
    switch bounds {
    case .none:
      guard isRequired else { return false }
      return (0..<rowCount).contains { unsafe raw.isGiven($0) && raw.isNull($0) }
    case .integers(let bounds):
      return unsafe mayFail(raw, rowCount) { row in
        let number = unsafe raw.integer(row)
        return bounds.contains(number)
      }
    case .reals(let least, let greatest):
      // "Not a number" is within no bounds.
      return unsafe mayFail(raw, rowCount) { row in
        let number = unsafe raw.double(row)
        return number >= least && number <= greatest
      }
    case .days(let least, let greatest):
      return unsafe mayFail(raw, rowCount) { row in
        let number = unsafe raw.double(row)
        return number >= least && number <= greatest && Attribute.Precision.isDay(number)
      }
    case .decimals(let validation):
      return unsafe mayFail(raw, rowCount) { row in
        let number = unsafe Value.decimal(raw.decimal(row))
        return validation.precision?.accepts(number) ?? true
          && (validation.minimum.isNull
            || number.order(comparedTo: validation.minimum).map { $0 >= 0 } ?? false)
          && (validation.maximum.isNull
            || number.order(comparedTo: validation.maximum).map { $0 <= 0 } ?? false)
      }
    case .text(let least, let greatest):
      // A text has at least as many bytes as characters, so a bound on the bytes is safe for the upper limit only.
      return unsafe mayFail(raw, rowCount) { row in
        let bytes = unsafe raw.bytes(row)
        return unsafe (least <= 0 || bytes.surelyHave(least)) && bytes.count <= greatest
      }
    case .unknown:
      return unsafe mayFail(raw, rowCount) { _ in false }
    }
  }

  /// Whether a value is missing or is not surely right.
  @inline(__always)
  @unsafe private func mayFail(
    _ raw: RawColumn, _ rowCount: Int, _ isSurelyRight: (Int) -> Bool
  ) -> Bool {
    for row in 0..<rowCount {
      guard unsafe raw.isGiven(row) else { continue }
      if unsafe raw.isNull(row) {
        if isRequired { return true }
      } else if !isSurelyRight(row) {
        return true
      }
    }
    return false
  }

  fileprivate func problem(with value: Value) -> ValueProblem? {
    if value.isNull {
      return isRequired
        ? ValueProblem(.required, "\"\(attribute.name)\" must have a value.") : nil
    }
    let validation = attribute.validation
    let isText = attribute.type == .string
    var measured = value
    let precision = validation.precision
    var what = "\"\(attribute.name)\" is \(value.text(precision))"
    if isText, case .string(let text) = value {
      measured = .integer(Int64(text.count))
      what += " of \(text.count) characters"
    }
    if let precision, !precision.accepts(value) {
      return ValueProblem(.precision, "\(what), and \(precision.rule).")
    }
    // A value without an order, such as "not a number", is within no bounds.
    if !validation.minimum.isNull, measured.order(comparedTo: validation.minimum) ?? -1 < 0 {
      return ValueProblem(
        .minimum, "\(what), and must be at least \(validation.minimum.text(precision)).")
    }
    if !validation.maximum.isNull, measured.order(comparedTo: validation.maximum) ?? 1 > 0 {
      return ValueProblem(
        .maximum, "\(what), and must be at most \(validation.maximum.text(precision)).")
    }
    if let pattern, case .string(let text) = value {
      do {
        guard try pattern.matches(text) else {
          return ValueProblem(
            .pattern, "\(what), which does not match the pattern \(pattern.text).")
        }
      } catch {
        return ValueProblem(
          .pattern,
          "\(what), and the match with the pattern \(pattern.text) takes too many steps.")
      }
    }
    for predicate in predicates {
      if let problem = predicate.problem(with: value, what, attribute.name) { return problem }
    }
    return nil
  }
}

extension GraphProperty {
  /// The predicates that are evaluated on a whole object. Predicates of simple attributes are evaluated on their
  /// values.
  fileprivate var wholePredicates: [ValidationPredicate] {
    switch place {
    case .composite(let attribute, _): attribute.validation.predicates
    case .toOne(let toOne): toOne.relationship.validationPredicates
    case .toMany(let toMany): toMany.relationship.validationPredicates
    default: []
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a UTF-8 text is known to have at least the given number of characters. Every text that is not empty has at
  /// least one character. A character may have any number of bytes, but each ASCII byte begins a character, unless it
  /// is part of a line end.
  fileprivate func surelyHave(_ characters: Int64) -> Bool {
    guard count >= characters else { return false }
    if characters == 1 { return true }
    return unsafe prefix(Int(characters)).allSatisfy { $0 < 0x80 && $0 != 0x0D }
  }
}

/// The validation rules of the values of one attribute, for callers that have values and no objects.
package struct ValueCheck: Sendable {
  private let check: ValidationPlan.AttributeCheck

  /// Creates the check of an attribute.
  package init(_ attribute: Attribute, isRequired: Bool) {
    check = ValidationPlan.AttributeCheck(
      attribute, column: 0, kind: .string, isRequired: isRequired)
  }

  /// Returns the rule that a value breaks, with a sentence about it; `nil` if the value is valid.
  package func failure(of value: Value) -> ValueProblem? {
    check.isNeeded ? check.problem(with: value) : nil
  }

  /// Returns the sentence about a value that breaks a rule; `nil` if the value is valid.
  package func problem(with value: Value) -> String? { failure(of: value)?.message }
}

extension ValidationFailure {
  /// Creates a failure of an object, for a problem with one of its values.
  init(_ object: ManagedObject, _ key: String, _ value: Value?, _ problem: ValueProblem) {
    self.init(
      object: object.objectID, entity: object.source.entity.graph.name, key: key, value: value,
      rule: problem.rule, message: problem.message, code: problem.code)
  }

  /// Creates a failure of an object, or of one of its values.
  init(
    _ object: ManagedObject, _ key: String?, _ value: Value?, _ rule: Rule, _ message: String,
    cause: (any Error)? = nil
  ) {
    self.init(
      object: object.objectID, entity: object.source.entity.graph.name, key: key, value: value,
      rule: rule, message: message, cause: cause)
  }
}
