import BlockFileFormat
import Deflate
import DurableFiles
import Foundation
import Rows

/// What one walk over a file finds, wherever it may belong: structures that say what they are.
struct FileScan {
  /// The number that the file's trailers repeat; `nil` when there is no trailer.
  private(set) var salt: UInt64?
  private(set) var header: FileHeader?
  /// Trailers that hold together, in the order of their places.
  private(set) var trailers: [Trailer] = []
  /// Where records may begin.
  private(set) var recordOffsets: [UInt64] = []
  /// Where plain blocks may begin.
  private(set) var blockOffsets: [UInt64] = []
  /// Where compressed bytes may begin.
  private(set) var compressedOffsets: [UInt64] = []
  /// Where schemas and models may begin.
  private(set) var schemaOffsets: [UInt64] = []
  private(set) var modelOffsets: [UInt64] = []

  private static let windowByteCount = 1 << 20
  /// Of the last structures of a kind so many are kept.
  static let mostRecords = 1024

  init(_ file: DamagedFile, _ progress: (Double) -> Void) {
    if let bytes = file.bytes(0, BlockFile.headerByteCount) {
      header = (try? FileHeader(bytes)) ?? nil
    }
    var salts: [UInt64: Int] = [:]
    var offset = 0
    while offset < file.byteCount {
      let count = min(FileScan.windowByteCount, file.byteCount - offset)
      guard let bytes = file.bytes(UInt64(offset), count) else { break }
      var place = 0
      while place + 8 <= bytes.count {
        let found = UInt64(offset + place)
        switch (bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]) {
        case (0x51, 0x45, 0x4E, 0x44):
          guard let end = file.bytes(found, BlockFile.trailerByteCount) else { break }
          let salt = end[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
          if let trailer = Trailer(end, at: found, salt: salt) {
            trailers.append(trailer)
            salts[salt, default: 0] += 1
          }
        case (0x51, 0x43, 0x4D, 0x54): recordOffsets.append(found)
        case (0x51, 0x42, 0x4C, 0x4B): blockOffsets.append(found)
        case (0x51, 0x53, 0x43, 0x48): schemaOffsets.append(found)
        case (0x3C, 0x3F, 0x78, 0x6D): modelOffsets.append(found)
        case (0x78, let second, _, _) where (0x7800 | Int(second)) % 31 == 0 && second & 0x20 == 0:
          compressedOffsets.append(found)
        default: break
        }
        place += 8
      }
      offset += count
      progress(Double(offset) / Double(max(1, file.byteCount)))
    }
    // A value may hold what looks like a trailer; who made it does not know the file's number.
    salt = header?.salt ?? salts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    trailers = trailers.filter { $0.salt == salt }
    recordOffsets = recordOffsets.suffix(FileScan.mostRecords)
    schemaOffsets = schemaOffsets.suffix(FileScan.mostRecords)
    modelOffsets = modelOffsets.suffix(FileScan.mostRecords)
  }
}

/// Ranges of a file that were read and are what they should be.
struct SoundRanges {
  private var ranges: [Range<Int>] = []

  mutating func add(_ offset: UInt64, _ count: Int) {
    guard let start = Int(exactly: offset), count > 0 else { return }
    ranges.append(start..<start + count)
  }

  /// The ranges in order, those that touch in one.
  private func settled() -> [Range<Int>] {
    var settled: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = settled.last, range.lowerBound <= last.upperBound {
        settled[settled.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        settled.append(range)
      }
    }
    return settled
  }

  /// Whether a place lies within something that was read.
  func contains(_ offset: UInt64, in settled: [Range<Int>]) -> Bool {
    let index = settled.firstPosition { $0.upperBound > Int(offset) }
    return index < settled.count && settled[index].lowerBound <= Int(offset)
  }

  /// The ranges in order.
  var all: [Range<Int>] { settled() }

  /// What is left of a file, but for the zeros between two parts.
  func gaps(in file: DamagedFile) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var end = 0
    func close(_ start: Int) {
      guard start > end else { return }
      if start - end < 8, let bytes = file.bytes(UInt64(end), start - end),
        bytes.allSatisfy({ $0 == 0 })
      {
        return
      }
      gaps.append(end..<start)
    }
    for range in settled() {
      close(range.lowerBound)
      end = max(end, range.upperBound)
    }
    close(file.byteCount)
    return gaps
  }
}
