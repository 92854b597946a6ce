/// The size of the tables when it was last counted.
struct TableSize {
  let byteCount: Int64
  /// The commit at which the size was counted.
  let commit: Int64

  /// The number of commits after which the size is counted again.
  private static let interval: Int64 = 256

  /// Returns whether it is time to count again.
  func isOld(at number: Int64) -> Bool { number - commit >= TableSize.interval }
}
