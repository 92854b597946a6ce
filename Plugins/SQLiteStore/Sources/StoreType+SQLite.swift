public import StoreInterface

extension StoreType {
  /// The SQLite database, in the tables that Core Data uses.
  public static let sqlite = StoreType(rawValue: "SQLite")
}

extension StoreBackend where Self == SQLiteStoreBackend {
  /// The backend of SQLite databases, as in `PersistentContainer(at: path, type: .sqlite, backends: [.sqlite], …)`.
  public static var sqlite: SQLiteStoreBackend { SQLiteStoreBackend() }
}
