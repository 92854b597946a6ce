public import ObjectModel

/// A set of changes to the rows below: rows put, rows changed and rows removed, each with the version that it was
/// based on.
///
/// Saves append layers to a file, and contexts contain layers before they save. Undo applies layers, history
/// returns layers, and layers describe the differences of two documents. A layer is immutable and `Sendable`; a
/// ``LayerBuilder`` creates one.
public struct Layer: Sendable {
  /// The changes of each entity, in the order of the entities' numbers. Entities without changes are left out.
  public let entities: [EntityChanges]

  /// The changes of one entity.
  public struct EntityChanges: Sendable {
    public let entityNumber: UInt16
    /// Whole rows. A row's basis is 0 when nothing lies below it.
    public let put: BlockRun
    /// Rows that change some values of the rows below.
    public let changed: BlockRun
    /// Rows that remove objects. Only the keys and bases matter.
    public let removed: BlockRun

    /// Creates the given changes of the given entity.
    public init(
      entityNumber: UInt16, put: BlockRun = BlockRun(), changed: BlockRun = BlockRun(),
      removed: BlockRun = BlockRun()
    ) {
      self.entityNumber = entityNumber
      self.put = put
      self.changed = changed
      self.removed = removed
    }

    /// The number of put, changed and removed rows.
    public var count: Int { put.rowCount + changed.rowCount + removed.rowCount }
  }

  /// Creates a layer of the given changes.
  ///
  /// - Precondition: Each entity occurs at most once, and no key is in two of its parts.
  public init(_ entities: [EntityChanges] = []) {
    // Most layers are of one save, which changes few entities.
    let isInOrder = entities.indices.allSatisfy { index in
      entities[index].count > 0
        && (index == 0 || entities[index - 1].entityNumber < entities[index].entityNumber)
    }
    if isInOrder {
      self.entities = entities
      return
    }
    self.entities = entities.filter { $0.count > 0 }
      .sorted { $0.entityNumber < $1.entityNumber }
    precondition(
      zip(self.entities, self.entities.dropFirst()).allSatisfy {
        $0.entityNumber < $1.entityNumber
      },
      "A layer contains the changes of an entity more than once.")
  }

  /// The number of put, changed and removed rows.
  public var count: Int { entities.reduce(0) { $0 + $1.count } }

  /// Whether the layer has no changes.
  public var isEmpty: Bool { entities.isEmpty }

  /// The changes of the entity with the given number.
  public subscript(entityNumber: UInt16) -> EntityChanges? {
    // A layer has few entities, so a linear scan is faster than a search.
    entities.first { $0.entityNumber == entityNumber }
  }
}

/// The entry of one object in a layer or in a store's snapshot.
public enum RowEntry: Sendable {
  /// No entry: the row below shows.
  case absent
  /// A whole row, which replaces any row below.
  case put(RowLocation)
  /// A row that gives some values; the remaining values are the values below.
  case changed(RowLocation)
  /// A removed object. The row names the version that the removal was based on.
  case removed(RowLocation)
}

/// A collection of rows that are found by key: a layer or a store's snapshot.
public protocol RowTable: Sendable {
  /// Returns the table's entry of the object with the given key.
  ///
  /// - Throws: ``BlockError`` when a block that must be read is damaged, or the error of the block's source.
  func entry(of key: ObjectKey) throws -> RowEntry

  /// Returns all rows of the table for an entity; `nil` when there are none.
  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges?

  /// Returns the lowest and highest keys of the table's rows of an entity.
  ///
  /// The cost is at most a look at the first and the last row.
  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges

  /// Returns the sorted entries of an index for all of the table's rows that the index covers; `nil` when the table
  /// keeps no entries, and they must be created.
  func entries(of index: IndexLayout) throws -> IndexRun?

  /// Returns whether another table is known to have equal rows, because both tables have the same blocks.
  func isSame(as other: any RowTable) -> Bool

  /// Whether the table reads rows from a database only when they are asked for. A search then avoids reading all of them.
  var readsOnDemand: Bool { get }
}

extension RowTable {
  /// Returns false: nothing is known about the blocks.
  public func isSame(as other: any RowTable) -> Bool { false }

  /// `false`: the rows are there.
  public var readsOnDemand: Bool { false }

  /// Returns `nil`: the table keeps no entries.
  public func entries(of index: IndexLayout) throws -> IndexRun? { nil }

  /// Returns all entries of the table for an entity, in the order of their keys.
  public func entries(ofEntity number: UInt16) throws -> [KeyedEntry] {
    try changes(ofEntity: number)?.entries() ?? []
  }
}

/// The entry of a table for the object with a certain key.
public struct KeyedEntry: Sendable {
  /// The object's number within its entity.
  public let key: UInt64
  /// The table's entry of the object.
  public let entry: RowEntry
}

extension Layer: RowTable {
  /// Returns the layer's entry of the object with the given key.
  public func entry(of key: ObjectKey) throws -> RowEntry {
    guard let changes = self[key.entity] else { return .absent }
    return try changes.entry(of: key.number)
  }

  /// Returns whether another layer has the same blocks.
  public func isSame(as other: any RowTable) -> Bool {
    guard let other = other as? Layer else { return false }
    return blocks.elementsEqual(other.blocks, by: ===)
  }

  /// All blocks of the layer, the rows put first for each entity.
  package var blocks: [Block] {
    var blocks: [Block] = []
    for changes in entities {
      for run in [changes.put, changes.changed, changes.removed] { blocks += run.blocks }
    }
    return blocks
  }

  /// Returns the layer's changes of an entity.
  public func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? { self[number] }
}

extension Layer.EntityChanges {
  package func entry(of key: UInt64) throws -> RowEntry {
    if let location = try put.location(of: key) { return .put(location) }
    if let location = try changed.location(of: key) { return .changed(location) }
    if let location = try removed.location(of: key) { return .removed(location) }
    return .absent
  }

  /// Returns all entries in the order of their keys.
  ///
  /// - Throws: ``BlockError`` when a key is in two of the parts (spec §3.5.1), which happens only in a damaged
  ///   file.
  package func entries() throws -> [KeyedEntry] {
    // Most layers that are merged are of one save, which changed some rows.
    if put.isEmpty, removed.isEmpty, changed.blocks.count == 1 {
      let block = changed.blocks[0]
      let keys = try block.keys
      return (0..<block.rowCount).map {
        KeyedEntry(
          key: UInt64(bitPattern: keys.integer(at: $0)),
          entry: .changed(RowLocation(block: block, row: $0)))
      }
    }
    var parts = [
      try BlockRunCursor(put), try BlockRunCursor(changed), try BlockRunCursor(removed),
    ]
    var entries: [KeyedEntry] = []
    entries.reserveCapacity(count)
    while true {
      var least: Int?
      for index in parts.indices where parts[index].key != nil {
        if let best = least, parts[best].key! <= parts[index].key! { continue }
        least = index
      }
      guard let index = least, let key = parts[index].key else { return entries }
      guard entries.last?.key != key else { throw BlockError.badKeys() }
      let location = parts[index].location
      let entry: RowEntry =
        switch index {
        case 0: .put(location)
        case 1: .changed(location)
        default: .removed(location)
        }
      entries.append(KeyedEntry(key: key, entry: entry))
      try parts[index].advance()
    }
  }
}

/// A position in a run of blocks, moving up.
private struct BlockRunCursor {
  private let blocks: [Block]
  private var index = 0
  private var row = 0
  private var keys: Column?
  /// The key at the position; `nil` after the end.
  private(set) var key: UInt64?

  init(_ run: BlockRun) throws {
    blocks = run.blocks
    keys = try blocks.first?.keys
    key = keys.map { UInt64(bitPattern: $0.integer(at: 0)) }
  }

  var location: RowLocation { RowLocation(block: blocks[index], row: row) }

  mutating func advance() throws {
    row += 1
    if row == blocks[index].rowCount {
      row = 0
      index += 1
      keys = index < blocks.count ? try blocks[index].keys : nil
    }
    key = keys.map { UInt64(bitPattern: $0.integer(at: row)) }
  }
}
