public import DurableFiles
public import ObjectModel
import PostgreSQLConnection
import RelationalStore
public import StoreInterface

/// The backend for stores in PostgreSQL databases (spec §14).
///
///     let backend = PostgreSQLStoreBackend()
///     let store = try backend.open("postgresql://app@db/trips", on: RealDisk(), StoreOpening())
///
/// The path of a store is a URL. Its parameter `schema` names the schema of the database that contains the store.
public struct PostgreSQLStoreBackend: StoreBackend {
  /// The options of its stores.
  public let options: PostgreSQLStoreOptions

  public init(options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()) {
    self.options = options
  }

  /// A schema of a PostgreSQL database.
  public var type: StoreType { .postgreSQL }
  /// Commits write only changes, are durable, and reach other processes. Requests are answered in SQL.
  public var capabilities: StoreCapabilities { PostgreSQLStoreBackend.capabilities }
  static let capabilities: StoreCapabilities = [
    .incremental, .durable, .shared, .history, .querying, .confirmation,
  ]

  /// Returns `false`: a store is not a file.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool { false }

  /// Returns whether a path is the URL of a PostgreSQL database.
  public func recognizesAddress(_ path: String) -> Bool { StoreAddress.isAddress(path) }

  /// Creates a store without objects, in a schema that contains no store yet.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    let address = try StoreAddress(path)
    try StoreMaking.create(at: address, model: model, creation, options)
    return try PostgreSQLStore(address, StoreOpening(), options)
  }

  /// Opens a store.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try PostgreSQLStore(StoreAddress(path), opening, options)
  }

  /// Returns the metadata that a store contains, without opening the store.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    let address = try StoreAddress(path)
    return try asStore(path) {
      let connection = try ConnectionPool.connect(address, options)
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      return try StoreContents.metadata(connection).metadata
    }
  }

  /// Returns the rules of stores in PostgreSQL databases (`PGSQ`).
  public func rules() throws -> [Rule] { PostgreSQLRules.all }

  /// Checks the tables of a store against the rules, in one transaction that reads.
  public func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck? {
    let address = try StoreAddress(path)
    return try asStore(path) {
      let connection = try ConnectionPool.connect(address, options)
      var check = DatabaseCheck(connection: connection, path: path)
      return try check.run(progress)
    }
  }

  /// Removes a store with its tables, and its schema if it was made for the store. Other tables of the schema stay.
  public func destroyStore(atAddress path: String) throws {
    let address = try StoreAddress(path)
    try asStore(path) {
      let connection = try ConnectionPool.connect(address, options)
      try connection.execute("BEGIN")
      try StoreMaking.dropTables(of: address, connection)
      try connection.execute("COMMIT")
      try StoreMaking.dropOwnSchema(of: address, connection)
    }
  }
}
