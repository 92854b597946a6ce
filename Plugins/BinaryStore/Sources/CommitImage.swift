import BlockFileFormat
import Deflate
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// A commit on its way into a file: its pieces, where each will be, and its record.
struct CommitImage {
  /// Pieces that are written one behind the other from the commit's start.
  enum Piece {
    case bytes([UInt8])
    case block(Block)
    /// A block whose values outside are in this file at other offsets than in the one it is from.
    case movedBlock(Block)
    case value(BlockSlice)
    /// A value that another file has.
    case copiedValue(OutsideReference, from: StoreFile)

    var byteCount: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .block(let block), .movedBlock(let block): block.byteCount
      case .value(let slice): slice.range.count
      case .copiedValue(let reference, _): reference.storedByteCount
      }
    }
  }

  private(set) var record: CommitRecord
  /// How blocks are compressed; `nil` when they are not.
  let compression: Deflate.Level?
  /// What this commit sets beside the rows, as far as it does.
  private(set) var pending = CommittedState.Description()
  /// The segments that this commit sets, if it does.
  private var pendingParts: [SegmentPart]?
  private var pieces: [Piece] = []
  /// Blocks that were compressed already.
  private var compressed: [ObjectIdentifier: [UInt8]] = [:]
  /// Where the values are that this commit puts into sections of their own: pieces by offset.
  private var valuePieces: [UInt64: Int] = [:]
  /// When all that is alive is written anew: where it is from.
  private var origin: Origin?
  private var next: UInt64

  /// A file, and a commit of it that may not be in it yet.
  private struct Origin {
    let file: StoreFile
    let pieces: [UInt64: Piece]
    var copied: Copied
  }

  /// What of one file is in another already, and where the next commit there begins.
  struct Copied {
    fileprivate var start = UInt64(BlockFile.headerByteCount)
    fileprivate var previousTrailer: UInt64 = 0
    /// Where values went that were at other offsets.
    fileprivate var values: [UInt64: UInt64] = [:]
    /// The same of blocks.
    fileprivate var entries: [UInt64: BlockEntry] = [:]
    fileprivate var sections: [SectionReference: SectionReference] = [:]
    fileprivate var segments: [SegmentRecord: SegmentRecord] = [:]
  }

  /// How many bytes lie before the record.
  var byteCount: Int { Int(next - record.start) }

  /// A commit that begins at `start`.
  init(
    number: Int64, previousTrailer: UInt64, start: UInt64, compression: Deflate.Level? = nil
  ) {
    self.compression = compression
    record = CommitRecord(
      number: number,
      time: Int64((Date().timeIntervalSinceReferenceDate * 1000).rounded()),
      previousTrailer: previousTrailer, start: start, liveByteCount: 0, metadata: .none,
      model: .none, schema: .none, schemaNumber: number, nextKeys: [:], segments: [])
    next = start
  }

  /// A commit behind another one, of which everything stays until it is set.
  init(
    after head: CommittedState, number: Int64, start: UInt64, compression: Deflate.Level?
  ) {
    self.init(
      number: number, previousTrailer: head.trailer.offset, start: start, compression: compression)
    record.metadata = head.record.metadata
    record.model = head.record.model
    record.schema = head.record.schema
    record.schemaNumber = head.record.schemaNumber
    record.nextKeys = head.record.nextKeys
    record.segments = head.record.segments
  }

  /// A commit that is in a file, on its way into another one.
  init(copying state: CommittedState, compression: Deflate.Level?) {
    self.init(
      after: state, number: state.commit, start: state.end, compression: compression)
    record.time = state.record.time
  }

  mutating func setNextKeys(_ keys: [UInt16: UInt64]) { record.nextKeys = keys }

  mutating func setMetadata(_ metadata: StoreMetadata) throws {
    pending.metadata = metadata
    record.metadata = try add(section: BinaryPropertyList.write(.dictionary(metadata.values)))
  }

  /// Sets the metadata, the model and its schema.
  mutating func setDescription(
    metadata: StoreMetadata, model: Model, schema: Schema
  ) throws {
    record.schemaNumber = record.number
    try setMetadata(metadata)
    try setModel(model, schema)
  }

  private mutating func setModel(_ model: Model, _ schema: Schema) throws {
    pending.model = model
    pending.schema = schema
    record.model = try add(section: ModelSource.write(model))
    record.schema = try add(section: SchemaSection.bytes(schema))
  }

  /// The changes with their large values in sections of this commit.
  mutating func movingLargeValues(
    of changes: Layer, after head: CommittedState, _ schema: Schema,
    _ options: BinaryStoreOptions
  ) throws -> Layer {
    let sections = ValueSections(
      of: head.file, at: next, compression: compression, options: options, schema: schema,
      model: { [pending] in try pending.model ?? head.model })
    let moved = try changes.movingLargeValues(to: sections)
    for section in sections.sections {
      valuePieces[section.offset] = pieces.count
      add(section.piece)
    }
    return moved
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

  /// Copies the values that a block of another file refers to, unless they were already.
  private mutating func copyValues(_ references: [OutsideReference]) {
    for reference in references {
      guard let origin, origin.copied.values[reference.offset] == nil else { continue }
      self.origin!.copied.values[reference.offset] = next
      add(origin.pieces[reference.offset] ?? .copiedValue(reference, from: origin.file))
    }
  }

  /// Sets the segments, and writes the blocks that are in no file yet.
  mutating func setSegments(_ parts: [SegmentPart], _ schema: Schema) throws {
    pendingParts = parts
    var beneath = View()
    record.segments = []
    for part in parts {
      switch part {
      case .stored(let segment): record.segments.append(segment.record)
      // Of a segment whose rows the schema does not know any more nothing is left.
      case .made(let layer, _) where layer.isEmpty: continue
      case .made(let layer, let known):
        record.segments.append(try add(layer, known, above: beneath, schema).record)
      }
      beneath = beneath.pushing(part.table)
    }
  }

  private mutating func add(
    _ layer: Layer, _ known: [ObjectIdentifier: BlockEntry], above view: View, _ schema: Schema
  ) throws -> (record: SegmentRecord, added: [ObjectIdentifier: BlockEntry]) {
    var entries: [BlockEntry] = []
    var added: [ObjectIdentifier: BlockEntry] = [:]
    try compress(
      layer.entities.flatMap { $0.put.blocks + $0.changed.blocks + $0.removed.blocks }
        .filter { known[ObjectIdentifier($0)] == nil })
    for changes in layer.entities {
      for (run, blocks) in [
        (RunKind.put, changes.put), (.changed, changes.changed), (.removed, changes.removed),
      ] {
        for block in blocks.blocks {
          if let entry = known[ObjectIdentifier(block)] {
            entries.append(entry)
          } else {
            let entry = try add(block, run)
            added[ObjectIdentifier(block)] = entry
            entries.append(entry)
          }
        }
      }
    }
    let rowCount = entries.reduce(0) { $0 + UInt64($1.rowCount) }
    var highestIndex: UInt16 = 0
    if rowCount >= UInt64(BlockFile.leastIndexedRowCount) {
      highestIndex = schema.highestEntityNumber
      for index in schema.indexes {
        guard let changes = layer[index.entityNumber], let layout = schema[index.entityNumber]
        else { continue }
        let run = try IndexRun(index, of: changes, layout: layout, above: view)
        try compress(run.blocks)
        for block in run.blocks { entries.append(try add(block, .put)) }
      }
      entries.sort { $0.place < $1.place }
    }
    var byteCount = entries.reduce(0) { $0 + UInt64($1.byteCount) + $1.outsideByteCount }
    guard entries.count > BlockFile.inlineEntryCount else {
      return (
        SegmentRecord(
          rowCount: rowCount, byteCount: byteCount, highestIndex: highestIndex,
          contents: .entries(entries)), added
      )
    }
    var pages: [SegmentRecord.PageReference] = []
    for start in stride(from: 0, to: entries.count, by: BlockFile.pageEntryCount) {
      let page = entries[start..<min(start + BlockFile.pageEntryCount, entries.count)]
      var writer = ByteWriter()
      for entry in page { entry.write(into: &writer) }
      byteCount += UInt64(writer.bytes.count)
      pages.append(
        .init(
          section: try add(section: writer.bytes), entryCount: UInt16(page.count),
          first: page.first!.place))
    }
    return (
      SegmentRecord(
        rowCount: rowCount, byteCount: byteCount, highestIndex: highestIndex,
        contents: .pages(pages)), added
    )
  }

  /// Compresses blocks on several cores.
  private mutating func compress(_ blocks: [Block]) throws {
    guard let compression else { return }
    let blocks = try blocks.filter {
      try $0.byteCount >= BlockFile.leastCompressedByteCount && $0.outsideReferences().isEmpty
    }
    let bytes = try blocks.concurrentMap { try $0.compressed(compression) }
    for (block, bytes) in zip(blocks, bytes) { compressed[ObjectIdentifier(block)] = bytes }
  }

  private mutating func add(_ block: Block, _ run: RunKind) throws -> BlockEntry {
    let references = try block.outsideReferences()
    copyValues(references)
    let isMoved = !references.isEmpty && origin != nil
    let outsideByteCount = references.reduce(0) { $0 + UInt64($1.storedByteCount) }
    let offset = next
    var moved = block
    if isMoved { moved = try Block(movedBytes(of: block)) }
    var small = compressed.removeValue(forKey: ObjectIdentifier(block))
    if small == nil, let compression { small = try moved.compressed(compression) }
    if let small {
      add(.bytes(small))
      return BlockEntry(
        block, run: run, offset: offset, codec: .transposed, byteCount: small.count,
        outsideByteCount: outsideByteCount)
    }
    add(isMoved ? .movedBlock(block) : .block(block))
    return BlockEntry(
      block, run: run, offset: offset, codec: .plain, byteCount: block.byteCount,
      outsideByteCount: outsideByteCount)
  }

  /// The bytes of a block of another file, with its values where they are in this one.
  private func movedBytes(of block: Block) throws -> BlockMemory {
    try block.bytes { origin?.copied.values[$0] ?? $0 }
  }

  private mutating func add(section bytes: [UInt8]) throws -> SectionReference {
    guard bytes.count <= BlockFile.maximumSectionByteCount else {
      throw StoreError(
        .badChange,
        "A section of \(bytes.count) bytes is larger than \(BlockFile.maximumSectionByteCount).")
    }
    let section = SectionReference(
      offset: next, byteCount: UInt32(bytes.count),
      checksum: bytes.checksum)
    add(.bytes(bytes))
    return section
  }

  private mutating func add(_ piece: Piece) {
    pieces.append(piece)
    next += UInt64(BlockFile.align(piece.byteCount))
  }

  // MARK: - Writing

  /// The record, when nothing more comes before it, and where it is.
  private mutating func close() throws -> (bytes: [UInt8], section: SectionReference) {
    record.liveByteCount =
      UInt64(BlockFile.headerByteCount + BlockFile.trailerByteCount)
      + UInt64(record.metadata.byteCount) + UInt64(record.model.byteCount)
      + UInt64(record.schema.byteCount) + record.segments.reduce(0) { $0 + $1.byteCount }
    record.liveByteCount += UInt64(record.bytes.count)
    let bytes = record.bytes
    guard bytes.count <= BlockFile.maximumRecordByteCount else {
      throw StoreError(.badChange, "A commit record of \(bytes.count) bytes is too large.")
    }
    return (
      bytes,
      SectionReference(
        offset: next, byteCount: UInt32(bytes.count),
        checksum: bytes.checksum)
    )
  }

  /// Everything up to the trailer, piece by piece.
  private func forEachPiece(
    _ record: [UInt8], _ body: (RawSpan) throws -> Void
  ) throws {
    let zeros = [UInt8](repeating: 0, count: 8)
    func padded(_ byteCount: Int, _ span: RawSpan) throws {
      try body(span)
      let padding = BlockFile.align(byteCount) - byteCount
      if padding > 0 { try body(zeros.rawSpan.extracting(0..<padding)) }
    }
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try padded(bytes.count, bytes.rawSpan)
      case .block(let block):
        let slice = try block.bytes()
        try padded(slice.range.count, slice.bytes)
      case .movedBlock(let block):
        let memory = try movedBytes(of: block)
        try padded(memory.byteCount, memory.bytes)
      case .value(let slice): try padded(slice.range.count, slice.bytes)
      case .copiedValue(let reference, let file):
        // As it is, a piece at a time: what is damaged stays so, and its checksum says it.
        let byteCount = reference.storedByteCount
        for start in stride(from: 0, to: byteCount, by: 1 << 20) {
          let piece = try file.file.read(
            byteCount: min(1 << 20, byteCount - start), at: Int(reference.offset) + start)
          try body(piece.rawSpan)
        }
        let padding = BlockFile.align(byteCount) - byteCount
        if padding > 0 { try body(zeros.rawSpan.extracting(0..<padding)) }
      }
    }
    try padded(record.count, record.rawSpan)
  }

  /// The whole commit in memory, its trailer included, for one write and one sync.
  mutating func finished(salt: UInt64) throws -> (bytes: [UInt8], trailer: Trailer) {
    let (bytes, section) = try close()
    var all: [UInt8] = []
    // SAFETY: The bytes are copied while the span lends them.
    try forEachPiece(bytes) { span in
      unsafe span.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
    }
    let trailer = Trailer(
      isSettled: false, salt: salt, offset: record.start + UInt64(all.count), record: section,
      commitChecksum: all.checksum)
    return (all + trailer.bytes, trailer)
  }

  /// Whether the commit is small enough to be made durable all at once (spec §4.3.4).
  var isSmall: Bool {
    byteCount + record.bytes.count <= BlockFile.unsettledByteCount - 64
  }

  /// Writes everything but the trailer, which is given back: it may be written once this is durable.
  mutating func write(into writer: inout FileWriter, salt: UInt64) throws -> Trailer {
    let (bytes, section) = try close()
    try forEachPiece(bytes) { span in try writer.write(span) }
    return Trailer(
      isSettled: true, salt: salt,
      offset: section.offset + UInt64(BlockFile.align(bytes.count)), record: section,
      commitChecksum: 0)
  }
}

extension Block {
  /// The block's bytes made smaller; `nil` when they are few, or gain nothing.
  fileprivate func compressed(_ level: Deflate.Level) throws -> [UInt8]? {
    guard byteCount >= BlockFile.leastCompressedByteCount else { return nil }
    let memory = try transposedBytes()
    let small = Deflate.compress(memory.bytes, level: level)
    return small.count < byteCount ? small : nil
  }
}

/// A segment of the next commit: one that is in the file, or a layer with the blocks that are.
enum SegmentPart {
  case stored(Segment)
  case made(Layer, [ObjectIdentifier: BlockEntry])

  var rowCount: Int {
    switch self {
    case .stored(let segment): Int(segment.record.rowCount)
    case .made(let layer, _): layer.count
    }
  }

  /// The part, to look rows up in.
  var table: any RowTable {
    switch self {
    case .stored(let segment): segment
    case .made(let layer, _): layer
    }
  }

  /// The part as a layer, and where its blocks are.
  func layer(_ schema: Schema) throws -> (layer: Layer, entries: [ObjectIdentifier: BlockEntry]) {
    switch self {
    case .stored(let segment): try segment.layer(schema)
    case .made(let layer, let known): (layer, known)
    }
  }
}
