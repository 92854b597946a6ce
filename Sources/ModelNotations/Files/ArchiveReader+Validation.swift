import ObjectModel
import PropertyLists

// Compiled models also contain bounds and patterns as predicates.
extension ArchiveReader {
  /// A predicate of a property, with the text or the number of its failure.
  private struct Condition {
    var archived: ArchivedObject
    var text: String
    var warning: ArchivedObject?

    /// Returns whether a failure has only a usual error number of the given kind of rule, and no message.
    func isUsual(_ codes: [Int64]) -> Bool {
      warning.map { $0.string == nil && ($0.integer.map(codes.contains) ?? true) } ?? true
    }

    var predicate: ValidationPredicate {
      let code = warning?.integer
      return ValidationPredicate(
        text, message: warning?.string,
        code: code == ArchiveWriter.usualCode ? nil : code.map { Int($0) })
    }
  }

  private func conditions(_ archived: ArchivedObject) -> [Condition] {
    let notes = Self.notes(archived)
    let warnings = archived["NSValidationWarnings"]?.array ?? []
    return (archived["NSValidationPredicates"]?.array ?? []).enumerated().map { index, predicate in
      Condition(
        archived: predicate,
        text: notes[ArchiveWriter.predicateNote(index)] ?? ArchivedPredicate.text(predicate),
        warning: index < warnings.count ? warnings[index] : nil)
    }
  }

  /// Returns the predicates of a relationship.
  func validationPredicates(_ archived: ArchivedObject) -> [ValidationPredicate] {
    conditions(archived).map(\.predicate)
  }

  /// Returns the bounds, the pattern and the remaining predicates of an attribute.
  func validation(_ archived: ArchivedObject, of type: AttributeType) -> Attribute.Validation {
    var validation = Attribute.Validation()
    for condition in conditions(archived) where !take(condition, type, into: &validation) {
      validation.predicates.append(condition.predicate)
    }
    return validation
  }

  /// Uses a predicate as a bound or as the pattern.
  ///
  /// - Returns: Whether the predicate was used. A predicate with a custom message or error number is not, because
  ///   bounds and patterns can't keep them.
  private func take(
    _ condition: Condition, _ type: AttributeType, into validation: inout Attribute.Validation
  ) -> Bool {
    guard let comparison = ArchivedPredicate.Comparison(condition.archived), comparison.isPlain,
      let constant = comparison.constant
    else { return false }
    let isText = type == .string
    switch (comparison.left, comparison.operatorNumber) {
    case (isText ? "length" : "SELF", 3):
      let bound = value(constant, isText ? .int64 : type)
      guard validation.minimum.isNull, !bound.isNull, condition.isUsual([1620, 1640, 1670]) else {
        return false
      }
      validation.minimum = bound
    case (isText ? "length" : "SELF", 1):
      let bound = value(constant, isText ? .int64 : type)
      guard validation.maximum.isNull, !bound.isNull, condition.isUsual([1610, 1630, 1660]) else {
        return false
      }
      validation.maximum = bound
    case ("SELF", 6):
      guard isText, validation.pattern == nil, let pattern = constant.string,
        condition.isUsual([1680])
      else { return false }
      validation.pattern = pattern
    default: return false
    }
    return true
  }
}
