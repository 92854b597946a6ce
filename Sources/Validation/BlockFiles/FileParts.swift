import BlockFileFormat
import Rows
import StoreInterface

/// The parts that the commits of a file refer to, each once.
struct FileParts {
  /// The kind of a part.
  enum Kind: String {
    case header, trailer, record, metadata, model, schema, page, block, value
  }

  /// A range of the file, with the entries and references that refer to it.
  struct Part {
    var kind: Kind
    var range: Range<UInt64>
    /// The newest commit that refers to the part.
    var commit: Int64
    /// The distinct checksums in references to the part, at most two.
    var checksums: [UInt32] = []
    /// The distinct entries of a block, at most two.
    var entries: [BlockEntry] = []
    /// The first two distinct references to a value. Two are enough to find that they contradict each other.
    var references: [OutsideReference] = []
    /// Whether the part begins within another part. Such a part is not read.
    var isShared = false

    var place: Place { Place(kind.rawValue, at: range.lowerBound, commit: commit) }
  }

  private(set) var all: [Part] = []
  private var indexes: [Range<UInt64>: Int] = [:]

  init() {
    add(.header, 0..<UInt64(BlockFile.headerByteCount), commit: 0)
  }

  /// Returns the position of the part with the given range. A new part is added.
  @discardableResult
  mutating func add(_ kind: Kind, _ range: Range<UInt64>, commit: Int64) -> Int {
    if let known = indexes[range] { return known }
    all.append(Part(kind: kind, range: range, commit: commit))
    indexes[range] = all.count - 1
    return all.count - 1
  }

  /// Records a section that lies in the file.
  mutating func add(_ kind: Kind, _ section: SectionReference, commit: Int64) {
    let index = add(
      kind, section.offset..<section.offset + UInt64(section.byteCount), commit: commit)
    if !all[index].checksums.contains(section.checksum), all[index].checksums.count < 2 {
      all[index].checksums.append(section.checksum)
    }
  }

  /// Records a block that lies in the file.
  mutating func add(_ entry: BlockEntry, commit: Int64) {
    let index = add(
      .block, entry.offset..<entry.offset + UInt64(entry.byteCount), commit: commit)
    if !all[index].entries.contains(entry), all[index].entries.count < 2 {
      all[index].entries.append(entry)
    }
  }

  /// Records a value that lies in the file, outside of the block that refers to the value.
  mutating func add(_ reference: OutsideReference, commit: Int64) {
    let index = add(
      .value, reference.offset..<reference.offset + UInt64(reference.storedByteCount),
      commit: commit)
    if !all[index].references.contains(reference), all[index].references.count < 2 {
      all[index].references.append(reference)
    }
  }

  /// Sorts the parts by offset, and marks each part that begins within another part.
  mutating func sort() {
    all.sort {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    var last = 0
    for index in all.indices where !all[index].range.isEmpty {
      all[index].isShared = index > 0 && all[index].range.lowerBound < all[last].range.upperBound
      if !all[index].isShared { last = index }
    }
    indexes = Dictionary(all.enumerated().map { ($1.range, $0) }) { one, _ in one }
  }

  /// Each part that begins within another part, with that other part. The parts must be sorted.
  var shared: [(part: Part, other: Part)] {
    var shared: [(Part, Part)] = []
    var last = all.first
    for part in all where !part.range.isEmpty {
      if part.isShared, let last { shared.append((part, last)) } else { last = part }
    }
    return shared
  }
}
