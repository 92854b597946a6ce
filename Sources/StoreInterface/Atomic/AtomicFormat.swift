public import DurableFiles
public import ObjectModel
public import Rows

/// A format with files that are read whole and written whole. A small backend needs nothing else.
///
///     let store = try AtomicStore.open("Trips.xml", format: format, on: disk)
///
/// ``AtomicStore`` makes a full store of the format: with snapshots, conflicts, keys and access by several processes.
public protocol AtomicFormat: Sendable {
  /// The type of the format's stores.
  var type: StoreType { get }

  /// The version of the format that ``write(_:to:)`` writes.
  var version: String { get }

  /// Reads the whole contents of a file.
  ///
  /// - Parameters:
  ///   - model: The model that the store was written with, according to the caller; `nil` if the file must contain
  ///     it.
  ///   - schema: The schema to continue the numbers of, if possible; `nil` to take the numbers from the file, or to
  ///     assign new numbers.
  /// - Throws: ``StoreError``, with code ``StoreError/Code/damaged`` if the file is not a store in this format.
  func read(_ file: DurableFile, model: Model?, evolving schema: Schema?) throws -> AtomicContents

  /// Writes the whole contents.
  ///
  /// Reading the file must return the same contents.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badChange`` for contents that the format can't express; the
  ///   errors of the writer.
  func write(_ contents: AtomicContents, to writer: inout FileWriter) throws
}

/// The whole contents of a store.
public struct AtomicContents: Sendable {
  /// The model that the store was written with.
  public var model: Model
  /// The numbers of the model's entities and properties in the rows.
  public var schema: Schema
  /// The metadata of the store.
  public var metadata: StoreMetadata
  /// The rows in layers, the lowest first. A format that has read a file gives one layer, in which each row is whole.
  public var layers: [Layer]
  /// The lowest number that was never reserved for an object. All entities share one sequence of numbers. A format gives the
  /// number as its file records it, and ``AtomicStore`` raises it above the objects.
  public var nextKey: UInt64

  /// Creates contents from the given parts.
  public init(
    model: Model, schema: Schema, metadata: StoreMetadata, layers: [Layer], nextKey: UInt64
  ) {
    self.model = model
    self.schema = schema
    self.metadata = metadata
    self.layers = layers
    self.nextKey = nextKey
  }

  /// A view of the objects.
  public var view: View { View(layers) }
}
