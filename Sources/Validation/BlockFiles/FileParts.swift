import BlockFileFormat
import Rows

/// What the commits of a file refer to, each part once.
struct FileParts {
  /// What a part is.
  enum Kind: String {
    case header, trailer, record, metadata, model, schema, page, block, value
  }

  /// Some bytes of the file, and what is said of them.
  struct Part {
    var kind: Kind
    var range: Range<UInt64>
    /// The newest commit that refers to it.
    var commit: Int64
    /// The checksums it is referred to with.
    var checksums: [UInt32] = []
    /// What entries say of a block.
    var entries: [BlockEntry] = []
    /// What references say of a value.
    var references: [OutsideReference] = []
    /// Whether it begins within another part, so that it is not read.
    var isShared = false

    var place: Place { Place(kind.rawValue, at: range.lowerBound, commit: commit) }
  }

  private(set) var all: [Part] = []
  private var indexes: [Range<UInt64>: Int] = [:]

  init() {
    add(.header, 0..<UInt64(BlockFile.headerByteCount), commit: 0)
  }

  /// The position of the part in a range, which is added if it is new.
  @discardableResult
  mutating func add(_ kind: Kind, _ range: Range<UInt64>, commit: Int64) -> Int {
    if let known = indexes[range] { return known }
    all.append(Part(kind: kind, range: range, commit: commit))
    indexes[range] = all.count - 1
    return all.count - 1
  }

  /// Notes a section that lies in the file.
  mutating func add(_ kind: Kind, _ section: SectionReference, commit: Int64) {
    let index = add(
      kind, section.offset..<section.offset + UInt64(section.byteCount), commit: commit)
    if !all[index].checksums.contains(section.checksum), all[index].checksums.count < 2 {
      all[index].checksums.append(section.checksum)
    }
  }

  /// Notes a block that lies in the file.
  mutating func add(_ entry: BlockEntry, commit: Int64) {
    let index = add(
      .block, entry.offset..<entry.offset + UInt64(entry.byteCount), commit: commit)
    if !all[index].entries.contains(entry), all[index].entries.count < 2 {
      all[index].entries.append(entry)
    }
  }

  /// Notes a value that lies in the file, outside of the block that refers to it.
  mutating func add(_ reference: OutsideReference, commit: Int64) {
    let index = add(
      .value, reference.offset..<reference.offset + UInt64(reference.storedByteCount),
      commit: commit)
    if !all[index].references.contains(reference), all[index].references.count < 2 {
      all[index].references.append(reference)
    }
  }

  /// Puts the parts in order of their offsets, and marks those that begin within another.
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

  /// Each part that begins within another, with that one. The parts are in order.
  var shared: [(part: Part, other: Part)] {
    var shared: [(Part, Part)] = []
    var last = all.first
    for part in all where !part.range.isEmpty {
      if part.isShared, let last { shared.append((part, last)) } else { last = part }
    }
    return shared
  }
}
