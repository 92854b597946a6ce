public import Deflate

/// How a store in a block file behaves.
public struct BinaryStoreOptions: Sendable, Hashable {
  /// How long a save waits for another process's.
  public var patience: Duration = .seconds(10)
  /// The share of dead bytes above which a save writes the file anew.
  public var deadShare = 0.5
  /// How many bytes must be dead before the share counts.
  public var leastDeadByteCount = 1 << 20

  /// How many bytes a value has at least that lies in a section of its own, so that it is not written
  /// anew when other values of its object change.
  public var leastOutsideByteCount = 32 * 1024
  /// The same for attributes marked for external storage.
  public var leastExternalByteCount = 4 * 1024

  /// Which earlier commits survive when the file is written anew.
  ///
  /// Commits that an observer of this process has not taken yet survive in any case, up to
  /// ``observedCommitCount``. Observers in other processes hold nothing.
  public var history = HistoryPolicy.none
  /// How many commits an observer may lag behind the newest before the store stops keeping them.
  ///
  /// An observer that lags further gets an error that its history has expired.
  public var observedCommitCount = 1_000

  /// How much time a compressed store takes to make blocks small.
  public var compressionLevel = Deflate.Level.fast

  /// The usual behaviour.
  public init() {}
}
