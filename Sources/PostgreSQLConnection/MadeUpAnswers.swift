// SAFETY: Cells point into an array that exists during the call for their row.

/// Answers that a hostile server may give, made from any bytes. Each statement takes the next answer.
///
/// An answer consists of messages. A message is its length in two bytes, in network order, and its bytes. A length of 0
/// ends the answer.
package final class MadeUpAnswers: RowSource {
  private var rest: ArraySlice<UInt8>

  /// Creates the answers that some bytes contain.
  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Whether no answer is left.
  package var isEmpty: Bool { rest.isEmpty }

  /// The types of cells, by the number in a made-up row.
  private static let types: [PostgreSQLType] = [
    .int64, .int32, .int16, .boolean, .text, .bytes, .float, .double, .numeric, .uuid,
  ]

  /// Returns the messages of the next answer.
  private func answer() -> [[UInt8]] {
    var messages: [[UInt8]] = []
    defer { if rest.count < 2 { rest = [] } }
    while rest.count >= 2 {
      let count = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      guard count > 0 else { break }
      messages.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return messages
  }

  /// Returns the next answer. Each message is a row, and U+0001 separates its texts. An empty text stands for NULL.
  package func texts(_ text: String) throws(PostgreSQLError) -> [[String?]] {
    answer().map { message in
      message.split(separator: 1, omittingEmptySubsequences: false).map {
        $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self)
      }
    }
  }

  /// Reads the next answer. Each message is a row: for each cell the number of its type, a length in one byte, and the
  /// bytes. The length 255 stands for NULL.
  @discardableResult
  package func forEachRow(
    _ text: String, _ parameters: [PostgreSQLParameter], columnCount: Int,
    _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Int {
    let messages = answer()
    for message in messages {
      try unsafe message.withUnsafeBytes { bytes in
        var cells: [PostgreSQLCell] = []
        var offset = 0
        while offset + 1 < bytes.count {
          let types = MadeUpAnswers.types
          let type = unsafe types[Int(bytes[offset]) % types.count].number
          let length = unsafe Int(bytes[offset + 1])
          offset += 2
          guard length != 255 else {
            cells.append(PostgreSQLCell())
            continue
          }
          let count = min(length, bytes.count - offset)
          unsafe cells.append(
            PostgreSQLCell(bytes.baseAddress! + offset, count, type: type))
          offset += count
        }
        try PostgreSQLError.check(cells.count, atLeast: columnCount)
        try body(cells.span)
      }
    }
    return messages.count
  }

  /// Reads the messages of the next answer as those of `COPY`.
  package func copyRows(
    of selection: String, columnCount: Int, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws {
    var reader = CopiedRows(columnCount: columnCount)
    for message in answer() {
      try unsafe message.withUnsafeBytes { try unsafe reader.read($0, body) }
    }
    guard reader.hasEnded else { throw PostgreSQLError.unexpected("The rows have no end.") }
  }
}
