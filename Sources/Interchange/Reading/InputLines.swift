import DurableFiles

/// Reads the lines of a file one by one. Memory holds only the current line and one piece of the file.
struct InputLines {
  private let file: DurableFile
  private var piece: [UInt8] = []
  private var start = 0
  private(set) var offset = 0
  /// The number of the last line that was read, from 1.
  private(set) var number = 0

  /// The maximum number of bytes in a line. Longer lines are an error.
  static let mostBytes = 1 << 28
  private static let pieceByteCount = 1 << 18
  /// The byte that ends a line: a line feed, or a carriage return if the first line ends with a bare carriage return.
  /// `nil` before the first line was read.
  private(set) var lineEnd: UInt8?
  private let allowsCarriageReturns: Bool

  /// Creates a reader of the lines of a file.
  ///
  /// - Parameter allowsCarriageReturns: Whether the first line may end with a bare carriage return. All lines then
  ///   do.
  init(_ file: DurableFile, allowsCarriageReturns: Bool = false) {
    self.file = file
    self.allowsCarriageReturns = allowsCarriageReturns
    lineEnd = allowsCarriageReturns ? nil : 0x0A
  }

  /// Appends the next line to `line`, without its end. Returns `false` after the last line.
  mutating func next(into line: inout [UInt8]) throws -> Bool {
    var isStarted = false
    while true {
      if start == piece.count {
        guard try read() else {
          if isStarted { number += 1 }
          return isStarted
        }
      }
      isStarted = true
      if lineEnd == nil { lineEnd = try firstLineEnd() }
      let end = piece[start...].firstIndex(of: lineEnd!) ?? piece.count
      guard line.count + end - start <= InputLines.mostBytes else {
        throw ImportProblem(
          line: number + 1, "The line has more than \(InputLines.mostBytes) bytes.")
      }
      line.append(contentsOf: piece[start..<end])
      let isWhole = end < piece.count
      start = isWhole ? end + 1 : end
      if isWhole {
        number += 1
        return true
      }
    }
  }

  /// Returns the byte that ends the first line. Line ends within quoted cells are skipped.
  private func firstLineEnd() throws -> UInt8 {
    var isQuoted = false
    var isAfterReturn = false
    var bytes = piece[start...]
    var next = offset
    while true {
      for byte in bytes {
        if isAfterReturn { return byte == 0x0A ? 0x0A : 0x0D }
        if byte == 0x22 { isQuoted.toggle() }
        if isQuoted { continue }
        if byte == 0x0A { return 0x0A }
        isAfterReturn = byte == 0x0D
      }
      // The first line may be longer than the piece that was read.
      let wanted = next
      bytes = try [UInt8](count: InputLines.pieceByteCount) { memory throws(DiskError) in
        try file.readAvailable(into: &memory, at: wanted)
      }[...]
      next += bytes.count
      if bytes.isEmpty { return isAfterReturn ? 0x0D : 0x0A }
    }
  }

  private mutating func read() throws -> Bool {
    let wanted = offset
    piece = try [UInt8](count: InputLines.pieceByteCount) { memory throws(DiskError) in
      try file.readAvailable(into: &memory, at: wanted)
    }
    start = 0
    // Skip a byte order mark, which has no meaning in UTF-8.
    if offset == 0, piece.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    offset += piece.count
    return start < piece.count
  }
}
