// SAFETY: Cells point into the message that is being read. They are used only until the call for their row returns.

/// A reader of rows in the binary form of `COPY`.
///
/// The messages come from a server that may be hostile: every length is checked, and a cut row is an error.
struct CopiedRows {
  private static let mark: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
  /// The bytes before the first row: the mark, no flags, and no extension.
  static let header = mark + [UInt8](repeating: 0, count: 8)

  private var hasBegun = false
  /// Whether the end of the rows was read.
  private(set) var hasEnded = false
  private let columnCount: Int
  private var cells: [PostgreSQLCell]

  init(columnCount: Int) {
    self.columnCount = columnCount
    cells = Array(repeating: PostgreSQLCell(), count: columnCount)
  }

  /// Reads the rows of one message, and calls `body` for each.
  @unsafe mutating func read(
    _ message: UnsafeRawBufferPointer, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws {
    var offset = 0
    if !hasBegun { offset = try unsafe header(message) }
    hasBegun = true
    while offset < message.count {
      guard !hasEnded else { throw PostgreSQLError.unexpected("Bytes follow the last row.") }
      let count = try unsafe word(message, &offset, Int16.self)
      if count == -1 {
        hasEnded = true
        continue
      }
      guard Int(count) == columnCount else {
        throw PostgreSQLError.unexpected("A row has \(count) columns instead of \(columnCount).")
      }
      for index in 0..<columnCount {
        let byteCount = Int(try unsafe word(message, &offset, Int32.self))
        if byteCount == -1 {
          cells[index] = PostgreSQLCell()
          continue
        }
        guard byteCount >= 0, byteCount <= message.count - offset else {
          throw PostgreSQLError.unexpected("A row is cut.")
        }
        unsafe cells[index] = PostgreSQLCell(message.baseAddress! + offset, byteCount)
        offset += byteCount
      }
      try body(cells.span)
    }
  }

  @unsafe private func header(_ message: UnsafeRawBufferPointer) throws -> Int {
    let start = CopiedRows.mark.count
    guard message.count >= start + 8, unsafe message.prefix(start).elementsEqual(CopiedRows.mark)
    else { throw PostgreSQLError.unexpected("The rows have no header.") }
    var offset = start
    let flags = try unsafe word(message, &offset, UInt32.self)
    guard flags & 0xFFFF_0000 == 0 else {
      throw PostgreSQLError.unexpected("The rows have an unknown form.")
    }
    let extra = Int(try unsafe word(message, &offset, UInt32.self))
    guard extra <= message.count - offset else {
      throw PostgreSQLError.unexpected("The header of the rows is cut.")
    }
    return offset + extra
  }

  @inline(__always)
  @unsafe private func word<T: FixedWidthInteger & BitwiseCopyable>(
    _ message: UnsafeRawBufferPointer, _ offset: inout Int, _: T.Type
  ) throws -> T {
    guard message.count - offset >= MemoryLayout<T>.size else {
      throw PostgreSQLError.unexpected("A row is cut.")
    }
    defer { offset += MemoryLayout<T>.size }
    return unsafe T(bigEndian: message.loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
