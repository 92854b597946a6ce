/// A type of PostgreSQL, by its object identifier.
public struct PostgreSQLType: Sendable, Hashable {
  /// The object identifier in the catalogue of every server.
  public let number: UInt32
  /// The object identifier of arrays of the type.
  public let arrayNumber: UInt32

  /// `boolean`.
  public static let boolean = PostgreSQLType(number: 16, arrayNumber: 1000)
  /// `bytea`.
  public static let bytes = PostgreSQLType(number: 17, arrayNumber: 1001)
  /// `bigint`.
  public static let int64 = PostgreSQLType(number: 20, arrayNumber: 1016)
  /// `smallint`.
  public static let int16 = PostgreSQLType(number: 21, arrayNumber: 1005)
  /// `integer`.
  public static let int32 = PostgreSQLType(number: 23, arrayNumber: 1007)
  /// `text`.
  public static let text = PostgreSQLType(number: 25, arrayNumber: 1009)
  /// `real`.
  public static let float = PostgreSQLType(number: 700, arrayNumber: 1021)
  /// `double precision`.
  public static let double = PostgreSQLType(number: 701, arrayNumber: 1022)
  /// `numeric`.
  public static let numeric = PostgreSQLType(number: 1700, arrayNumber: 1231)
  /// `uuid`.
  public static let uuid = PostgreSQLType(number: 2950, arrayNumber: 2951)
}
