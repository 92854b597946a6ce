import BlockFileFormat
import Checksums
import Deflate
import ObjectModel
import Rows

/// Large values that are moved into sections of their own. In a commit, these sections lie before the blocks that refer
/// to them (spec §4.5.7).
final class ValueSections: OutsideWriter {
  /// The file as a source of outside values, for the blocks that refer to the new sections.
  let values: any OutsideValues
  /// The pieces to write one after another, each with its offset.
  private(set) var sections: [(offset: UInt64, piece: CommitImage.Piece)] = []
  private var next: UInt64
  private let compression: Deflate.Level?
  private let options: BinaryStoreOptions
  private let schema: Schema
  private let model: () throws -> Model
  /// The columns of attributes marked for external storage; `nil` until they are first needed.
  private var marked: Set<Column>?

  private struct Column: Hashable {
    var entity: UInt16
    var number: UInt16
  }

  /// Creates an empty list of sections. The first section will begin at `start` in the file.
  init(
    of file: StoreFile, at start: UInt64, compression: Deflate.Level?,
    options: BinaryStoreOptions, schema: Schema, model: @escaping () throws -> Model
  ) {
    values = file
    next = start
    self.compression = compression
    self.options = options
    self.schema = schema
    self.model = model
  }

  func putsOutside(_ byteCount: Int, column: UInt16, entity: UInt16) throws -> Bool {
    guard byteCount <= OutsideReference.maximumByteCount else { return false }
    if byteCount >= options.leastOutsideByteCount { return true }
    // The model is read only when a value needs it, and not for every small save.
    guard byteCount >= options.leastExternalByteCount else { return false }
    if marked == nil { marked = try ValueSections.marked(model(), schema) }
    return marked!.contains(Column(entity: entity, number: column))
  }

  func add(_ value: BlockSlice) throws -> OutsideReference {
    var kept = value
    var codec = OutsideReference.Codec.plain
    if let compression, let small = ValueSections.compressed(value, compression) {
      kept = BlockSlice(BlockMemory(small))
      codec = .zlib
    }
    let reference = OutsideReference(
      offset: next, byteCount: value.range.count, storedByteCount: kept.range.count,
      checksum: CRC32C.checksum(of: kept.bytes), codec: codec)
    add(.value(kept))
    return reference
  }

  func add(_ reference: OutsideReference, from values: any OutsideValues) -> OutsideReference? {
    guard let file = values as? StoreFile else { return nil }
    var copied = reference
    copied.offset = next
    add(.copiedValue(reference, from: file))
    return copied
  }

  private func add(_ piece: CommitImage.Piece) {
    sections.append((next, piece))
    next += UInt64(BlockFile.align(piece.byteCount))
  }

  /// Returns the compressed bytes; `nil` if compression saves less than a sixteenth. Pictures and sound, for example,
  /// are compressed already.
  private static func compressed(_ value: BlockSlice, _ level: Deflate.Level) -> [UInt8]? {
    func pays(_ small: Int, _ whole: Int) -> Bool { small < whole - whole / 16 }
    let bytes = value.bytes
    // The beginning of a long value shows how well the value compresses.
    let sample = min(bytes.byteCount, 65_536)
    if sample < bytes.byteCount {
      let small = Deflate.compress(bytes.extracting(0..<sample), level: level)
      guard pays(small.count, sample) else { return nil }
    }
    let small = Deflate.compress(bytes, level: level)
    return pays(small.count, bytes.byteCount) ? small : nil
  }

  private static func marked(_ model: Model, _ schema: Schema) -> Set<Column> {
    var marked: Set<Column> = []
    for layout in schema.layouts {
      for case .attribute(let attribute) in model.properties(of: layout.entity) {
        for way in model.storedParts(of: attribute)
        where way.last?.options.contains(.allowsExternalStorage) == true {
          guard let index = layout.index(of: way.map(\.name).joined(separator: ".")) else {
            continue
          }
          marked.insert(Column(entity: layout.entityNumber, number: layout.columns[index].number))
        }
      }
    }
    return marked
  }
}
