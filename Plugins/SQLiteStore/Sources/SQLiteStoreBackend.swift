public import DurableFiles
import Foundation
public import ObjectModel
import RelationalStore
import SQLiteFiles
public import StoreInterface

/// The backend for stores in SQLite databases, in the tables that Core Data's SQLite store uses (spec §10).
///
///     let backend = SQLiteStoreBackend()
///     let store = try backend.open("App.sqlite", on: RealDisk(), StoreOpening(readOnly: true))
///
/// A database of Core Data is opened with the model that it contains, or with a model that the caller gives.
public struct SQLiteStoreBackend: StoreBackend {
  /// The options of its stores.
  public let options: SQLiteStoreOptions

  public init(options: SQLiteStoreOptions = SQLiteStoreOptions()) { self.options = options }

  public var type: StoreType { .sqlite }
  /// Commits write only changes, are durable, and reach other processes.
  public var capabilities: StoreCapabilities { SQLiteStoreBackend.capabilities }
  static let capabilities: StoreCapabilities = [
    .incremental, .durable, .shared, .history, .querying,
  ]

  /// Returns whether the bytes begin an SQLite database.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: StorePlaces.databaseMark)
  }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try SQLiteStore.create(at: path, model: model, on: disk, creation)
    return try open(path, on: disk, StoreOpening())
  }

  /// Opens a store.
  ///
  /// - Throws: `StoreError`, with code `StoreError.Code.incompatibleModel` also if the model is neither in the
  ///   database nor given by the caller.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try SQLiteStore(path, disk, opening, options)
  }

  /// Returns the rules of stores in SQLite databases (`SQLS`).
  public func rules() throws -> [Rule] { SQLiteRules.all }

  /// Checks a database against the rules of its format, without running any code in the database.
  public func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck? {
    try SQLiteFileCheck(path, on: disk, model: model, progress: progress).run()
  }

  /// Writes a copy of a database by SQLite's backup interface. Other programs may save to the database meanwhile.
  ///
  /// - Returns: `true`.
  public func backUp(_ path: String, to copy: String, on disk: any Disk) throws -> Bool {
    try asStore(path) {
      let place = try DatabasePlace(path, disk)
      try place.checkIsReal()
      func write(from connection: SQLiteConnection) throws {
        try connection.copyDatabase(
          to: SQLiteConnection(copy, for: .creating, patience: options.patience))
      }
      var isWritten = false
      if !place.isInUse {
        // A connection with locks would leave an empty log beside a database that is not in use.
        let connection = try place.undisturbed()
        let result = Result { try write(from: connection) }
        isWritten = !connection.isChanged && !place.isInUse
        if isWritten { try result.get() } else { try? disk.remove(copy) }
      }
      if !isWritten {
        try write(from: SQLiteConnection(path, for: .reading, patience: options.patience))
      }
      let file = try disk.open(copy, for: .update)
      try file.sync(.everything)
      try file.close()
      return true
    }
  }

  /// Returns the metadata that a store contains, without opening the store.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try asStore(path) {
      let place = try DatabasePlace(path, disk)
      let connection =
        try place.isInUse
        ? SQLiteConnection(path, for: .reading, patience: options.patience) : place.undisturbed()
      if try StoreContents.isPlain(connection) {
        return try StoreContents(plain: connection, model: nil).metadata
      }
      guard try DatabaseTables(connection).has("Z_METADATA", "Z_UUID", "Z_PLIST") else {
        throw StoreError(
          .notAStore,
          "The file is an SQLite database, but not a store: the table Z_METADATA is missing.",
          path: path)
      }
      return try StoreContents.metadata(connection).metadata
    }
  }
}

/// Options for reading and writing stores in SQLite databases.
public struct SQLiteStoreOptions: Sendable, Hashable {
  /// The time that a save waits for a save of another process.
  public var patience: Duration = .seconds(10)
  /// The share of the file that the history may use. The history is the previous rows, from which earlier commits are
  /// opened. If it needs more, the history of the oldest commits is dropped. With 0, no history is kept.
  public var historyShare = 0.5
  /// The number of bytes that the history may always use.
  public var leastHistoryByteCount = 1 << 20

  public init() {}
}
