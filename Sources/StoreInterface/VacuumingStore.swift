/// A store that can free the space which neither its objects nor its commits need.
public protocol VacuumingStore: Store {
  /// Frees unused space. The objects and the newest commit stay, and snapshots that were read earlier stay readable.
  /// The store may forget earlier commits that it does not promise to keep.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  func vacuum() throws
}
