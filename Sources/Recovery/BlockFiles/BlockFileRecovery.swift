import BlockFileFormat
import Deflate
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// Recovers the readable contents of a block file (spec §4).
final class BlockFileRecovery {
  let file: DamagedFile
  let given: Model?
  let scan: FileScan
  var sound = SoundRanges()
  var report = RecoveryReport()

  /// The entries of blocks in all records that can be read, by the blocks' offsets.
  private(set) var entries: [UInt64: BlockEntry] = [:]
  /// The blocks that were read, by their offsets.
  private var blocks: [UInt64: [Block]] = [:]
  /// Entries that do not match the bytes at their offset.
  private var falseEntries: Set<BlockEntry> = []
  private var soundValues: [OutsideReference: Bool] = [:]
  /// The sections of metadata, models and schemas that were checked.
  private var sections: Set<SectionReference> = []
  /// The pages that were read; `nil` for a page that can't be read.
  private var pages: [SectionReference: [BlockEntry]?] = [:]
  /// Commits whose records can be read, in the order of their offsets.
  private(set) var commits: [ReadCommit] = []
  var incomplete: Set<ObjectKey> = []
  /// The entities of the schema that the model lacks, by their numbers.
  private(set) var unknownEntities: [UInt16: String] = [:]
  /// The number of rows that have lost a column, by entity and column.
  private var lostColumnCounts: [UInt16: [UInt16: Int]] = [:]

  /// A commit, as its record describes it.
  struct ReadCommit {
    let record: CommitRecord
    /// The offset of the record.
    let offset: UInt64
    let end: UInt64
    let proof: Proof

    /// The relation of a trailer to a record.
    enum Proof {
      /// No trailer names the record.
      case none
      /// A trailer names the record, and its checksum does not match.
      case refuted
      case confirmed
    }

    var isConfirmed: Bool { proof == .confirmed }
  }

  init(_ file: DurableFile, model: Model?, progress: (Double) -> Void) throws {
    self.file = try DamagedFile(file)
    given = model
    report.byteCount = self.file.byteCount
    scan = FileScan(self.file) { progress($0 / 2) }
  }

  func run() throws -> RecoveredContents {
    // The effect of a feature of the class `refuse` is unknown, so the recovery is never complete.
    if let header = scan.header, !header.features.areRefused { sound.add(0, header.byteCount) }
    for trailer in scan.trailers { sound.add(trailer.offset, BlockFile.trailerByteCount) }
    readCommits()
    // Confirmed records come first, so that a damaged record does not hide their entries of the same offset.
    for commit in commits where commit.isConfirmed { record(commit) }
    for entry in entries.values { _ = block(entry) }
    for commit in commits where !commit.isConfirmed { record(commit) }
    for entry in entries.values { _ = block(entry) }
    findBlocks()
    // A record without its trailer counts if its schema and at least one of its blocks can be read.
    let newest = commits.last
    let head = commits.last { $0.isConfirmed || isSupported($0) }
    let description = try describe(head)
    report.commit = head?.record.number
    report.isNewest = head != nil && newest?.offset == head?.offset && head?.proof != .refuted
    var assembly = LayerAssembly(self, description.schema)
    if let head { assembly.add(head) }
    assembly.addFound(behind: head?.end ?? 0, version: (head?.record.number ?? 0) + 1)
    if report.laterRowCount > 0 { report.isNewest = false }
    let gaps = sound.gaps(
      in: file, afterCommitsAt: Set(scan.trailers.map { Int($0.end) }))
    report.unreadByteCount = gaps.reduce(0) { $0 + $1.count }
    report.unreadRanges = Array(gaps.prefix(1000))
    var report = report
    assembly.countLosses(&report)
    countLostValues(description.schema, &report)
    var contents = RecoveredContents(
      model: description.model, schema: description.schema, metadata: description.metadata,
      layers: assembly.layers, report: report, incomplete: incomplete)
    contents.isMixed = !report.isComplete
    return contents
  }

  /// Counts the lost values in damaged columns, by property.
  private func countLostValues(_ schema: Schema, _ report: inout RecoveryReport) {
    for (entity, counts) in lostColumnCounts {
      guard let layout = schema[entity] else { continue }
      for (number, count) in counts {
        guard let column = layout.columns.first(where: { $0.number == number }) else { continue }
        report.lostValueCounts["\(layout.entity).\(column.name)", default: 0] += count
      }
    }
  }

  // MARK: - Commits

  private func readCommits() {
    var known: Set<UInt64> = []
    var refuted: Set<UInt64> = []
    for trailer in scan.trailers {
      let section = trailer.record
      guard let bytes = file.bytes(section.offset, Int(section.byteCount)),
        bytes.checksum == section.checksum,
        let record = try? CommitRecord(bytes, at: section.offset)
      else {
        refuted.insert(section.offset)
        continue
      }
      known.insert(section.offset)
      sound.add(section.offset, bytes.count)
      commits.append(
        ReadCommit(record: record, offset: section.offset, end: trailer.end, proof: .confirmed))
    }
    // A record contains its length, so it can be read even if its trailer is lost.
    for offset in scan.recordOffsets.suffix(BlockFile.mostBrokenCommits)
    where !known.contains(offset) {
      let most = min(BlockFile.maximumRecordByteCount, file.byteCount - Int(offset))
      for count in [min(most, 1 << 16), most] {
        guard let bytes = file.bytes(offset, count),
          let (_, excess) = try? CommitRecord.unchecked(bytes, at: offset),
          let record = try? CommitRecord(Array(bytes.dropLast(excess)), at: offset)
        else { continue }
        commits.append(
          ReadCommit(
            record: record, offset: offset,
            end: offset + UInt64(BlockFile.align(bytes.count - excess)),
            proof: refuted.contains(offset) ? .refuted : .none))
        break
      }
    }
    commits.sort { $0.offset < $1.offset }
  }

  /// Records the sections and entries that a record refers to.
  private func record(_ commit: ReadCommit) {
    for section in [commit.record.metadata, commit.record.model, commit.record.schema]
    where sections.insert(section).inserted && file.bytes(of: section) != nil {
      sound.add(section.offset, Int(section.byteCount))
    }
    guard commit.isConfirmed || isSupported(commit) else { return }
    if commit.proof == .none { sound.add(commit.offset, Int(commit.end - commit.offset)) }
    for segment in commit.record.segments {
      for entry in segmentEntries(segment).flatMap({ $0 ?? [] }) {
        if entries[entry.offset] == nil { entries[entry.offset] = entry }
      }
    }
  }

  /// Returns whether a record without a trailer is supported by its schema and at least one of its blocks.
  private func isSupported(_ commit: ReadCommit) -> Bool {
    // The bytes of a value may look like a record.
    if sound.contains(commit.offset, in: sound.all) && !commit.isConfirmed
      && entries.values.contains(where: {
        $0.offset <= commit.offset && commit.offset < $0.offset + UInt64($0.byteCount)
      })
    {
      return false
    }
    guard file.bytes(of: commit.record.schema) != nil else { return false }
    let all = commit.record.segments.flatMap { segmentEntries($0).flatMap { $0 ?? [] } }
    return all.isEmpty || all.contains { block($0) != nil }
  }

  /// Returns the entries of a segment, page by page; `nil` for a page that can't be read.
  func segmentEntries(_ segment: SegmentRecord) -> [[BlockEntry]?] {
    switch segment.contents {
    case .entries(let entries): return [entries]
    case .pages(let references):
      return references.map { page in
        if let known = pages[page.section] { return known }
        var read: [BlockEntry]?
        if let bytes = file.bytes(of: page.section) {
          read = try? BlockEntry.all(
            Int(page.entryCount), in: bytes, at: page.section.offset,
            before: UInt64(file.byteCount))
          if read != nil { sound.add(page.section.offset, bytes.count) }
        }
        pages[page.section] = .some(read)
        return read
      }
    }
  }

  // MARK: - Blocks

  /// Returns the block of an entry, or `nil` if it can't be read.
  func block(_ entry: BlockEntry) -> [Block]? {
    if let known = blocks[entry.offset] {
      // Two records may contain different entries for one offset. The first entry that matched decides.
      guard let first = known.first, let last = known.last,
        first.entityNumber == entry.entity, first.minimumKey == entry.minimumKey,
        last.maximumKey == entry.maximumKey, first.flags == entry.run.flags,
        known.reduce(0, { $0 + $1.rowCount }) == Int(entry.rowCount)
      else { return nil }
      return known
    }
    guard !falseEntries.contains(entry) else { return nil }
    guard let found = file.block(entry).flatMap({ withSoundValues($0) }) else {
      falseEntries.insert(entry)
      return nil
    }
    blocks[entry.offset] = found
    sound.add(entry.offset, Int(entry.byteCount))
    return found
  }

  /// Finds blocks that no record lists.
  private func findBlocks() {
    var known = sound.all
    for offset in scan.blockOffsets where !sound.contains(offset, in: known) {
      guard blocks[offset] == nil, let first = file.bytes(offset, BlockFormat.headerByteCount)
      else { continue }
      var reader = ByteReader(first, at: offset)
      guard (try? reader.skip(BlockFormat.Header.blockByteCount)) != nil,
        let count = try? reader.next(UInt32.self)
      else { continue }
      add(offset, stored: Int(count), codec: .plain, blockByteCount: Int(count))
    }
    known = sound.all
    var end: UInt64 = 0
    for offset in scan.compressedOffsets
    where offset >= end && !sound.contains(offset, in: known) && blocks[offset] == nil {
      guard let start = file.bytes(offset, min(2048, file.byteCount - Int(offset))),
        let head = DamagedFile.start(of: start, count: BlockFormat.headerByteCount),
        head.starts(with: [0x51, 0x42, 0x4C, 0x4B])
      else { continue }
      let count = head[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard count >= BlockFormat.headerByteCount, count <= BlockFormat.maximumByteCount,
        let taken = file.compressedByteCount(at: offset, expandingTo: count)
      else { continue }
      if add(offset, stored: taken, codec: .transposed, blockByteCount: count) {
        end = offset + UInt64(taken)
      }
    }
  }

  /// The blocks that no record lists, each with its offset and an entry made of it.
  private(set) var found: [(offset: UInt64, entry: BlockEntry)] = []

  @discardableResult
  private func add(
    _ offset: UInt64, stored: Int, codec: BlockEntry.Codec, blockByteCount: Int
  ) -> Bool {
    guard let salvaged = file.unlistedBlock(at: offset, stored, codec, blockByteCount),
      let whole = withSoundValues(salvaged)
    else { return false }
    let block = salvaged.block
    let run: RunKind =
      block.flags.contains(.changes) ? .changed : block.flags.contains(.removals) ? .removed : .put
    found.append(
      (
        offset,
        BlockEntry(
          block, run: run, offset: offset, codec: codec, byteCount: stored, outsideByteCount: 0)
      ))
    blocks[offset] = whole
    sound.add(offset, stored)
    return true
  }

  /// Returns the rows of a block, without columns and values that can't be read.
  private func withSoundValues(_ salvaged: SalvagedBlock) -> [Block]? {
    let (block, lostColumns) = (salvaged.block, salvaged.lostColumns)
    guard let references = try? block.outsideReferences(without: lostColumns) else { return nil }
    var lost: Set<OutsideReference> = []
    for reference in references {
      let isSound = soundValues[reference] ?? file.isSound(reference)
      soundValues[reference] = isSound
      if isSound {
        sound.add(reference.offset, reference.storedByteCount)
      } else {
        lost.insert(reference)
      }
    }
    guard !lost.isEmpty || !lostColumns.isEmpty else { return [block] }
    report.lostValueCount += references.count { lost.contains($0) }
    guard let mended = try? block.withoutValues(lost, columns: lostColumns) else { return nil }
    for number in lostColumns {
      lostColumnCounts[block.entityNumber, default: [:]][number, default: 0] += block.rowCount
    }
    for number in mended.keys {
      incomplete.insert(ObjectKey(entity: block.entityNumber, number: number))
    }
    return mended.blocks
  }

  // MARK: - Metadata, model and schema

  private func describe(
    _ head: ReadCommit?
  ) throws -> (model: Model, schema: Schema, metadata: StoreMetadata) {
    let newestFirst = (head.map { [$0] } ?? []) + commits.reversed()
    func firstSound<R>(
      _ name: String, _ section: (CommitRecord) -> SectionReference, _ read: ([UInt8], UInt64) -> R?
    ) -> R? {
      for commit in newestFirst {
        let reference = section(commit.record)
        if let bytes = file.bytes(of: reference), let result = read(bytes, reference.offset) {
          return result
        }
        if let bytes = file.mendedBytes(of: reference), let result = read(bytes, reference.offset) {
          report.notes.append(
            "One bit of the \(name) at \(reference.offset) was wrong. Its checksum told the right one."
          )
          return result
        }
      }
      return nil
    }
    let metadata =
      firstSound("metadata", \.metadata) { bytes, _ -> StoreMetadata? in
        guard case .dictionary(let values)? = try? BinaryPropertyList.read(bytes) else {
          return nil
        }
        return StoreMetadata(values: values)
      }
    let model =
      try firstSound("model", \.model) { bytes, _ in try? Model(ModelSource.read(bytes, path: "")) }
      ?? lostModel(metadata)
    let known = firstSound("schema", \.schema) { try? SchemaCoding.read($0, at: $1) }
    let settled: Schema
    do { settled = try Schema(model, evolving: known ?? lostSchema(model), of: model) } catch {
      throw RecoveryError("The model that was found is not valid: \(error)")
    }
    for layout in known?.layouts ?? [] where settled[layout.entityNumber] == nil {
      unknownEntities[layout.entityNumber] = layout.entity
    }
    var own = metadata ?? StoreMetadata(type: .binary, model: model)
    if metadata == nil { report.notes.append("The metadata of the application are lost.") }
    if let uuid = scan.header?.uuid {
      own.values[StoreMetadata.Key.uuid] = .string(uuid.uuidString)
    }
    return (model, settled, own)
  }

  /// Returns the model of a file in which no model matches its checksum.
  private func lostModel(_ metadata: StoreMetadata?) throws(RecoveryError) -> Model {
    let loose = scan.modelOffsets.reversed().lazy.compactMap { self.looseModel($0) }
    // No checksum proves such a model sound, unless its hashes match the hashes in the metadata.
    if let hashes = metadata?.versionHashes,
      let found = loose.first(where: { $0.versionHashes == hashes })
    {
      report.notes.append("The model was found without its record.")
      return withoutRules(found)
    }
    if let given {
      report.notes.append("The file's model is lost. The given model is used instead.")
      return given
    }
    guard let found = loose.first else {
      throw RecoveryError("The file's model can't be read.", lacksModel: true)
    }
    report.notes.append("The model was found without its record, and may be damaged.")
    return withoutRules(found)
  }

  /// Returns a model that no checksum proves without its rules for values.
  ///
  /// A damaged rule would make sound values invalid, as would a required property with a damaged name, which has no values.
  private func withoutRules(_ model: Model) -> Model {
    var description = model.description
    func drop(_ attribute: inout Attribute) {
      attribute.validation = Attribute.Validation()
      attribute.isOptional = true
    }
    for entity in description.entities.indices {
      for index in description.entities[entity].declaredProperties.indices {
        switch description.entities[entity].declaredProperties[index] {
        case .attribute(var attribute):
          drop(&attribute)
          description.entities[entity].declaredProperties[index] = .attribute(attribute)
        case .relationship(var relationship):
          relationship.validationPredicates = []
          relationship.isOptional = true
          description.entities[entity].declaredProperties[index] = .relationship(relationship)
        case .fetched: break
        }
      }
    }
    for index in description.composites.indices {
      for part in description.composites[index].attributes.indices {
        drop(&description.composites[index].attributes[part])
      }
    }
    guard description != model.description, let free = try? Model(description) else { return model }
    report.notes.append(
      "The rules for values in this model may be damaged too, so the new store has none of them.")
    return free
  }

  /// Returns the schema of a file in which no schema matches its checksum, or `nil` for the schema of a new
  /// store.
  private func lostSchema(_ model: Model) throws(SchemaError) -> Schema? {
    let new = try Schema(model)
    let bytes = SchemaCoding.bytes(new)
    if let newest = commits.last?.record.schema, newest.byteCount == bytes.count,
      newest.checksum == bytes.checksum
    {
      report.notes.append(
        "The schema is damaged, but its checksum equals the checksum of a new store's schema.")
      return nil
    }
    // No checksum proves such a schema sound, so it must fit the rows that were read.
    let loose = scan.schemaOffsets.reversed().lazy.compactMap { self.looseSchema($0, model) }.first
    if let loose, let settled = try? Schema(model, evolving: loose, of: model),
      knownColumnCount(settled) >= knownColumnCount(new)
    {
      report.notes.append("The schema was found without its record.")
      return loose
    }
    report.notes.append(
      "The file's schema is lost. Entities and properties have the same numbers as in a new store.")
    return nil
  }

  /// Returns the number of columns in all blocks read so far that fit a schema by number and type.
  private func knownColumnCount(_ schema: Schema) -> Int {
    blocks.values.reduce(0) { count, found in
      guard let block = found.first, let layout = schema[block.entityNumber] else { return count }
      return count
        + block.columnNumbers.count { number in
          guard !block.hasOutsideValues(in: number), let index = layout.index(ofNumber: number)
          else { return false }
          return (try? block.column(number))?.kind.widens(to: layout.columns[index].kind) ?? false
        }
    }
  }

  /// Returns the schema that begins at an offset, with unknown length and checksum, or `nil` if it does not fit
  /// the model.
  private func looseSchema(_ offset: UInt64, _ model: Model) -> Schema? {
    let most = min(1 << 20, file.byteCount - Int(offset))
    guard let bytes = file.bytes(offset, most),
      let schema = try? SchemaCoding.start(of: bytes, at: offset).schema,
      schema.numberingFaults(of: model).isEmpty
    else { return nil }
    return schema
  }

  /// Returns the model that begins at an offset, with unknown length, or `nil` if it can't be read.
  private func looseModel(_ offset: UInt64) -> Model? {
    let most = min(BlockFile.maximumSectionByteCount, file.byteCount - Int(offset))
    guard let bytes = file.bytes(offset, min(most, 1 << 22)) else { return nil }
    let end = Array("</model>".utf8)
    guard let close = bytes.firstRange(of: end) else { return nil }
    return try? Model(ModelSource.read(Array(bytes[..<close.upperBound]), path: ""))
  }
}
