import Foundation
import ObjectModel
import PropertyLists
import StoreInterface

extension BrokenFile {
  /// The small SQLite store after additional statements.
  private init(
    database rule: String, valueFiles: [String] = [],
    _ statements: @escaping @autoclosure @Sendable () throws -> String
  ) {
    self.init(rule) { try SmallFile.shelf(statements()) }
    self.statements = { try statements() + "\n" }
    self.valueFiles = valueFiles
  }

  static let databases = [
    BrokenFile(
      database: "SQLS-001",
      """
      CREATE TABLE NOTES (A); INSERT INTO NOTES VALUES (NULL);
      PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE NOTES (A NOT NULL)' WHERE name = 'NOTES';
      """),
    BrokenFile(database: "SQLS-002", "ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_MAX;"),
    BrokenFile(database: "SQLS-003", "UPDATE Z_METADATA SET Z_UUID = 'none';"),
    BrokenFile(database: "SQLS-004", "UPDATE Z_METADATA SET Z_PLIST = x'00';"),
    BrokenFile(database: "SQLS-005", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0001';"),
    BrokenFile(
      database: "SQLS-006",
      "DROP TABLE QUIRE_STORE; DROP TABLE QUIRE_COMMIT; DROP TABLE QUIRE_BEFORE; DROP TABLE QUIRE_LINK; DELETE FROM Z_MODELCACHE;"
    ),
    BrokenFile(database: "SQLS-007", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Book' WHERE Z_ENT = 4;"),
    BrokenFile(database: "SQLS-008", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_ENT = 4;"),
    BrokenFile(database: "SQLS-009", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 2;"),
    BrokenFile(
      database: "SQLS-010",
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = 5 WHERE Z_ENT = 4; UPDATE ZTAG SET Z_ENT = 5;
      ALTER TABLE Z_2TAGS RENAME COLUMN Z_4TAGS TO Z_5TAGS; ALTER TABLE Z_4RELATED RENAME TO Z_5RELATED;
      ALTER TABLE Z_5RELATED RENAME COLUMN Z_4RELATED TO Z_5RELATED;
      """),
    BrokenFile(database: "SQLS-011", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 2;"),
    BrokenFile(database: "SQLS-012", "DROP TABLE ZTAG;"),
    BrokenFile(
      database: "SQLS-013",
      "ALTER TABLE ZTAG RENAME TO OLD; CREATE VIEW ZTAG AS SELECT * FROM OLD;"),
    BrokenFile(database: "SQLS-014", "ALTER TABLE ZAUTHOR DROP COLUMN ZBORN;"),
    BrokenFile(
      database: "SQLS-015",
      "ALTER TABLE ZAUTHOR DROP COLUMN ZBORN; ALTER TABLE ZAUTHOR ADD COLUMN ZBORN VARCHAR;"),
    BrokenFile(database: "SQLS-016", "DROP TABLE Z_2TAGS;"),
    BrokenFile(
      database: "SQLS-017",
      "CREATE TRIGGER COUNT AFTER INSERT ON ZTAG BEGIN UPDATE ZTAG SET Z_OPT = 1; END;"),
    BrokenFile(database: "SQLS-018", "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (-1, 4, 1);"),
    BrokenFile(database: "SQLS-019", "UPDATE ZTAG SET Z_ENT = 2 WHERE Z_PK = 2;"),
    BrokenFile(database: "SQLS-020", "UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK = 2;"),
    BrokenFile(database: "SQLS-021", "UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 1;"),
    BrokenFile(database: "SQLS-022", "UPDATE ZBOOK SET ZTITLE = CAST(x'C3' AS TEXT);"),
    BrokenFile(database: "SQLS-023", "UPDATE ZAUTHOR SET Z2_FAVOURITE = 3;"),
    BrokenFile(database: "SQLS-024", "UPDATE Z_2TAGS SET Z_4TAGS = -1 WHERE rowid = 2;"),
    BrokenFile(database: "SQLS-025", "UPDATE Z_2TAGS SET Z_4TAGS = NULL WHERE rowid = 2;"),
    BrokenFile(database: "SQLS-026", "UPDATE ZBOOK SET ZCOVER = x'0708' WHERE Z_PK = 1;"),
    BrokenFile(
      database: "SQLS-027",
      "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '0F6E1A52-4A15-8C3B-1D2E-3F4051626FB9' || x'00' AS BLOB);"
    ),
    BrokenFile(
      database: "SQLS-028", valueFiles: ["0F6E1A52-4A15-8C3B-1D2E-3F4051626FB9"], "SELECT 1;"),
    BrokenFile(database: "SQLS-029", "DROP TABLE QUIRE_LINK;"),
    BrokenFile(database: "SQLS-030", try otherModel()),
    BrokenFile(database: "SQLS-031", "UPDATE ZTAG SET Z_OPT = 2 WHERE Z_PK = 2;"),
    BrokenFile(database: "SQLS-032", "DELETE FROM QUIRE_LINK;"),
    BrokenFile(
      database: "SQLS-033",
      "UPDATE QUIRE_BEFORE SET BYTES = zeroblob(length(BYTES)) WHERE rowid = 1;"),
    BrokenFile(database: "SQLS-034", "DELETE FROM Z_4RELATED WHERE rowid = 2;"),
    BrokenFile(
      database: "SQLS-035",
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
      ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 0.0);
      INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 4, 1, 1, NULL), (2, 16001, NULL, 1, 4, 1, 1, x'FFFF');
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1);
      """),
  ]

  /// Returns statements that give the store the metadata of another model.
  private static func otherModel() throws -> String {
    var metadata = StoreMetadata(
      type: StoreType(rawValue: "SQLite"), model: try SmallFile.library())
    metadata.values[StoreMetadata.Key.uuid] = nil
    let list = BinaryPropertyList.write(.dictionary(metadata.values))
    let digits = list.map { String(format: "%02X", $0) }.joined()
    return "DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x'\(digits)';"
  }
}
