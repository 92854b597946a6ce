package import ObjectModel
package import Rows

/// The origin of the rows of one target layout when a store is copied: a layout of the source store, mapped column by
/// column.
package struct RowOrigin: Sendable {
  /// The layout of the rows that are read.
  package let source: Layout
  /// The layout of the rows that are written.
  package let target: Layout
  /// The columns that are copied.
  package var columns: [Column]
  /// Whether the target rows are links.
  package let isLinks: Bool
  /// The columns of the links, if each source row with a reference becomes a link; `nil` if no links are made from
  /// references.
  package let linkColumns: LinkColumns?
  /// References for columns of the target, by the numbers of the source rows. They refer to objects of the source, and
  /// take precedence over the columns that are copied.
  package var references: [(target: Int, values: [UInt64: ObjectKey?])] = []
  /// Places for order columns of the target, by the numbers of the source rows.
  package var places: [(target: Int, values: [UInt64: Int64])] = []
  /// The numbers of source rows that are not copied.
  package var omitted: Set<UInt64> = []
  /// Whether target rows get new numbers even if objects keep theirs, because the rows come from several tables.
  package var getsNewKeys = false
  /// Order columns of the target that the source does not have. The numbers of the keys become the places.
  package var newPlaces: [NewPlace] = []

  /// A target column for places in an order that did not exist in the source.
  package struct NewPlace: Sendable {
    /// The index of the order column.
    package let target: Int
    /// The index of the reference column whose order the places define.
    package let reference: Int

    /// Creates a value from column indexes.
    package init(_ target: Int, of reference: Int) {
      self.target = target
      self.reference = reference
    }
  }

  /// A column that is copied.
  package struct Column: Sendable {
    /// The column that is read, with the type that it is to be read as.
    package let source: LayoutColumn
    /// The index of the column that is written.
    package let target: Int
    /// The value for rows that have no value.
    package var missing = Value.null
    /// Converts a value that is read to a value of the target column; `nil` if no conversion is needed.
    package var convert: (@Sendable (Value) -> Value)?
    /// The target entities that a reference may refer to; `nil` if all are allowed.
    package var destinations: Set<UInt16>?

    /// Creates a column that is copied to the given index.
    package init(_ source: LayoutColumn, to target: Int) {
      self.source = source
      self.target = target
    }
  }

  /// The target columns of a link that is made from an object and its reference.
  package struct LinkColumns: Sendable {
    /// The index of the column of the object that has the reference.
    package let owner: Int
    /// The index of the column of the object that the reference refers to.
    package let destination: Int

    /// Creates a value from column indexes.
    package init(owner: Int, destination: Int) {
      self.owner = owner
      self.destination = destination
    }
  }

  /// Creates an origin that copies objects to objects.
  package init(_ source: Layout, _ target: Layout, columns: [Column]) {
    (self.source, self.target, self.columns) = (source, target, columns)
    (isLinks, linkColumns) = (false, nil)
  }

  /// Creates an origin that copies links to links.
  package init(links source: Layout, _ target: Layout, columns: [Column]) {
    (self.source, self.target, self.columns) = (source, target, columns)
    (isLinks, linkColumns) = (true, nil)
  }

  /// Creates an origin that makes links of references. Objects without the reference make no link.
  package init(
    linking source: Layout, by column: Column, _ target: Layout, _ linkColumns: LinkColumns
  ) {
    (self.source, self.target, columns) = (source, target, [column])
    (isLinks, self.linkColumns) = (true, linkColumns)
  }

  /// Whether the target rows still need keys.
  var needsKeys: Bool { linkColumns != nil || getsNewKeys }

  /// Creates an origin from two layouts of one entity; `nil` if their columns differ.
  init?(_ source: Layout, alike target: Layout) {
    var columns: [Column] = []
    for column in source.columns {
      guard let index = target.index(of: column.name), target.columns[index].kind == column.kind
      else { return nil }
      columns.append(Column(column, to: index))
    }
    self.init(source, target, columns: columns)
  }

  /// Creates an origin from the links of one relationship; `nil` if only one of the stores orders them.
  package init?(_ source: LinkTable.Side, alike target: LinkTable.Side) {
    for (own, other) in [(source.order, target.order), (source.turned.order, target.turned.order)] {
      guard (own == nil) == (other == nil) else { return nil }
    }
    self.init(source, target)
  }

  /// Creates an origin from the links of one relationship, with the order columns that both stores have.
  package init(_ source: LinkTable.Side, _ target: LinkTable.Side) {
    var columns: [Column] = []
    // If the target store numbers its entities in another order, source and target of its links may be swapped.
    for (own, other) in [
      (source.owner, target.owner), (source.destination, target.destination),
      (source.order, target.order), (source.turned.order, target.turned.order),
    ] as [(LayoutColumn?, LayoutColumn?)] {
      guard let own, let other, let index = target.table.layout.index(ofNumber: other.number) else {
        continue
      }
      columns.append(Column(own, to: index))
    }
    self.init(links: source.table.layout, target.table.layout, columns: columns)
  }
}

/// The keys of copied objects of an entity: the same keys, or new keys in sequence.
struct KeyPlaces {
  let keys: [UInt64]
  let entity: UInt16
  /// The first of the new keys; `nil` if objects keep their keys.
  let first: UInt64?

  /// Returns the new key of an object; `nil` if the object is not in the source.
  func key(of number: UInt64) -> ObjectKey? {
    guard let least = keys.first, let last = keys.last, number >= least, number <= last else {
      return nil
    }
    var place = Int(number - least)
    if last - least != UInt64(keys.count - 1) {
      place = keys.firstPosition { $0 >= number }
      guard keys[place] == number else { return nil }
    }
    return ObjectKey(entity: entity, number: first.map { $0 + UInt64(place) } ?? number)
  }
}

/// The rows of one entity while they are copied to another store.
struct RowCopy {
  private let origin: RowOrigin
  private let own: KeyPlaces
  private let places: [UInt16: KeyPlaces]
  private var drafts: [Draft] = []
  private(set) var count = 0
  private(set) var pendingCount = 0
  private(set) var lostCount = 0
  /// References to objects that are copied later.
  private(set) var late: [LateReference] = []

  init(_ origin: RowOrigin, _ own: KeyPlaces, _ places: [UInt16: KeyPlaces]) {
    (self.origin, self.own, self.places) = (origin, own, places)
  }

  /// Whether the pending rows should be committed before more are added.
  var isLarge: Bool {
    pendingCount >= StoreCopy.rowCount
      || drafts.reduce(0) { $0 + $1.memoryByteCount } >= StoreCopy.byteCount
  }

  /// Appends the rows of a batch.
  ///
  /// - Parameter arrived: The numbers of the objects that were copied so far; `nil` if the target accepts references
  ///   to objects that come later.
  mutating func append(_ batch: RowBatch, _ arrived: inout ArrivedObjects?) throws {
    let keys = try batch.block.keys
    let columns = try origin.columns.map { try batch.block.column($0.source) }
    for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
      let number = UInt64(bitPattern: keys.integer(at: row))
      guard let key = own.key(of: number), !origin.omitted.contains(number) else { continue }
      count += 1
      if !origin.isLinks {
        arrived?.add(ObjectKey(entity: origin.source.entityNumber, number: number))
      }
      var references: [(column: Int, place: ObjectKey?, source: ObjectKey?)] = []
      for (index, column) in origin.columns.enumerated() where column.source.kind == .reference {
        let source = columns[index]?.reference(at: row)
        references.append(
          (column.target, source.flatMap { place(of: $0, column.destinations) }, source))
      }
      for one in origin.references {
        guard let source = one.values[number] else { continue }
        references.removeAll { $0.column == one.target }
        references.append((one.target, source.flatMap { place(of: $0, nil) }, source))
      }
      if let links = origin.linkColumns {
        guard let end = references.first?.place,
          let owner = places[origin.source.entityNumber]?.key(of: number)
        else { continue }
        references = [(links.owner, owner, nil), (links.destination, end, nil)]
      }
      // A link needs both of its ends.
      if origin.isLinks, references.contains(where: { $0.place == nil }) { continue }
      if drafts.last?.isFull ?? true { drafts.append(Draft(origin.target, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let new = draft.append(key: key.number)
      pendingCount += 1
      var byteCount = 0
      for (index, column) in origin.columns.enumerated() where column.source.kind != .reference {
        var value = columns[index]?.value(at: row) ?? .null
        if let convert = column.convert { value = convert(value) }
        if value.isNull { value = column.missing }
        // A file may have a row with more outside values than fit into a block. Freezing its draft would trap.
        byteCount += value.byteStringByteCount
        guard byteCount <= Draft.fullRowByteCount(columnCount: origin.target.columns.count) else {
          throw StoreError(
            .badChange,
            "Object \(number) of '\(origin.source.entity)' can't be copied: its texts and bytes have more than \(Draft.maximumRowByteCount) bytes together."
          )
        }
        draft.set(value, column: column.target, row: new)
      }
      for one in origin.places {
        if let place = one.values[number] {
          draft.set(.integer(place), column: one.target, row: new)
        }
      }
      for (column, place, source) in references {
        // Links are copied after all objects, so only references of objects may come too early.
        let isEarly =
          !origin.isLinks && place != nil && source.map { arrived?.contains($0) == false } ?? false
        draft.set(
          isEarly ? .null : place.map { .object($0) } ?? .null, column: column, row: new)
        guard let place else { continue }
        if isEarly { late.append(LateReference(row: key, column: column, target: place)) }
        for place in origin.newPlaces where place.reference == column {
          draft.set(.integer(Int64(key.number)), column: place.target, row: new)
        }
      }
    }
  }

  /// Returns the new key of the target of a reference; `nil` if the object does not exist, or its entity is not
  /// allowed.
  private mutating func place(
    of reference: ObjectKey, _ destinations: Set<UInt16>?
  ) -> ObjectKey? {
    let place = places[reference.entity]?.key(of: reference.number)
    guard let place, destinations?.contains(place.entity) ?? true else {
      lostCount += 1
      return nil
    }
    return place
  }

  /// Removes and returns the pending rows, as changes of their entity.
  mutating func take() -> Layer.EntityChanges {
    defer { (drafts, pendingCount) = ([], 0) }
    var writer = BlockWriter()
    return Layer.EntityChanges(
      entityNumber: origin.target.entityNumber,
      put: BlockRun(Draft.freeze(drafts, version: nil, &writer)))
  }
}
