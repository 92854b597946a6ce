import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

extension CommitImage {
  /// A file, and a commit of it that may not be in it yet.
  struct Origin {
    let file: StoreFile
    let pieces: [UInt64: Piece]
    var copied: Copied
  }

  /// What of one file is in another already, and where the next commit there begins.
  struct Copied {
    var start = UInt64(BlockFile.headerByteCount)
    var previousTrailer: UInt64 = 0
    /// Where values went that were at other offsets.
    var values: [UInt64: UInt64] = [:]
    /// The same of blocks.
    var entries: [UInt64: BlockEntry] = [:]
    var sections: [SectionReference: SectionReference] = [:]
    var segments: [SegmentRecord: SegmentRecord] = [:]
  }

  /// The same commit in another file, with everything that it refers to and is not there yet.
  ///
  /// - Parameter head: The commit whose file this one is in, or would be.
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
      pendingParts ?? head.segments.map { .stored($0) }, pending.schema ?? head.schema)
    return copy
  }

  /// What is in the file behind this commit, which its trailer ends.
  func copied(behind trailer: Trailer) -> Copied {
    var copied = origin?.copied ?? Copied()
    copied.previousTrailer = trailer.offset
    copied.start = UInt64(BlockFile.align(Int(trailer.end)))
    return copied
  }

  /// A section of the file that is copied from, which may be here already.
  private mutating func copy(_ section: SectionReference) throws -> SectionReference {
    if let known = origin?.copied.sections[section] { return known }
    guard let origin else { return section }
    let copied = try add(section: origin.file.bytes(of: section))
    self.origin!.copied.sections[section] = copied
    return copied
  }

  private mutating func copySegments(_ parts: [SegmentPart], _ schema: Schema) throws {
    pendingParts = parts
    var beneath = View()
    for part in parts {
      if case .stored(let segment) = part, let known = origin?.copied.segments[segment.record] {
        record.segments.append(known)
      } else {
        let (layer, entries) = try part.layer(schema)
        // Of a segment whose rows the schema does not know any more nothing is left.
        if layer.isEmpty { continue }
        var known: [ObjectIdentifier: BlockEntry] = [:]
        for (block, entry) in entries { known[block] = origin?.copied.entries[entry.offset] }
        let (copy, added) = try add(layer, known, above: beneath, schema)
        for (block, entry) in added {
          if let old = entries[block] { origin?.copied.entries[old.offset] = entry }
        }
        if case .stored(let segment) = part { origin?.copied.segments[segment.record] = copy }
        record.segments.append(copy)
      }
      beneath = beneath.pushing(part.table)
    }
  }
}
