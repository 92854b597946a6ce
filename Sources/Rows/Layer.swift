public import ObjectModel

/// A set of changes against what lies beneath: rows put in, rows changed, rows taken out, each with
/// the version it was based on.
///
/// The same value is what a save appends to a file, what a context holds before it saves, what undo
/// applies, what history returns and what two documents differ by. It is immutable and `Sendable`;
/// a ``LayerBuilder`` makes one.
public struct Layer: Sendable {
  /// The changes of each entity, in the order of the entities' numbers. Entities without changes are
  /// left out.
  public let entities: [EntityChanges]

  /// The changes of one entity.
  public struct EntityChanges: Sendable {
    /// The entity's number.
    public let entityNumber: UInt16
    /// Whole rows that are put in. A row's basis is 0 when nothing lies beneath it.
    public let put: BlockRun
    /// Rows of which some values change.
    public let changed: BlockRun
    /// Keys that are taken out.
    public let removed: BlockRun

    /// The given changes of the given entity.
    public init(
      entityNumber: UInt16, put: BlockRun = BlockRun(), changed: BlockRun = BlockRun(),
      removed: BlockRun = BlockRun()
    ) {
      self.entityNumber = entityNumber
      self.put = put
      self.changed = changed
      self.removed = removed
    }

    /// The number of rows touched.
    public var count: Int { put.rowCount + changed.rowCount + removed.rowCount }
  }

  /// A layer of the given changes.
  ///
  /// - Precondition: Each entity comes at most once, and no key is in two of its parts.
  public init(_ entities: [EntityChanges] = []) {
    self.entities = entities.filter { $0.count > 0 }
      .sorted { $0.entityNumber < $1.entityNumber }
    precondition(
      zip(self.entities, self.entities.dropFirst()).allSatisfy {
        $0.entityNumber < $1.entityNumber
      },
      "A layer has the changes of an entity once.")
  }

  /// The number of rows touched.
  public var count: Int { entities.reduce(0) { $0 + $1.count } }

  /// Whether nothing is changed.
  public var isEmpty: Bool { entities.isEmpty }

  /// The changes of the entity with the given number.
  public subscript(entityNumber: UInt16) -> EntityChanges? {
    // A layer touches few entities: looking at each is quicker than a search.
    entities.first { $0.entityNumber == entityNumber }
  }
}

/// What a layer, or a store's snapshot, says of one object.
public enum RowEntry: Sendable {
  /// Nothing: what lies beneath shows.
  case absent
  /// A whole row, whatever lies beneath.
  case put(RowLocation)
  /// A row that gives some values; the others are those beneath.
  case changed(RowLocation)
  /// The object is gone. The row says what the removal was based on.
  case removed(RowLocation)
}

/// Something that rows are looked up in: a layer or a store's snapshot.
public protocol RowTable: Sendable {
  /// What the table says of the object with the given key.
  ///
  /// - Throws: ``BlockError`` when a block that must be read is damaged, or what its source throws.
  func entry(of key: ObjectKey) throws -> RowEntry

  /// Everything the table says of the objects of an entity; `nil` when that is nothing.
  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges?

  /// From which key to which the rows reach that the table has of an entity.
  ///
  /// Costs no more than a look at the first and the last of them.
  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges

  /// The entries of an index for everything the table says of the index's rows, sorted; `nil` when
  /// the table keeps none, and they have to be made.
  func entries(of index: IndexLayout) throws -> IndexRun?

  /// Whether another table is known to say the same, because it has the same blocks.
  func isSame(as other: any RowTable) -> Bool
}

extension RowTable {
  /// Nothing is known.
  public func isSame(as other: any RowTable) -> Bool { false }

  /// None are kept.
  public func entries(of index: IndexLayout) throws -> IndexRun? { nil }

  /// Everything the table says of the objects of an entity, in the order of their keys.
  public func entries(ofEntity number: UInt16) throws -> [KeyedEntry] {
    try changes(ofEntity: number)?.entries() ?? []
  }
}

/// What a table says of the object with a certain key.
public struct KeyedEntry: Sendable {
  /// The object's number within its entity.
  public let key: UInt64
  /// What the table says of it.
  public let entry: RowEntry
}

extension Layer: RowTable {
  /// What the layer says of the object with the given key.
  public func entry(of key: ObjectKey) throws -> RowEntry {
    guard let changes = self[key.entity] else { return .absent }
    return try changes.entry(of: key.number)
  }

  /// Whether another layer has the same blocks.
  public func isSame(as other: any RowTable) -> Bool {
    guard let other = other as? Layer else { return false }
    return blocks.elementsEqual(other.blocks, by: ===)
  }

  private var blocks: [Block] {
    entities.flatMap { $0.put.blocks + $0.changed.blocks + $0.removed.blocks }
  }

  /// The layer's changes of an entity.
  public func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? { self[number] }
}

extension Layer.EntityChanges {
  package func entry(of key: UInt64) throws -> RowEntry {
    if let location = try put.location(of: key) { return .put(location) }
    if let location = try changed.location(of: key) { return .changed(location) }
    if let location = try removed.location(of: key) { return .removed(location) }
    return .absent
  }

  /// All entries in the order of their keys.
  ///
  /// - Throws: ``BlockError`` when a key is in two of the parts (spec §3.5.1), which only a damaged
  ///   file's can be.
  package func entries() throws -> [KeyedEntry] {
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
  /// The key at the position; `nil` behind the end.
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
