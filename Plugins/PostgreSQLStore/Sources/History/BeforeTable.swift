// SAFETY: The bytes of a block are copied while the block exists.

import PostgreSQLConnection
import RelationalStore
import Rows
import StoreInterface

/// The table with the rows and metadata before each commit (spec §14.4.7), and the table of the commits.
enum BeforeTable {
  private typealias Kind = RowsBefore.Kind

  /// Writes the rows and metadata before a commit.
  ///
  /// - Returns: The number of bytes written; `nil` if they exceed the limit, and nothing was written.
  static func write(
    _ before: RowsBefore, of number: Int64, upTo limit: Int64, _ connection: PostgreSQLConnection
  ) throws -> Int64? {
    let byteCount = Int64(before.byteCount)
    guard byteCount <= limit else { return nil }
    let blocks = try before.blocks.map { try $0.bytes() }
    guard !blocks.isEmpty || before.list != nil else { return byteCount }
    if blocks.count <= fewBlocks, byteCount <= fewBytes {
      for (index, block) in blocks.enumerated() {
        try insert(
          number, index, Kind.block, unsafe block.bytes.withUnsafeBytes { unsafe Array($0) },
          connection)
      }
      if let list = before.list {
        try insert(number, blocks.count, Kind.metadata, list, connection)
      }
      return byteCount
    }
    try connection.copy(into: "quire_before (commit, part, kind, bytes)") { row in
      for (index, block) in blocks.enumerated() {
        try row {
          begin(&$0, number, index, Kind.block)
          $0.append(block.bytes)
        }
      }
      if let list = before.list {
        try row {
          begin(&$0, number, blocks.count, Kind.metadata)
          $0.append(list)
        }
      }
    }
    return byteCount
  }

  /// The most blocks and bytes that are written with `INSERT`, which is sent in the same round trip as the other statements of
  /// the commit. `COPY` needs two more round trips, and is faster for larger histories.
  private static let (fewBlocks, fewBytes) = (8, Int64(1 << 16))

  private static func insert(
    _ number: Int64, _ part: Int, _ kind: Int64, _ bytes: [UInt8],
    _ connection: PostgreSQLConnection
  ) throws {
    try connection.run(
      "INSERT INTO quire_before (commit, part, kind, bytes) VALUES ($1, $2, $3, $4)",
      [
        PostgreSQLParameter(number), PostgreSQLParameter(Int64(part)), PostgreSQLParameter(kind),
        PostgreSQLParameter(.bytes, bytes: bytes),
      ])
  }

  /// Returns a statement that writes a block of the rows before a commit, once the transaction has set the number of the
  /// commit in `quire_store`.
  static func insertion(of block: Block, part: Int) throws -> PostgreSQLStatement {
    let bytes = try block.bytes()
    return PostgreSQLStatement(
      "INSERT INTO quire_before (commit, part, kind, bytes) SELECT newest, $1, $2, $3 FROM quire_store",
      [
        PostgreSQLParameter(Int64(part)), PostgreSQLParameter(Kind.block),
        PostgreSQLParameter(.bytes, bytes: unsafe bytes.bytes.withUnsafeBytes { unsafe Array($0) }),
      ])
  }

  private static func begin(
    _ values: inout BinaryValues, _ number: Int64, _ part: Int, _ kind: Int64
  ) {
    values.beginRow(4)
    values.append(number)
    values.append(Int32(part))
    values.append(Int16(kind))
  }

  // MARK: - Commits

  /// Drops the history of a commit and of all earlier commits.
  static func forget(through number: Int64, _ connection: PostgreSQLConnection) throws {
    let limit = [PostgreSQLParameter(number)]
    try connection.forEachRow(
      "UPDATE quire_commit SET kept = NULL WHERE number <= $1 AND kept IS NOT NULL", limit)
    try connection.forEachRow("DELETE FROM quire_before WHERE commit <= $1", limit)
    try countKept(connection)
  }

  /// Writes the number of bytes of the history.
  static func countKept(_ connection: PostgreSQLConnection) throws {
    try connection.execute(
      "UPDATE quire_store SET kept = coalesce((SELECT sum(kept) FROM quire_commit), 0)::bigint")
  }

  /// Drops the history of the oldest commits, until the rest takes at most the given number of bytes.
  static func forgetOldest(keeping byteCount: Int64, _ connection: PostgreSQLConnection) throws {
    var last: Int64?
    try connection.forEachRow(
      """
      SELECT max(number) FROM (SELECT number, sum(kept) OVER (ORDER BY number DESC) AS total FROM quire_commit \
      WHERE kept IS NOT NULL) AS sums WHERE total > $1
      """, [PostgreSQLParameter(byteCount)]
    ) { last = $0[0].integer }
    if let last { try forget(through: last, connection) }
  }
}
