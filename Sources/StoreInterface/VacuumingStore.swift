/// A store that can free the space which neither its objects nor its commits need.
public protocol VacuumingStore: Store {
  /// Frees unused space. The objects and the listed commits stay. Snapshots that were read earlier stay readable.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  func vacuum() throws
}
