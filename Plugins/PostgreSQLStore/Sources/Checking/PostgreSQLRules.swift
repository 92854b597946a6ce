import StoreInterface

/// The rules of stores in PostgreSQL databases (spec §14).
enum PostgreSQLRules {
  /// The rules, in the order of their identifiers.
  static let all: [Rule] = [
    .postgreSQLDescription, .postgreSQLTables, .postgreSQLColumns, .postgreSQLKeys,
    .postgreSQLEntities, .postgreSQLVersions, .postgreSQLHighestKeys, .postgreSQLReferences,
    .postgreSQLTexts, .postgreSQLNewest, .postgreSQLBefore, .postgreSQLList,
    .postgreSQLWaiting,
  ]
}

extension Rule {
  static let postgreSQLDescription = Rule(
    "PGSQ-001", "The tables of the store describe it, with a model and metadata that can be read",
    "14.4")
  static let postgreSQLTables = Rule(
    "PGSQ-002", "Each root entity and each table of links has its table", "14.2")
  static let postgreSQLColumns = Rule(
    "PGSQ-003", "Each stored property has a column of its type", "14.3.1")
  static let postgreSQLKeys = Rule(
    "PGSQ-004", "Keys of objects and links are from 1 to 2^48 − 1", "14.2.1")
  static let postgreSQLEntities = Rule(
    "PGSQ-005", "The entity of a row is one of the table's family", "14.2.1")
  static let postgreSQLVersions = Rule(
    "PGSQ-006", "No row was written by a commit after the newest", "14.5.1")
  static let postgreSQLHighestKeys = Rule(
    "PGSQ-007", "No object has a key above the number in quire_key", "14.4.5")
  static let postgreSQLReferences = Rule(
    "PGSQ-008", "The column beside a reference contains the entity of its target", "14.2.3")
  static let postgreSQLTexts = Rule(
    "PGSQ-009", "U+0001 in a text stands before U+0001 or U+0002", "14.3.2")
  static let postgreSQLNewest = Rule(
    "PGSQ-010", "The newest commit in quire_store is the newest in quire_commit", "14.4.6")
  static let postgreSQLBefore = Rule(
    "PGSQ-011", "The rows in quire_before are blocks of the store's rows", "14.4.7")
  static let postgreSQLList = Rule(
    "PGSQ-012", .warning, "quire_table names the tables of objects and links", "14.4.8")
  static let postgreSQLWaiting = Rule(
    "PGSQ-013", .information, "No prepared transaction of an interrupted save waits", "14.6.4")
}
