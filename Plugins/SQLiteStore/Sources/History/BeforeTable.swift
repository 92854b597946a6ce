import ObjectModel
import Rows
import SQLiteFiles
import StoreInterface

/// The table with the rows and metadata before each commit, in Quire's own stores (spec §10.5.7).
enum BeforeTable {
  /// The content of a row of the table.
  private enum Kind {
    static let block: Int64 = 0
    static let metadata: Int64 = 1
  }

  /// Writes the rows and metadata before a commit.
  ///
  /// - Returns: The number of bytes written; `nil` if they exceed the limit, and nothing was written.
  static func write(
    _ before: RowsBefore, of number: Int64, upTo limit: Int64, _ connection: SQLiteConnection
  ) throws -> Int64? {
    let byteCount = Int64(before.byteCount)
    guard byteCount <= min(limit, Int64(SQLiteConnection.maximumValueByteCount)) else { return nil }
    let statement = try connection.prepare(
      "INSERT INTO QUIRE_BEFORE (NUMBER, KIND, BYTES) VALUES (?, ?, ?)")
    try statement.bind(number, 0)
    try statement.bind(Kind.block, 1)
    for block in before.blocks {
      let bytes = try block.bytes()
      try statement.bindBlob(bytes.bytes, 2)
      try statement.run()
    }
    if let list = before.list {
      try statement.bind(Kind.metadata, 1)
      try statement.bind(.blob(list), 2)
      try statement.run()
    }
    return byteCount
  }

  /// Reads the rows and metadata before a commit.
  static func read(
    _ number: Int64, _ schema: Schema, _ connection: SQLiteConnection
  ) throws -> RowsBefore {
    let statement = try connection.prepare(
      "SELECT KIND, BYTES FROM QUIRE_BEFORE WHERE NUMBER = ? ORDER BY rowid")
    defer { statement.reset() }
    try statement.bind(number, 0)
    var blocks: [[UInt8]] = []
    var list: [UInt8]?
    func fault(_ words: String) -> StoreError {
      StoreError(
        .damaged, "QUIRE_BEFORE, commit \(number): \(words).", path: connection.path)
    }
    while try statement.step() {
      guard statement.kind(1) == .blob else { throw fault("a row has no bytes") }
      guard statement.integer(0) == Kind.block else {
        list = statement.bytes(1)
        continue
      }
      blocks.append(statement.bytes(1))
    }
    return try RowsBefore(stored: blocks, list: list, schema, fault: fault)
  }
}
