import DurableFiles

/// The lines of a file, one after another, with no more of it in memory than the line.
struct InputLines {
  private let file: DurableFile
  private var piece: [UInt8] = []
  private var start = 0
  private(set) var offset = 0
  /// The number of the last line, from 1.
  private(set) var number = 0

  /// Longer lines are refused.
  static let mostBytes = 1 << 28
  private static let pieceByteCount = 1 << 18
  /// The byte that ends a line: a line feed, or a carriage return in a file whose first line ends in a bare one.
  private(set) var lineEnd: UInt8?
  private let allowsCarriageReturns: Bool

  /// The lines of a file.
  ///
  /// - Parameter allowsCarriageReturns: Whether the first line may end in a bare carriage return, as all lines do then.
  init(_ file: DurableFile, allowsCarriageReturns: Bool = false) {
    self.file = file
    self.allowsCarriageReturns = allowsCarriageReturns
    lineEnd = allowsCarriageReturns ? nil : 0x0A
  }

  /// Appends the next line to `line`, without its end; false behind the last.
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
        throw ImportProblem(line: number + 1, "It has more than \(InputLines.mostBytes) bytes.")
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

  /// Returns the byte that ends the first line. A quoted cell may contain either.
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
      // A long first line ends beyond the piece that is read.
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
    // A mark of the order of bytes says nothing in UTF-8.
    if offset == 0, piece.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    offset += piece.count
    return start < piece.count
  }
}
