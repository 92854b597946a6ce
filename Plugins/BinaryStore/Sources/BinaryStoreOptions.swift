public import Deflate

/// The options of a store in a block file.
public struct BinaryStoreOptions: Sendable, Hashable {
  /// The longest time that a save waits for the save of another process.
  public var patience: Duration = .seconds(10)
  /// The share of dead bytes above which a save writes the file again.
  public var deadShare = 0.5
  /// The number of bytes that must be dead before the share counts.
  public var leastDeadByteCount = 1 << 20

  /// The least number of bytes of a value that is stored in its own section. Such a value is not written again
  /// when other values of its object change.
  public var leastOutsideByteCount = 32 * 1024
  /// The same number for attributes marked for external storage.
  public var leastExternalByteCount = 4 * 1024

  /// The policy that decides which earlier commits survive when the file is written again.
  ///
  /// Commits that an observer of this process has not taken yet survive in any case, up to ``observedCommitCount``.
  /// Observers in other processes hold nothing.
  public var history = HistoryPolicy.none
  /// The number of commits that an observer may lag behind the newest before the store stops keeping them for it.
  ///
  /// An observer that lags further gets an error that its history has expired.
  public var observedCommitCount = 1_000

  /// The effort that a compressed store spends on making blocks small.
  public var compressionLevel = Deflate.Level.fast

  public init() {}
}
