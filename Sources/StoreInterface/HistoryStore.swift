/// A store whose earlier commits can be opened.
///
///     guard let history = store.features.history else { return }
///     try history.forgetCommits(before: 100)
///
/// ``Store/commits()`` and ``Store/snapshot(ofCommit:)`` work with any store: a store without a history lists no commits, and
/// opens its newest commit only.
public protocol HistoryStore: Store {
  /// Returns the commits that can be opened, the newest first.
  ///
  /// - Throws: ``StoreError``.
  func commits() throws -> [CommitSummary]

  /// Returns the snapshot of an earlier commit.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/notFound`` if the commit does not exist, or the store no
  ///   longer keeps it.
  func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot

  /// Removes the commits for which `isKept` returns `false`, and frees the space that only these commits used. The
  /// newest commit always stays.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  func keepCommits(where isKept: (Int64) -> Bool) throws
}

extension HistoryStore {
  /// Removes the commits before the given commit, as ``keepCommits(where:)`` does.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  public func forgetCommits(before number: Int64) throws {
    try keepCommits { $0 >= number }
  }
}

extension Store {
  /// Returns the commits that can be opened, the newest first; empty for a store without a history.
  ///
  /// - Throws: ``StoreError``.
  public func commits() throws -> [CommitSummary] { try features.history?.commits() ?? [] }

  /// Returns the snapshot of an earlier commit. A store without a history has only the newest one.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/notFound`` if the commit does not exist, or the store no
  ///   longer keeps it.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    if let history = features.history { return try history.snapshot(ofCommit: number) }
    let newest = try snapshot()
    guard newest.commit == number else { throw Self.missing(number, path) }
    return newest
  }

  /// Returns the error for a commit that can't be opened.
  package static func missing(_ number: Int64, _ path: String?) -> StoreError {
    StoreError(.notFound, "Commit \(number) does not exist or is not kept any more.", path: path)
  }
}

// Without these, a class that lacks one of the functions would conform with the function of `Store`, which would call
// itself without end. With them, the compiler names the missing function.
extension HistoryStore {
  /// Unavailable: a store with a history has its own function.
  @available(*, unavailable, message: "A store with a history lists its commits itself.")
  public func commits() throws -> [CommitSummary] { [] }

  /// Unavailable: a store with a history has its own function.
  @available(*, unavailable, message: "A store with a history opens its commits itself.")
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot { try snapshot() }
}
