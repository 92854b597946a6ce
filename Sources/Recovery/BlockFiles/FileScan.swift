import BlockFileFormat
import Deflate
import DurableFiles
import Foundation
import Rows

/// The structures that one pass over a file finds by their magic bytes, whether or not a record lists them.
struct FileScan {
  /// The number that the file's trailers repeat, or `nil` if there is no trailer.
  private(set) var salt: UInt64?
  private(set) var header: FileHeader?
  /// Trailers that pass their own checks, in the order of their offsets.
  private(set) var trailers: [Trailer] = []
  /// The offsets at which records may begin.
  private(set) var recordOffsets: [UInt64] = []
  /// The offsets at which plain blocks may begin.
  private(set) var blockOffsets: [UInt64] = []
  /// The offsets at which compressed bytes may begin.
  private(set) var compressedOffsets: [UInt64] = []
  /// The offsets at which schemas and models may begin.
  private(set) var schemaOffsets: [UInt64] = []
  private(set) var modelOffsets: [UInt64] = []

  private static let windowByteCount = 1 << 20
  /// The greatest number of structures of one kind. The last ones of the file are kept.
  static let mostRecords = 1024

  init(_ file: DamagedFile, _ progress: (Double) -> Void) {
    if let bytes = file.bytes(0, min(file.byteCount, BlockFile.mostHeaderByteCount)) {
      header = (try? FileHeader(bytes)) ?? nil
    }
    var salts: [UInt64: Int] = [:]
    var offset = 0
    while let stored = file.file.startOfStoredBytes(from: offset), stored < file.byteCount {
      offset = stored & ~7
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
    // A value may contain bytes that look like a trailer, but its author does not know the file's salt.
    salt = header?.salt ?? salts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    trailers = trailers.filter { $0.salt == salt }
    recordOffsets = recordOffsets.suffix(FileScan.mostRecords)
    schemaOffsets = schemaOffsets.suffix(FileScan.mostRecords)
    modelOffsets = modelOffsets.suffix(FileScan.mostRecords)
  }
}

/// Ranges of a file that were read and match their checksums.
struct SoundRanges {
  private var ranges: [Range<Int>] = []

  mutating func add(_ offset: UInt64, _ count: Int) {
    guard let start = Int(exactly: offset), count > 0 else { return }
    ranges.append(start..<start + count)
  }

  /// Returns the ranges in order, with ranges that touch joined.
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

  /// Returns whether an offset lies within a range that was read.
  func contains(_ offset: UInt64, in settled: [Range<Int>]) -> Bool {
    let index = settled.firstPosition { $0.upperBound > Int(offset) }
    return index < settled.count && settled[index].lowerBound <= Int(offset)
  }

  /// The ranges in order, with ranges that touch joined.
  var all: [Range<Int>] { settled() }

  /// Returns the parts of the file outside the ranges, except the zeros of padding and of a tail behind a commit.
  ///
  /// - Parameter ends: The offsets behind the commits.
  func gaps(in file: DamagedFile, afterCommitsAt ends: Set<Int>) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var end = 0
    func close(_ start: Int) {
      guard start > end else { return }
      let mayBeZeros = start - end < 8 || ends.contains(end)
      if mayBeZeros, let last = try? file.file.endOfNonzeroBytes(before: start), last <= end {
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
