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
  ) throws -> Int? {
    let byteCount = before.byteCount
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
    var put: [UInt16: [Block]] = [:]
    var removed: [UInt16: [Block]] = [:]
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
      let block: Block
      do {
        block = try Block(statement.bytes(1))
        _ = try block.keys
        // Columns are read now, so that an error can name the commit.
        for column in schema[block.entityNumber]?.versioned(above: 0).columns ?? [] {
          _ = try block.column(column)
        }
      } catch {
        throw fault("\(error)")
      }
      guard schema[block.entityNumber] != nil else {
        throw fault("no entity has the number \(block.entityNumber)")
      }
      guard block.flags.isSubset(of: .removals), block.minimumKey >= 1,
        block.maximumKey <= ObjectKey.highestNumber
      else { throw fault("a block contains neither whole rows nor removals of objects") }
      if block.flags.contains(.removals) {
        removed[block.entityNumber, default: []].append(block)
      } else {
        put[block.entityNumber, default: []].append(block)
      }
    }
    func run(_ blocks: [Block]?) throws -> BlockRun {
      let blocks = blocks ?? []
      guard zip(blocks, blocks.dropFirst()).allSatisfy({ $0.maximumKey < $1.minimumKey }) else {
        throw fault("the blocks of the commit overlap")
      }
      return BlockRun(blocks)
    }
    let changes = try Set(put.keys).union(removed.keys).map {
      Layer.EntityChanges(
        entityNumber: $0, put: try run(put[$0]), removed: try run(removed[$0]))
    }
    for one in changes where !one.put.isEmpty && !one.removed.isEmpty {
      // An entity must not both restore and remove the same row.
      do { _ = try one.entries() } catch { throw fault("\(error)") }
    }
    return RowsBefore(Layer(changes), list: list)
  }
}
