public import ObjectModel
public import StoreInterface

/// What brings a store to another version of its model when a coordinator is given one that does not fit.
///
/// The module Migration has one; a coordinator knows no more of it.
public protocol StoreMigrator: Sendable {
  /// Brings the store at a path to a model, and to a type if one is given. Afterwards it is at the same path.
  ///
  /// - Parameters:
  ///   - configuration: The configuration whose entities the store is for; all when it is `nil`.
  /// - Throws: Why it can't be done; the store is as it was then.
  func migrateStore(
    at path: String, type: StoreType?, to model: Model, configuration: String?,
    in places: StorePlaces
  ) throws
}
