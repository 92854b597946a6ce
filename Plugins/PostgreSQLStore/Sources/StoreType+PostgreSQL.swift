public import StoreInterface

extension StoreType {
  /// A schema of a PostgreSQL database.
  public static let postgreSQL = StoreType(rawValue: "PostgreSQL")
}

extension StoreBackend where Self == PostgreSQLStoreBackend {
  /// The backend of PostgreSQL databases, as in `PersistentContainer(at: address, backends: [.postgreSQL], …)`.
  public static var postgreSQL: PostgreSQLStoreBackend { PostgreSQLStoreBackend() }
}
