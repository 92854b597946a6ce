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

  init(_ file: DurableFile) { self.file = file }

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
      let end = piece[start...].firstIndex(of: 0x0A) ?? piece.count
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
