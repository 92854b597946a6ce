public import StoreInterface

extension StoreType {
  /// The SQLite database, in the tables that Core Data uses.
  public static let sqlite = StoreType(rawValue: "SQLite")
}
