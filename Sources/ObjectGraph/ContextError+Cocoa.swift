import ObjectModel
import StoreInterface

extension ContextError {
  /// The number that Core Data gives to such a failure in the domain `NSCocoaErrorDomain`.
  ///
  ///     do { try context.save() } catch let error as ContextError where error.cocoaCode == 133021 {
  ///       print(error.constraintConflicts)
  ///     }
  ///
  /// A failure without its own number has the number of its cause, or 134060, `NSCoreDataError`.
  /// `docs/from-core-data.md` lists all numbers.
  public var cocoaCode: Int {
    switch code {
    // Core Data has one number for several failures of a save, and else the number of the only failure.
    case .validation where failures.count == 1 && constraintConflicts.isEmpty:
      failures[0].cocoaCode
    case .validation: 1560  // NSValidationMultipleErrorsError
    case .conflict where conflicts.isEmpty && !constraintConflicts.isEmpty:
      133021  // NSManagedObjectConstraintMergeError
    case .conflict: 133020  // NSManagedObjectMergeError
    case .incompatibleModel: 134100  // NSPersistentStoreIncompatibleVersionHashError
    case .noObject: 133000  // NSManagedObjectReferentialIntegrityError
    case .crossStore: 133010  // NSManagedObjectExternalRelationshipError
    case .historyExpired: 134301  // NSPersistentHistoryTokenExpiredError
    default: (cause as? StoreError)?.cocoaCode ?? 134060  // NSCoreDataError
    }
  }
}

extension ValidationFailure {
  /// The number that Core Data gives to such a failure in the domain `NSCocoaErrorDomain`; the number of the model if the
  /// model defines one for the broken predicate.
  public var cocoaCode: Int {
    if let code { return code }
    switch (rule, value) {
    case (.required, _): return 1570  // NSValidationMissingMandatoryPropertyError
    case (.tooFewObjects, _): return 1580  // NSValidationRelationshipLacksMinimumCountError
    case (.tooManyObjects, _): return 1590  // NSValidationRelationshipExceedsMaximumCountError
    case (.deletionDenied, _): return 1600  // NSValidationRelationshipDeniedDeleteError
    case (.maximum, .date?): return 1630  // NSValidationDateTooLateError
    case (.minimum, .date?): return 1640  // NSValidationDateTooSoonError
    case (.maximum, .string?): return 1660  // NSValidationStringTooLongError
    case (.minimum, .string?): return 1670  // NSValidationStringTooShortError
    case (.maximum, _): return 1610  // NSValidationNumberTooLargeError
    case (.minimum, _): return 1620  // NSValidationNumberTooSmallError
    case (.pattern, _): return 1680  // NSValidationStringPatternMatchingError
    // Core Data has no rule for precision.
    case (.precision, _): return 1550  // NSManagedObjectValidationError
    case (.predicate, _), (.custom, _): return 1550  // NSManagedObjectValidationError
    }
  }
}
