public import DurableFiles
import Foundation
public import ObjectModel
import SQLiteFiles
import SQLiteStoreFormat
public import StoreInterface

/// Stores in SQLite databases, in the tables of Core Data's own SQLite store (spec §10).
///
///     let backend = SQLiteStoreBackend()
///     let store = try backend.open("App.sqlite", on: RealDisk(), StoreOpening(readOnly: true))
///
/// A database that Core Data wrote is opened with the model that it carries, or with one that is given.
public struct SQLiteStoreBackend: StoreBackend {
  /// How its stores are read and written.
  public let options: SQLiteStoreOptions

  /// The backend.
  public init(options: SQLiteStoreOptions = SQLiteStoreOptions()) { self.options = options }

  /// The SQLite database.
  public var type: StoreType { .sqlite }
  /// Commits write what changed, survive, and are seen by others.
  public var capabilities: StoreCapabilities { SQLiteStoreBackend.capabilities }
  static let capabilities: StoreCapabilities = [
    .incremental, .durable, .shared, .history, .querying,
  ]

  /// Whether the bytes begin an SQLite database.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: SQLiteStoreBackend.mark)
  }

  static let mark = Array("SQLite format 3\0".utf8)

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try SQLiteStore.create(at: path, model: model, on: disk, creation, options)
    return try open(path, on: disk, StoreOpening())
  }

  /// Opens a store.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel`` also when the database does not carry its model and
  ///   none was given.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try SQLiteStore(path, disk, opening, options)
  }

  /// What a store says of itself, as it says it.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try asStore(path) {
      let place = try DatabasePlace(path, disk)
      let connection: SQLiteConnection
      do {
        connection =
          try place.isInUse
          ? SQLiteConnection(path, for: .reading, patience: options.patience)
          : SQLiteConnection(undisturbed: path, on: disk)
      } catch let error as DiskError { throw StoreError(error, path: path) }
      guard try DatabaseTables(connection).has("Z_METADATA", "Z_UUID", "Z_PLIST") else {
        throw StoreError(
          .notAStore, "The file is an SQLite database, but no store: it has no table Z_METADATA.",
          path: path)
      }
      return try StoreContents.metadata(connection).metadata
    }
  }
}

/// How stores in SQLite databases are read and written.
public struct SQLiteStoreOptions: Sendable, Hashable {
  /// How long a save waits for another process's.
  public var patience: Duration = .seconds(10)
  /// Which share of the file what was before commits may take, so that earlier commits can be opened; the oldest are forgotten
  /// above that. With 0 none is kept.
  public var historyShare = 0.5
  /// How many bytes it may take in any case.
  public var leastHistoryByteCount = 1 << 20

  /// The usual way.
  public init() {}
}
