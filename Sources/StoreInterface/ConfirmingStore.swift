/// A store whose commits can wait for a confirmation that they count, so that several stores commit as one.
///
/// Documents commit in this way. A store uses these functions only if it was opened at a commit (``StoreOpening/commit``).
public protocol ConfirmingStore: Store {
  /// Makes changes durable as ``Store/commit(_:)`` does, and then calls `confirm` to learn whether the commit counts.
  ///
  /// If `confirm` throws, or the process ends first, the durable changes stay in the file. They count once the store
  /// is opened at the number of the commit. Until then the store is unchanged.
  ///
  /// - Parameters:
  ///   - position: The number of the commit, which must be higher than any commit that the store has seen, and the
  ///     file of the store after the commit. The file is the store's own, or a new file for a store that keeps no
  ///     earlier commits.
  ///   - confirm: Called with the snapshot of the commit. If it throws, the commit does not count.
  /// - Throws: ``StoreError``, or the error of `confirm`.
  @discardableResult
  func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot

  /// Advances to a commit that another process has made and that counts now.
  ///
  /// - Throws: ``StoreError``.
  func advance(to position: StorePosition) throws
}

extension Store {
  /// The store, if its commits can wait for a confirmation.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/notConfirmable`` if they can't.
  public var confirming: any ConfirmingStore {
    get throws {
      if let confirming = features.confirming { return confirming }
      throw StoreError(
        .notConfirmable,
        "A store of type \"\(type.rawValue)\" does not support confirmation of commits.",
        path: path)
    }
  }
}
