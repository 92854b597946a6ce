public import StoreInterface

extension StoreType {
  /// The SQLite database, in the tables of Core Data's.
  public static let sqlite = StoreType(rawValue: "SQLite")
}
