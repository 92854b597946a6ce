/// A type of PostgreSQL, by its object identifier.
public struct PostgreSQLType: Sendable, Hashable {
  /// The object identifier in the catalogue of every server.
  public let number: UInt32
  /// The object identifier of arrays of the type.
  public let arrayNumber: UInt32

  public static let boolean = PostgreSQLType(number: 16, arrayNumber: 1000)
  public static let bytes = PostgreSQLType(number: 17, arrayNumber: 1001)
  public static let int64 = PostgreSQLType(number: 20, arrayNumber: 1016)
  public static let int16 = PostgreSQLType(number: 21, arrayNumber: 1005)
  public static let int32 = PostgreSQLType(number: 23, arrayNumber: 1007)
  public static let text = PostgreSQLType(number: 25, arrayNumber: 1009)
  public static let float = PostgreSQLType(number: 700, arrayNumber: 1021)
  public static let double = PostgreSQLType(number: 701, arrayNumber: 1022)
  public static let numeric = PostgreSQLType(number: 1700, arrayNumber: 1231)
  public static let uuid = PostgreSQLType(number: 2950, arrayNumber: 2951)
}
