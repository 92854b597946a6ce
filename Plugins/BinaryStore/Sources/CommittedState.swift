import BlockFileFormat
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import Synchronization

/// A commit of a file, as a snapshot shows it.
final class CommittedState: StoreSnapshot {
  let file: StoreFile
  let record: CommitRecord
  let trailer: Trailer
  let schema: Schema
  let segments: [Segment]
  private let lazy: Mutex<Description>

  /// The parts of a commit besides its rows. The metadata and the model of a commit in the file are read on first use,
  /// because rows need neither.
  struct Description {
    var metadata: StoreMetadata?
    var model: Model?
    var schema: Schema?
  }

  var commit: Int64 { record.number }
  var tables: [any RowTable] { segments }
  /// The offset at which the commit ends.
  var end: UInt64 { trailer.end }

  /// Reads a commit.
  ///
  /// - Parameters:
  ///   - before: A commit that was read already. Equal parts are shared with it, including blocks in memory.
  ///   - image: The commit as this process has written it.
  init(
    _ trailer: Trailer, _ record: CommitRecord, in file: StoreFile, after before: CommittedState?,
    writtenAs image: CommitImage? = nil
  ) throws {
    self.file = file
    self.record = record
    self.trailer = trailer
    let before = before?.file === file ? before : nil
    let known = image?.pending ?? Description()
    var lazy = known
    if let before {
      before.lazy.withLock { known in
        if before.record.metadata == record.metadata { lazy.metadata = known.metadata }
        if before.record.model == record.model { lazy.model = known.model }
      }
    }
    self.lazy = Mutex(lazy)
    if let schema = known.schema {
      self.schema = schema
    } else if let before, before.record.schema == record.schema {
      schema = before.schema
    } else {
      schema = try CommittedState.schema(record, file)
    }
    file.takeNames(from: schema)
    let limit = trailer.record.offset
    let allowance = BlockAllowance(before: limit)
    if let image, let next = image.segments {
      var segments: [Segment] = []
      segments.reserveCapacity(record.segments.count)
      segments += next.kept
      if segments.count < record.segments.count {
        segments.append(
          Segment(
            record.segments[segments.count], in: file, before: limit, within: allowance,
            knowing: image.made))
      }
      self.segments = segments
      return
    }
    let earlier = before?.segments ?? []
    segments = record.segments.enumerated().map { index, part in
      // A commit adds segments at the end, or merges the last ones.
      if index < earlier.count, earlier[index].record == part { return earlier[index] }
      return earlier.first { $0.record == part }
        ?? Segment(part, in: file, before: limit, within: allowance)
    }
  }

  var metadata: StoreMetadata {
    get throws {
      if let known = lazy.withLock({ $0.metadata }) { return known }
      let metadata = try CommittedState.metadata(record, file)
      lazy.withLock { $0.metadata = metadata }
      return metadata
    }
  }

  var model: Model {
    get throws {
      if let known = lazy.withLock({ $0.model }) { return known }
      let source = try file.bytes(of: record.model)
      let model: Model
      do { model = try Model(contents: source, path: file.path) } catch {
        throw StoreError(
          .damaged, "The model can't be read: \(error)", path: file.path, cause: error)
      }
      if let gap = schema.gap(against: model) {
        throw StoreError(.damaged, "The schema does not fit the model: \(gap)", path: file.path)
      }
      lazy.withLock { $0.model = model }
      return model
    }
  }

  private static let knownMetadata = RecentlyRead<StoreMetadata>()

  static func metadata(_ record: CommitRecord, _ file: StoreFile) throws -> StoreMetadata {
    try knownMetadata.part(file.bytes(of: record.metadata)) { bytes in
      do {
        guard case .dictionary(let values) = try BinaryPropertyList.read(bytes) else {
          throw FormatFault("The metadata are not a dictionary.")
        }
        return StoreMetadata(values: values)
      } catch {
        throw StoreError(
          .damaged, "The metadata can't be read: \(error)", path: file.path, cause: error)
      }
    }
  }

  private static let knownSchemas = RecentlyRead<Schema>()

  private static func schema(_ record: CommitRecord, _ file: StoreFile) throws -> Schema {
    try knownSchemas.part(file.bytes(of: record.schema)) { bytes in
      try file.reading { try SchemaCoding.read(bytes, at: record.schema.offset) }
    }
  }
}
