// SAFETY: Rows are those of the draft, and its columns are not written while they are checked.

import Foundation
package import ObjectModel
import Rows

/// What the model asks of an entity's objects, so that a draft is checked column by column and only what
/// fails is looked at object by object.
struct ValidationPlan: @unchecked Sendable {
  // Sendable: regular expressions are immutable.
  private let attributes: [AttributeCheck]
  let relationships: [GraphProperty]

  fileprivate struct AttributeCheck {
    let attribute: Attribute
    let column: Int
    let kind: ColumnKind
    let isRequired: Bool
    let pattern: NSRegularExpression?

    var isNeeded: Bool {
      isRequired || attribute.validation != Attribute.Validation()
    }
  }

  init(_ properties: [GraphProperty], _ layout: Layout) {
    attributes = properties.compactMap { property in
      guard case .attribute(let attribute, let column) = property.place else { return nil }
      let pattern = ValidationPlan.pattern(of: attribute)
      let check = AttributeCheck(
        attribute: attribute, column: column, kind: layout.columns[column].kind,
        isRequired: !attribute.isOptional && attribute.derivation == nil, pattern: pattern)
      return check.isNeeded ? check : nil
    }
    relationships = properties.filter { property in
      property.relationship.map(ValidationPlan.counts) ?? false
    }
  }

  /// What whole texts are held against.
  fileprivate static func pattern(of attribute: Attribute) -> NSRegularExpression? {
    attribute.validation.pattern.flatMap {
      try? NSRegularExpression(pattern: "\\A(?:\($0))\\z")
    }
  }

  /// Whether it matters to how many objects a relationship leads.
  static func counts(_ relationship: Relationship) -> Bool {
    !relationship.isTransient && relationship.limitsCount
  }

  /// Whether some row of a draft may have a value that is not right.
  func mayFail(_ draft: Draft) -> Bool {
    attributes.contains { check in
      guard let raw = unsafe draft.raw(check.column) else {
        // New rows have a column once there is a row.
        return draft.role == .insertions
      }
      for row in 0..<draft.rowCount {
        guard unsafe raw.isGiven(row) else { continue }
        if unsafe raw.isNull(row) {
          if check.isRequired { return true }
          continue
        }
        if unsafe !check.isSurelyRight(raw, row) { return true }
      }
      return false
    }
  }

  /// What is wrong with the attributes of an object.
  func failures(of object: ManagedObject) -> [ValidationFailure] {
    attributes.compactMap { check in
      let value = object.source.value(check.column, Int(object.row))
      return check.problem(with: value).map { rule, message in
        object.failure(check.attribute.name, value, rule, message)
      }
    }
  }
}

extension ValidationPlan.AttributeCheck {
  /// Whether a value is right without a closer look.
  @inline(__always)
  @unsafe fileprivate func isSurelyRight(_ raw: RawColumn, _ row: Int) -> Bool {
    let validation = attribute.validation
    switch unsafe (raw.kind.family, validation.minimum, validation.maximum) {
    case (_, .null, .null): return pattern == nil
    case (.integers, let least, let greatest):
      let number = unsafe raw.integer(row)
      if case .integer(let bound) = least, number < bound { return false }
      if case .integer(let bound) = greatest, number > bound { return false }
      return true
    case (.reals, let least, let greatest):
      let number = unsafe raw.double(row)
      if let bound = least.realNumber, !(number >= bound) { return false }
      if let bound = greatest.realNumber, !(number <= bound) { return false }
      return true
    case (.bytes, let least, let greatest):
      guard pattern == nil, unsafe raw.kind.isText else { return false }
      // As many bytes as characters at least.
      let bytes = unsafe raw.bytes(row)
      if case .integer(let bound) = least, bound > 0, unsafe !bytes.surelyHave(bound) {
        return false
      }
      if case .integer(let bound) = greatest, bytes.count > Int(bound) { return false }
      return true
    }
  }

  fileprivate func problem(with value: Value) -> (ValidationFailure.Rule, String)? {
    if value.isNull {
      return isRequired ? (.required, "\"\(attribute.name)\" must have a value.") : nil
    }
    let validation = attribute.validation
    let isText = attribute.type == .string
    var measured = value
    var what = "\"\(attribute.name)\" is \(value.text)"
    if isText, case .string(let text) = value {
      measured = .integer(Int64(text.count))
      what += " of \(text.count) characters"
    }
    // What has no order, such as "not a number", is within no bounds.
    if !validation.minimum.isNull, measured.order(comparedTo: validation.minimum) ?? -1 < 0 {
      return (.minimum, "\(what), and must be at least \(validation.minimum.text).")
    }
    if !validation.maximum.isNull, measured.order(comparedTo: validation.maximum) ?? 1 > 0 {
      return (.maximum, "\(what), and must be at most \(validation.maximum.text).")
    }
    if let pattern, case .string(let text) = value,
      pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) == nil
    {
      return (
        .pattern, "\(what), which does not match the pattern \(validation.pattern ?? "")."
      )
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a text in UTF-8 is known to have so many characters at least. One that is not empty has one. A
  /// character may have any number of bytes, but each of ASCII begins one, if it is no part of an end of line.
  fileprivate func surelyHave(_ characters: Int64) -> Bool {
    guard count >= characters else { return false }
    if characters == 1 { return true }
    return unsafe prefix(Int(characters)).allSatisfy { $0 < 0x80 && $0 != 0x0D }
  }
}

/// What the model asks of the values of one attribute, for whoever has values and no objects.
package struct ValueCheck: @unchecked Sendable {
  // Sendable: regular expressions are immutable.
  private let check: ValidationPlan.AttributeCheck

  /// The check of an attribute.
  package init(_ attribute: Attribute, isRequired: Bool) {
    check = ValidationPlan.AttributeCheck(
      attribute: attribute, column: 0, kind: .string, isRequired: isRequired,
      pattern: ValidationPlan.pattern(of: attribute))
  }

  /// Returns the rule that a value breaks, with a sentence about it; `nil` if the value is valid.
  package func failure(of value: Value) -> (rule: ValidationFailure.Rule, message: String)? {
    check.isNeeded ? check.problem(with: value).map { ($0.0, $0.1) } : nil
  }

  /// What is wrong with a value, in a sentence; `nil` if nothing is.
  package func problem(with value: Value) -> String? {
    check.isNeeded ? check.problem(with: value)?.1 : nil
  }
}

extension ManagedObject {
  /// Something that is wrong with the object.
  final func failure(
    _ key: String?, _ value: Value?, _ rule: ValidationFailure.Rule, _ message: String,
    cause: (any Error)? = nil
  ) -> ValidationFailure {
    ValidationFailure(
      object: objectID, entity: source.entity.graph.name, key: key, value: value, rule: rule,
      message: message, cause: cause)
  }
}
