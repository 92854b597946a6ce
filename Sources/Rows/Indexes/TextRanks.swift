// SAFETY: The caller retains the columns, and each row is a row of its column.

/// The ranks of the distinct byte strings of several columns.
///
/// Most texts of an index repeat, and blocks contain each of them once. So few texts are compared.
struct TextRanks {
  /// The number of distinct strings.
  private(set) var count = 0
  /// The rank of each dictionary code of each column, or of each row of a column without a dictionary.
  private var ranks: [[UInt32]]

  @safe
  private struct Entry {
    let column: Int
    let code: Int
    private let prefix: UInt64
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer, column: Int, code: Int) {
      unsafe self.bytes = bytes
      prefix = unsafe ByteHash.prefix(bytes)
      self.column = column
      self.code = code
    }

    func precedes(_ other: Entry) -> Bool {
      if prefix != other.prefix { return prefix < other.prefix }
      return unsafe ByteHash.precedes(bytes, other.bytes)
    }

    func hasSameBytes(as other: Entry) -> Bool {
      unsafe prefix == other.prefix && ByteHash.areEqual(bytes, other.bytes)
    }
  }

  /// - Returns: `nil` if too many strings would have to be compared, or if their bytes are not in their order.
  init?(_ columns: [Column]) {
    let rowCount = columns.reduce(0) { $0 + $1.rowCount }
    var entries: [Entry] = []
    var ranks: [[UInt32]] = []
    for (number, column) in columns.enumerated() {
      let raw = unsafe column.raw
      guard unsafe raw.kind != .decimal, unsafe raw.outside == nil else { return nil }
      let isDictionary = unsafe raw.encoding == .dictionary
      let codes =
        unsafe raw.isNothing ? 0 : isDictionary ? Int(raw.dictionaryCount) : column.rowCount
      guard entries.count + codes <= max(rowCount / 4, 1 << 12) else { return nil }
      for code in 0..<codes {
        if unsafe !isDictionary && raw.isNull(code) { continue }
        let bytes = unsafe isDictionary ? raw.heapBytes(code) : raw.bytes(code)
        unsafe entries.append(Entry(bytes, column: number, code: code))
      }
      ranks.append(Array(repeating: 0, count: codes))
    }
    entries.sort { $0.precedes($1) }
    for (place, entry) in entries.enumerated() {
      if place == 0 || !entries[place - 1].hasSameBytes(as: entry) { count += 1 }
      ranks[entry.column][entry.code] = UInt32(count - 1)
    }
    self.ranks = ranks
  }

  /// Returns the rank of the string of a row, from 0. The row must have a value.
  @inline(__always) @unsafe
  func rank(_ column: Int, _ raw: RawColumn, _ row: Int) -> UInt64 {
    let code = unsafe raw.encoding == .dictionary ? Int(raw.integer(row)) : row
    return UInt64(ranks[column][code])
  }
}
