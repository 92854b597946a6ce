extension StoreError {
  /// The number that Core Data or Foundation gives to such a failure in the domain `NSCocoaErrorDomain`.
  ///
  /// A failure without its own number has 134060, `NSCoreDataError`. `docs/from-core-data.md` lists all numbers.
  public var cocoaCode: Int {
    switch code {
    case .notFound: 260  // NSFileReadNoSuchFileError
    case .exists: 516  // NSFileWriteFileExistsError
    case .notAStore, .damaged: 259  // NSFileReadCorruptFileError
    case .newerFormat, .badPlugin: 134000  // NSPersistentStoreInvalidTypeError
    case .readOnly: 513  // NSFileWriteNoPermissionError
    case .locked: 255  // NSFileLockingError
    case .conflict, .overtaken: 134050  // NSPersistentStoreSaveConflictsError
    case .incompatibleModel: 134100  // NSPersistentStoreIncompatibleVersionHashError
    case .badChange: 134030  // NSPersistentStoreSaveError
    case .uncertain: 134040  // NSPersistentStoreIncompleteSaveError
    case .cancelled: 3072  // NSUserCancelledError
    case .notSupported: 134091  // NSPersistentStoreUnsupportedRequestTypeError
    case .inputOutput, .closed, .failed: 134070  // NSPersistentStoreOperationError
    default: 134060  // NSCoreDataError
    }
  }
}
