import StoreInterface

/// The rules of stores in SQLite databases (spec §10).
enum SQLiteRules {
  /// The rules, in the order of their identifiers.
  static let all: [Rule] = [
    .sqliteWhole, .sqliteCommonTables, .sqliteMetadataRow, .sqliteMetadata, .sqliteCache,
    .sqliteNoModel,
    .sqliteNumbers, .sqliteNames, .sqliteSupers, .sqliteNumbering, .sqliteHighestKeys,
    .sqliteTables,
    .sqliteOthers, .sqliteColumns, .sqliteColumnTypes, .sqliteLinkTables, .sqliteReadOnly,
    .sqliteKeys,
    .sqliteEntities, .sqliteVersions, .sqliteCells, .sqliteTexts, .sqliteEntityColumns,
    .sqliteLinkEnds,
    .sqliteHalfLinks, .sqliteExternalCells, .sqliteLostFiles, .sqliteStrayFiles, .sqliteOwnTables,
    .sqliteOwnModel, .sqliteCommits, .sqliteLinkCounts, .sqliteBefore, .sqliteReverseLinks,
    .sqliteChangeLog,
  ]
}

extension Rule {
  static let sqliteWhole = Rule(
    "SQLS-001", "The database passes SQLite's integrity check", "10.2.1")
  static let sqliteCommonTables = Rule(
    "SQLS-002", "The tables that every store has exist", "10.2.2")
  static let sqliteMetadataRow = Rule(
    "SQLS-003", "Z_METADATA has one row, with the store's UUID", "10.2.3")
  static let sqliteMetadata = Rule(
    "SQLS-004", "The metadata are a dictionary, or are absent", "10.2.4")
  static let sqliteCache = Rule(
    "SQLS-005", "Z_MODELCACHE contains a model that can be read", "10.2.5")
  static let sqliteNoModel = Rule(
    "SQLS-006", .information, "The store contains its model, or a model is given", "10.2.6")
  static let sqliteNumbers = Rule(
    "SQLS-007", "Z_PRIMARYKEY has one name and one number for each entity, and none of them twice",
    "10.2.7")
  static let sqliteNames = Rule(
    "SQLS-008", .warning, "Z_PRIMARYKEY has exactly the entities of the model", "10.2.7")
  static let sqliteSupers = Rule(
    "SQLS-009", "Z_SUPER is the number of the superentity", "10.2.7")
  static let sqliteNumbering = Rule(
    "SQLS-010", "Entities have the numbers that the model gives them", "10.3.1")
  static let sqliteHighestKeys = Rule(
    "SQLS-011", "No object has a key above Z_MAX of its root entity", "10.2.7")
  static let sqliteTables = Rule(
    "SQLS-012", "Each root entity has a table with the columns Z_PK, Z_ENT and Z_OPT", "10.3.2")
  static let sqliteOthers = Rule(
    "SQLS-013", "Objects are in tables, not in views or virtual tables", "10.2.8")
  static let sqliteColumns = Rule("SQLS-014", "Each stored property has a column", "10.3.3")
  static let sqliteColumnTypes = Rule(
    "SQLS-015", .warning, "Columns are declared with the type of their values", "10.4.1")
  static let sqliteLinkTables = Rule(
    "SQLS-016", "Each many-to-many relationship has a table of links", "10.3.5")
  static let sqliteReadOnly = Rule(
    "SQLS-017", .information, "The store has no triggers, and no history of an unknown form",
    "10.6.3")
  static let sqliteKeys = Rule(
    "SQLS-018", "Keys of objects and links are from 1 to 2^48 − 1", "10.3.6")
  static let sqliteEntities = Rule(
    "SQLS-019", "Z_ENT is the number of an entity of the table's family", "10.3.6")
  static let sqliteVersions = Rule("SQLS-020", .warning, "Z_OPT is a number from 1 on", "10.3.6")
  static let sqliteCells = Rule(
    "SQLS-021", "A cell contains a value of its property's type", "10.4.1")
  static let sqliteTexts = Rule("SQLS-022", "Texts are UTF-8", "10.4.2")
  static let sqliteEntityColumns = Rule(
    "SQLS-023", "The entity column beside a reference contains the entity of its target", "10.3.4")
  static let sqliteLinkEnds = Rule("SQLS-024", "The ends of a link are keys", "10.3.5")
  static let sqliteHalfLinks = Rule("SQLS-025", .warning, "A link has two ends", "10.3.5")
  static let sqliteExternalCells = Rule(
    "SQLS-026", .warning, "A value that may be in a separate file begins with 1 or 2", "10.4.6")
  static let sqliteLostFiles = Rule(
    "SQLS-027", "The separate files of values exist", "10.4.6")
  static let sqliteStrayFiles = Rule(
    "SQLS-028", .warning, "A cell refers to each separate file of a value", "10.4.6")
  static let sqliteOwnTables = Rule(
    "SQLS-029", "Quire's own tables exist with their columns and rows", "10.5.1")
  static let sqliteOwnModel = Rule(
    "SQLS-030", .warning, "The model in QUIRE_STORE has the hashes of the metadata", "10.5.1"
  )
  static let sqliteCommits = Rule(
    "SQLS-031", "No row was written by a commit that QUIRE_COMMIT does not have", "10.5.2")
  static let sqliteLinkCounts = Rule(
    "SQLS-032", .warning, "QUIRE_LINK counts the links of the model's tables", "10.5.3")
  static let sqliteBefore = Rule(
    "SQLS-033", "The rows in QUIRE_BEFORE are blocks of the store's rows", "10.5.7")
  static let sqliteReverseLinks = Rule(
    "SQLS-034",
    "A link of a relationship that is its own inverse has a row in each direction", "10.3.5")
  static let sqliteChangeLog = Rule(
    "SQLS-035", .warning, "The history of Core Data fits the model and its own tables", "10.10.2")
}
