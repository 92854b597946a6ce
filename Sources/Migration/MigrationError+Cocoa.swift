extension MigrationError {
  /// The number that Core Data gives to such a failure in the domain `NSCocoaErrorDomain`.
  ///
  /// A failure without its own number has 134110, `NSMigrationError`. `docs/from-core-data.md` lists all numbers.
  public var cocoaCode: Int {
    switch code {
    case .noPath: 134130  // NSMigrationMissingSourceModelError
    case .notInferable: 134190  // NSInferredMappingModelError
    case .missingPolicy: 134170  // NSEntityMigrationPolicyError
    case .invalidResult where failures.isEmpty && !constraintConflicts.isEmpty:
      134111  // NSMigrationConstraintViolationError
    case .badPlace: 134160  // NSMigrationManagerDestinationStoreError
    default: 134110  // NSMigrationError
    }
  }
}
