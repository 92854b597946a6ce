import BlockFileFormat
import Deflate
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// A commit before it is written into a file: its pieces, their offsets, and its record.
struct CommitImage {
  /// A piece of a commit. Pieces are written one after another from the commit's start.
  enum Piece {
    case bytes([UInt8])
    case block(Block)
    /// A block from another file. The offsets of its outside values change in this file.
    case movedBlock(Block)
    case value(BlockSlice)
    /// A value that is copied from another file.
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

  var record: CommitRecord
  /// The compression level of blocks; `nil` if they are not compressed.
  let compression: Deflate.Level?
  /// The metadata, model and schema that this commit sets; `nil` for each that stays.
  private(set) var pending = CommittedState.Description()
  /// The segments that this commit sets; `nil` if they stay.
  var segments: NextSegments?
  var pieces: [Piece] = []
  /// The new segment, if it is small. The next commits merge it, and need not read it.
  private(set) var made: MadeSegment?
  /// Blocks that have been compressed already.
  private var compressed: [ObjectIdentifier: [UInt8]] = [:]
  /// For each value that this commit puts into its own section, the index of the section in ``pieces``. The
  /// dictionary's keys are the offsets of the sections.
  var valuePieces: [UInt64: Int] = [:]
  /// The source of the live data, when the file is written again.
  var origin: Origin?
  var next: UInt64

  /// The number of bytes before the record.
  var byteCount: Int { Int(next - record.start) }

  /// Creates a commit that begins at `start`.
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

  /// Creates a commit after another one. It keeps everything of that commit that is not set.
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
    if number == head.commit {
      // The commit stays the same; only the reserved keys change.
      record.time = head.record.time
      record.author = head.record.author
      record.contextName = head.record.contextName
    }
  }

  /// Creates a copy of a commit in a file, to be written into another file.
  init(copying state: CommittedState, compression: Deflate.Level?) {
    self.init(
      after: state, number: state.commit, start: state.end, compression: compression)
  }

  /// Sets the author and the context name of the commit, and the time of a version.
  ///
  /// - Throws: `StoreError` if a text has more bytes than a record can contain (spec §4.4.1).
  mutating func setOrigin(of request: CommitRequest, path: String) throws {
    record.author = request.author ?? ""
    record.contextName = request.contextName ?? ""
    if let version = request.version {
      record.time = Int64((version.saved.timeIntervalSinceReferenceDate * 1000).rounded())
    }
    for text in [record.author, record.contextName] where text.utf8.count > UInt16.max {
      throw StoreError(
        .badChange,
        "A name of \(text.utf8.count) bytes is too long for the history. The limit is \(UInt16.max) bytes.",
        path: path)
    }
  }

  /// Sets the metadata.
  ///
  /// - Parameter areKnown: Whether all values come from the file, or from the store itself. Every reader accepts these:
  ///   only values of a caller can be nested too deep, and a list never has more values than bytes.
  mutating func setMetadata(_ metadata: StoreMetadata, areKnown: Bool = false) throws {
    pending.metadata = metadata
    let bytes = BinaryPropertyList.write(.dictionary(metadata.values))
    if !areKnown {
      try checkReadable("metadata") { _ = try BinaryPropertyList.read(bytes) }
    }
    record.metadata = try add(section: bytes)
  }

  /// Sets the metadata, the model and its schema.
  mutating func setDescription(
    metadata: StoreMetadata, model: Model, schema: Schema
  ) throws {
    record.schemaNumber = record.number
    try setMetadata(metadata)
    try setModel(model, schema)
  }

  mutating func setModel(_ model: Model, _ schema: Schema) throws {
    pending.model = model
    pending.schema = schema
    let source = try ModelSource.write(model)
    // A model that was created keeps every limit but the length, so check only long texts.
    if source.count > CommitImage.surelyReadableByteCount {
      try checkReadable("model") { _ = try ModelSource.read(source, path: "") }
    }
    record.model = try add(section: source)
    record.schema = try add(section: SchemaCoding.bytes(schema))
  }

  private static let surelyReadableByteCount = 1 << 24

  /// Throws if a reader would refuse a part that is about to be written (spec §4.8).
  private func checkReadable(_ part: String, _ read: () throws -> Void) throws {
    do { try read() } catch {
      throw StoreError(
        .badChange, "The \(part) can't be saved, because no program could read it again: \(error)",
        cause: error)
    }
  }

  /// Moves the large values of changes into sections of this commit, and returns the changes.
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

  /// Copies the values that a block of another file refers to, except values copied before.
  private mutating func copyValues(_ references: [OutsideReference]) {
    for reference in references {
      guard let origin, origin.copied.values[reference.offset] == nil else { continue }
      self.origin!.copied.values[reference.offset] = next
      add(origin.pieces[reference.offset] ?? .copiedValue(reference, from: origin.file))
    }
  }

  /// Sets the segments, and adds the blocks that are not in the file yet.
  ///
  /// - Precondition: The record lists the segments of the commit before.
  mutating func setSegments(_ next: NextSegments, _ schema: Schema) throws {
    segments = next
    record.segments.removeLast(record.segments.count - next.kept.count)
    if next.layer.isEmpty { return }
    let (segment, added) = try add(next.layer, next.known, above: View(next.tables), schema)
    record.segments.append(segment)
    guard segment.byteCount <= CommitImage.keptByteCount else { return }
    guard !next.known.isEmpty else {
      made = MadeSegment(layer: next.layer, entries: added)
      return
    }
    // The segments that were merged name further blocks, which end now; another block may get their identifier.
    let entries = next.layer.blocks.map { block in
      let id = ObjectIdentifier(block)
      return (id, (next.known[id] ?? added[id])!)
    }
    made = MadeSegment(layer: next.layer, entries: Dictionary(uniqueKeysWithValues: entries))
  }

  /// The largest segment whose blocks stay in memory.
  private static let keptByteCount: UInt64 = 65_536

  mutating func add(
    _ layer: Layer, _ known: [ObjectIdentifier: BlockEntry], above view: @autoclosure () -> View,
    _ schema: Schema
  ) throws -> (record: SegmentRecord, added: [ObjectIdentifier: BlockEntry]) {
    var entries: [BlockEntry] = []
    var added: [ObjectIdentifier: BlockEntry] = [:]
    try compress(
      layer.blocks.filter { known[ObjectIdentifier($0)] == nil })
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
      let view = view()
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
      var writer = ByteWriter(capacity: page.count * BlockFile.entryByteCount)
      for entry in page { entry.write(into: &writer) }
      byteCount += UInt64(writer.count)
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

  mutating func add(_ block: Block, _ run: RunKind) throws -> BlockEntry {
    let references = try block.outsideReferences()
    copyValues(references)
    let isMoved = !references.isEmpty && origin != nil
    let outsideByteCount = references.reduce(0) { $0 + UInt64($1.storedByteCount) }
    let offset = next
    var small = compressed.removeValue(forKey: ObjectIdentifier(block))
    if small == nil, let compression {
      var source = block
      if isMoved { source = try Block(movedBytes(of: block)) }
      small = try source.compressed(compression)
    }
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

  /// Returns the bytes of a block of another file, with the offsets of its values in this file.
  func movedBytes(of block: Block) throws -> BlockMemory {
    try block.bytes { origin?.copied.values[$0] ?? $0 }
  }

  mutating func add(section bytes: [UInt8]) throws -> SectionReference {
    guard bytes.count <= BlockFile.maximumSectionByteCount else {
      throw StoreError(
        .badChange,
        "A section of \(bytes.count) bytes is larger than the limit of \(BlockFile.maximumSectionByteCount) bytes."
      )
    }
    let section = SectionReference(
      offset: next, byteCount: UInt32(bytes.count),
      checksum: bytes.checksum)
    add(.bytes(bytes))
    return section
  }

  mutating func add(_ piece: Piece) {
    pieces.append(piece)
    next += UInt64(BlockFile.align(piece.byteCount))
  }
}

extension Block {
  /// Returns the compressed bytes of the block; `nil` if the block is small, or compression does not make it smaller.
  fileprivate func compressed(_ level: Deflate.Level) throws -> [UInt8]? {
    guard byteCount >= BlockFile.leastCompressedByteCount else { return nil }
    let memory = try transposedBytes()
    let small = Deflate.compress(memory.bytes, level: level)
    return small.count < byteCount ? small : nil
  }
}
