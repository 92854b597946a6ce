import ObjectModel
import Rows
import StoreInterface

/// Everything that can be read from a store, for comparison.
public struct StoreContents: Hashable, Sendable {
  public var newest: SnapshotContents
  /// The earlier commits that can still be opened, by number.
  public var earlier: [Int64: SnapshotContents]
  /// The number of bytes behind the newest commit.
  public var strayByteCount: Int

  /// Reads the contents of a store.
  ///
  /// - Throws: The first error.
  public init(_ store: any Store) throws {
    newest = try SnapshotContents(store.snapshot())
    earlier = [:]
    for commit in try store.commits() {
      earlier[commit.number] = try SnapshotContents(store.snapshot(ofCommit: commit.number))
    }
    strayByteCount = try store.describe().strayByteCount
  }
}

/// Everything that can be read from one commit.
public struct SnapshotContents: Hashable, Sendable {
  public var commit: Int64
  /// The values of every object and link.
  public var objects: [ObjectKey: [String: Value]] = [:]
  /// The objects of each index, in its order.
  public var indexed: [UInt16: [UInt64]] = [:]
  /// The number of rows in a scan of each entity.
  public var scanned: [UInt16: Int] = [:]
  /// The metadata of the store.
  public var metadata: StoreMetadata
  public var model: Model
  public var schema: Schema

  /// Reads the contents of a snapshot.
  ///
  /// - Throws: The first error.
  public init(_ snapshot: any StoreSnapshot) throws {
    commit = snapshot.commit
    metadata = try snapshot.metadata
    model = try snapshot.model
    schema = snapshot.schema
    let view = snapshot.view
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        var values: [String: Value] = [:]
        for column in layout.columns {
          let value = try row.value(column)
          if !value.isNull { values[column.name] = value }
        }
        objects[key] = values
      }
      scanned[layout.entityNumber] = try view.batches(of: layout).reduce(0) {
        try $1.block.verify()
        return $0 + $1.rowCount
      }
    }
    let sorted = IndexedView(view, schema)
    for index in schema.indexes {
      indexed[index.number] = try sorted.keys(index, in: IndexRange())
      try StoreContents.check(sorted, index)
    }
  }
}

extension StoreContents {
  /// Searches the index for a few values, so that the search through the index entries is tested too.
  static func check(_ sorted: IndexedView, _ index: IndexLayout) throws {
    for value in [Value.null, .integer(3), .string("b"), .object(ObjectKey(entity: 1, number: 10))]
    {
      guard index.columns[0].kind.mayHold(value) else { continue }
      let range = IndexRange(equalTo: IndexBound([value]))
      _ = try sorted.keys(index, in: range)
      _ = try sorted.mostKeys(index, in: IndexRange(lower: IndexBound([value])))
    }
  }
}

extension ColumnKind {
  fileprivate func mayHold(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null), (.string, .string), (.reference, .object): true
    case (.int16, .integer), (.int32, .integer), (.int64, .integer): true
    default: false
    }
  }
}
