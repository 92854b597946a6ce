/// The extra fields of an entry, in its header or in the directory.
struct ExtraFields {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var fields: [(kind: Int, contents: Range<Int>)] = []

  init(_ bytes: [UInt8]) throws(Malformed) {
    self.bytes = bytes
    var offset = 0
    // Other programs may fill up the field with fewer than four bytes.
    while offset + 4 <= bytes.count {
      let end = offset + 4 + bytes.int16(at: offset + 2)
      guard end <= bytes.count else { throw Malformed() }
      fields.append((bytes.int16(at: offset), offset + 4..<end))
      offset = end
    }
    guard fields.count(where: { $0.kind == ZipFormat.sizesField }) <= 1 else { throw Malformed() }
  }

  /// Returns the contents of the first field of a kind.
  subscript(_ kind: Int) -> ArraySlice<UInt8>? {
    fields.first { $0.kind == kind }.map { bytes[$0.contents] }
  }

  /// Returns the values of fields of four bytes. A value that does not fit there comes from the extra field for large values.
  func values(_ short: [Int]) throws(Malformed) -> [Int] {
    guard var rest = self[ZipFormat.sizesField] else { return short }
    return try short.map { value throws(Malformed) in
      guard value == 0xFFFF_FFFF else { return value }
      guard rest.count >= 8 else { throw Malformed() }
      defer { rest = rest.dropFirst(8) }
      return bytes.int64(at: rest.startIndex)
    }
  }
}
