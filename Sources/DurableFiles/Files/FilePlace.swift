/// The place of a file on its disk: it stays when the file is renamed or changed, and a copy of the file has another.
///
/// The number of the disk is not part of a place: it may change when the machine starts again. So a snapshot of a whole
/// disk has the places of its origin.
public struct FilePlace: Sendable, Hashable {
  /// The number of the file in its file system.
  public var inode: UInt64
  /// The time at which the file was made, in nanoseconds since the beginning of 1970 in UTC; 0 if the disk does not know
  /// the time.
  public var birthNanoseconds: Int64

  /// Creates the place with the given numbers.
  public init(inode: UInt64, birthNanoseconds: Int64) {
    self.inode = inode
    self.birthNanoseconds = birthNanoseconds
  }
}
