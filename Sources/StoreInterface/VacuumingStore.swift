/// A store that can free the space which neither its objects nor its commits need.
public protocol VacuumingStore: Store {
  /// Whether the store has space to free. It is false if the store frees all unused space by itself.
  var canVacuum: Bool { get }

  /// Frees unused space. The objects and the newest commit stay, and snapshots that were read earlier stay readable.
  /// The store may forget earlier commits that it does not promise to keep.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  func vacuum() throws
}

extension VacuumingStore {
  /// True.
  public var canVacuum: Bool { true }
}
