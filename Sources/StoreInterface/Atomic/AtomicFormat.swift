public import DurableFiles
public import ObjectModel
public import Rows

/// A format whose files are read whole and written whole: all that a small backend has to bring.
///
///     let store = try AtomicStore.open("Trips.xml", format: format, on: disk)
///
/// ``AtomicStore`` makes a full store of it: snapshots, conflicts, keys, several processes.
public protocol AtomicFormat: Sendable {
  /// The type of its stores.
  var type: StoreType { get }

  /// The version of the format that is written.
  var version: String { get }

  /// Reads everything a file holds.
  ///
  /// - Parameters:
  ///   - model: The model that the caller says the store was written with; `nil` when the file must
  ///     hold it.
  ///   - schema: The schema that numbers are to go on from, where they can; `nil` when they are as the
  ///     file says, or begin anew.
  /// - Throws: ``StoreError``, with code ``StoreError/Code/damaged`` when the file is no such store.
  func read(_ file: DurableFile, model: Model?, evolving schema: Schema?) throws -> AtomicContents

  /// Writes everything.
  ///
  /// What is written must be read back as it was.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badChange`` for what the format can't hold,
  ///   and what the writer throws.
  func write(_ contents: AtomicContents, to writer: inout FileWriter) throws
}

/// Everything that a store holds.
public struct AtomicContents: Sendable {
  /// The model the store was written with.
  public var model: Model
  /// The numbers that the rows know the model's entities and properties by.
  public var schema: Schema
  /// What the store says of itself.
  public var metadata: StoreMetadata
  /// The rows: layers, the lowest first. What is read is one layer of whole rows.
  public var layers: [Layer]
  /// The lowest number that was never set aside for an object. All entities share one count.
  public var nextKey: UInt64

  /// The given contents.
  public init(
    model: Model, schema: Schema, metadata: StoreMetadata, layers: [Layer], nextKey: UInt64
  ) {
    self.model = model
    self.schema = schema
    self.metadata = metadata
    self.layers = layers
    self.nextKey = nextKey
  }

  /// The objects.
  public var view: View { View(layers) }
}
