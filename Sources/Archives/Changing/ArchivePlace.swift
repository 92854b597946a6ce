import DurableFiles

/// The record that distinguishes a packed document that programs change from its copies (spec §8.3.8).
///
/// Each change makes a new file, and unpacks the stores into new files. Without the record each change would take the
/// stores for copies, and their next objects would get numbers of another lane (spec §4.4.6).
struct ArchivePlace: Sendable, Hashable {
  /// The random number that stands for the packed document in the places of its unpacked files.
  let number: UInt64
  /// The place of the packed document's own file. A copy of the file has another one.
  let file: FilePlace

  /// The number of bytes of the record.
  static let byteCount = 24

  init(number: UInt64, file: FilePlace) {
    self.number = number
    self.file = file
  }

  /// Reads the record; `nil` if the number of bytes is not that of a record.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    let words = (0..<3).map { word in
      bytes.dropFirst(8 * word).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    number = words[0]
    file = FilePlace(inode: words[1], birthNanoseconds: Int64(bitPattern: words[2]))
  }

  /// The bytes of the record.
  var bytes: [UInt8] {
    [number, file.inode, UInt64(bitPattern: file.birthNanoseconds)].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }
}
