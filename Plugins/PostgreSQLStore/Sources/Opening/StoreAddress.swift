import Foundation
import StoreInterface

/// The address of a store: a server, a database, and a schema in the database.
///
///     let address = try StoreAddress("postgresql://app@db1,db2/trips?schema=summer")
///     address.schema                     // "summer"
///     address.server                     // "postgresql://app@db1,db2/trips"
///
/// The address is a URL as libpq reads it, with parameters of its own (spec §14.1).
struct StoreAddress: Sendable, Hashable {
  /// The address for messages, and as the path of the store. It never contains a password.
  let path: String
  /// The address of the server and the database, for libpq.
  let server: String
  /// The name of the schema with the tables.
  let schema: String
  /// Whether references between objects are foreign keys in the database.
  let hasForeignKeys: Bool
  /// Whether commits are announced (`NOTIFY`). Some databases that speak the protocol of PostgreSQL have no announcements.
  let announcesCommits: Bool

  static let schemes = ["postgresql://", "postgres://"]
  /// The schema of an address that names none.
  static let defaultSchema = "quire"

  static func isAddress(_ path: String) -> Bool { schemes.contains { path.hasPrefix($0) } }

  init(_ path: String) throws(StoreError) {
    guard let scheme = StoreAddress.schemes.first(where: { path.hasPrefix($0) }) else {
      throw StoreError(
        .notAStore, "The address of a PostgreSQL store begins with postgresql://.", path: path)
    }
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = parts[0].dropFirst(scheme.count).prefix { $0 != "/" }
    var own: [String: String] = [:]
    var others: [Substring] = []
    var namesPassword = authority.split(separator: "@").dropLast().contains { $0.contains(":") }
    for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(pair[0])
      switch name {
      case "schema", "foreign_keys", "announcements":
        guard pair.count == 2, let value = String(pair[1]).removingPercentEncoding, !value.isEmpty
        else { throw StoreAddress.fault("The parameter '\(name)' has no value.") }
        own[name] = value
      case "password", "sslpassword": namesPassword = true
      default: others.append(item)
      }
    }
    // An address is shown in messages, in the list of processes and in the history of a shell.
    if namesPassword {
      throw StoreAddress.fault(
        "The address contains a password. Put the password into ~/.pgpass or into PGPASSWORD, where no message shows it."
      )
    }
    schema = own["schema"] ?? StoreAddress.defaultSchema
    guard !schema.hasPrefix("pg_"), schema.utf8.count <= 63, !schema.utf8.contains(0) else {
      throw StoreAddress.fault(
        "The schema '\(schema)' can't be used: a name has at most 63 bytes and does not begin with 'pg_'."
      )
    }
    hasForeignKeys = try StoreAddress.isOn("foreign_keys", in: own)
    announcesCommits = try StoreAddress.isOn("announcements", in: own)
    server = parts[0] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
    self.path = path
  }

  /// Returns whether a parameter is on, as it is without a value.
  private static func isOn(
    _ name: String, in parameters: [String: String]
  ) throws(StoreError) -> Bool {
    switch parameters[name] {
    case nil, "on": true
    case "off": false
    case let value?: throw fault("The parameter '\(name)' is '\(value)': it must be on or off.")
    }
  }

  private static func fault(_ words: String) -> StoreError { StoreError(.badChange, words) }
}
