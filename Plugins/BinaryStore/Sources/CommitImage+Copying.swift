import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

extension CommitImage {
  /// A source file, and a commit of it that may not be written yet.
  struct Origin {
    let file: StoreFile
    let pieces: [UInt64: Piece]
    var copied: Copied
  }

  /// The parts of one file that another file already contains, and the place of the next commit there.
  struct Copied {
    var start: UInt64
    var previousTrailer: UInt64 = 0
    /// The new offset of each copied value, by its old offset.
    var values: [UInt64: UInt64] = [:]
    /// The new entry of each copied block, by the block's old offset.
    var entries: [UInt64: BlockEntry] = [:]
    var sections: [SectionReference: SectionReference] = [:]
    var segments: [SegmentRecord: SegmentRecord] = [:]
  }

  /// Returns the same commit for another file, including all its parts that the other file lacks.
  ///
  /// - Parameter head: The commit whose file contains this commit, or will contain it.
  func copied(from head: CommittedState, after copied: Copied) throws -> CommitImage {
    var copy = CommitImage(
      number: record.number, previousTrailer: copied.previousTrailer, start: copied.start,
      compression: compression)
    copy.origin = Origin(
      file: head.file, pieces: valuePieces.mapValues { pieces[$0] }, copied: copied)
    copy.record.time = record.time
    copy.record.author = record.author
    copy.record.contextName = record.contextName
    copy.record.nextKeys = record.nextKeys
    copy.record.schemaNumber = record.schemaNumber
    if let metadata = pending.metadata {
      try copy.setMetadata(metadata)
    } else {
      copy.record.metadata = try copy.copy(head.record.metadata)
    }
    if let model = pending.model, let schema = pending.schema {
      try copy.setModel(model, schema)
    } else {
      copy.record.model = try copy.copy(head.record.model)
      copy.record.schema = try copy.copy(head.record.schema)
    }
    try copy.copySegments(
      segments ?? NextSegments(above: head), pending.schema ?? head.schema)
    return copy
  }

  /// Returns the parts that the new file contains after this commit, which ends with the given trailer.
  func copied(behind trailer: Trailer) -> Copied {
    var copied = origin?.copied ?? Copied(start: 0)
    copied.previousTrailer = trailer.offset
    copied.start = UInt64(BlockFile.align(Int(trailer.end)))
    return copied
  }

  /// Copies a section of the source file, unless it was copied already, and returns its new place.
  private mutating func copy(_ section: SectionReference) throws -> SectionReference {
    if let known = origin?.copied.sections[section] { return known }
    guard let origin else { return section }
    let copied = try add(section: origin.file.bytes(of: section))
    self.origin!.copied.sections[section] = copied
    return copied
  }

  private mutating func copySegments(_ next: NextSegments, _ schema: Schema) throws {
    segments = next
    for (index, segment) in next.kept.enumerated() {
      if let known = origin?.copied.segments[segment.record] {
        record.segments.append(known)
        continue
      }
      let (layer, entries) = try segment.layer(schema)
      guard let copy = try copy(layer, entries, above: View(Array(next.kept.prefix(index))), schema)
      else { continue }
      origin?.copied.segments[segment.record] = copy
      record.segments.append(copy)
    }
    if let copy = try copy(next.layer, next.known, above: View(next.tables), schema) {
      record.segments.append(copy)
    }
  }

  /// Copies the rows of a segment that belong to entities of the schema, and returns the record of the copy; `nil` if there
  /// are no such rows.
  ///
  /// - Parameter entries: The entries of the segment's blocks in the source file.
  private mutating func copy(
    _ layer: Layer, _ entries: [ObjectIdentifier: BlockEntry], above view: @autoclosure () -> View,
    _ schema: Schema
  ) throws -> SegmentRecord? {
    if layer.isEmpty { return nil }
    var known: [ObjectIdentifier: BlockEntry] = [:]
    for (block, entry) in entries { known[block] = origin?.copied.entries[entry.offset] }
    let (copy, added) = try add(layer, known, above: view(), schema)
    for (block, entry) in added {
      if let old = entries[block] { origin?.copied.entries[old.offset] = entry }
    }
    return copy
  }
}
