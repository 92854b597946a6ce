public import StoreInterface

extension StoreType {
  /// A schema of a PostgreSQL database.
  public static let postgreSQL = StoreType(rawValue: "PostgreSQL")
}
