package import ObjectModel
package import Rows

/// What the rows of one layout come from when a store is copied: the rows of a layout of the other store,
/// column by column.
package struct RowOrigin: Sendable {
  /// The layout of the rows that are read.
  package let source: Layout
  /// The layout of the rows that are written.
  package let target: Layout
  /// The columns that are carried over.
  package var columns: [Column]
  /// Whether the rows that are written are links.
  package let isLinks: Bool
  /// Where each row that is read becomes a link: the column that leads to the other end.
  package let linkColumns: LinkColumns?
  /// References that no column of the source has, by the numbers of the rows that are read, for columns of
  /// the target. They lead to objects of the source.
  package var references: [(target: Int, values: [UInt64: ObjectKey])] = []
  /// Columns of the target with places in an order that the source does not have: they are those of the keys.
  package var newPlaces: [NewPlace] = []

  /// A place in an order that begins.
  package struct NewPlace: Sendable {
    /// The column of the place.
    package let target: Int
    /// The column of the reference whose place it is.
    package let reference: Int

    /// The given columns.
    package init(_ target: Int, of reference: Int) {
      self.target = target
      self.reference = reference
    }
  }

  /// A column that is carried over.
  package struct Column: Sendable {
    /// The column that is read, as what it is to be.
    package let source: LayoutColumn
    /// The place of the column that is written.
    package let target: Int
    /// What a row gets that has no value.
    package var missing = Value.null
    /// Makes a value of the written column of a value that is read; `nil` if the values are the same.
    package var convert: (@Sendable (Value) -> Value)?
    /// The entities of the target that a reference may lead to; `nil` for all.
    package var destinations: Set<UInt16>?

    /// A column that becomes another.
    package init(_ source: LayoutColumn, to target: Int) {
      self.source = source
      self.target = target
    }
  }

  /// The columns of a link that is made of an object and its reference: their places in the target.
  package struct LinkColumns: Sendable {
    /// Of the object that has the reference.
    package let owner: Int
    /// Of the object that it leads to.
    package let destination: Int

    /// The given places.
    package init(owner: Int, destination: Int) {
      self.owner = owner
      self.destination = destination
    }
  }

  /// Objects that become objects.
  package init(_ source: Layout, _ target: Layout, columns: [Column]) {
    (self.source, self.target, self.columns) = (source, target, columns)
    (isLinks, linkColumns) = (false, nil)
  }

  /// Links that become links.
  package init(links source: Layout, _ target: Layout, columns: [Column]) {
    (self.source, self.target, self.columns) = (source, target, columns)
    (isLinks, linkColumns) = (true, nil)
  }

  /// Objects whose references become links; those that have none become nothing.
  package init(
    linking source: Layout, by column: Column, _ target: Layout, _ linkColumns: LinkColumns
  ) {
    (self.source, self.target, columns) = (source, target, [column])
    (isLinks, self.linkColumns) = (true, linkColumns)
  }

  /// Whether the rows are new ones, which have no keys yet.
  var makesLinks: Bool { linkColumns != nil }

  /// The layouts of one entity; `nil` when they are not alike.
  init?(_ source: Layout, alike target: Layout) {
    var columns: [Column] = []
    for column in source.columns {
      guard let index = target.index(of: column.name), target.columns[index].kind == column.kind
      else { return nil }
      columns.append(Column(column, to: index))
    }
    self.init(source, target, columns: columns)
  }

  /// The links of one relationship; `nil` when they are not alike.
  package init?(_ source: LinkTable.Side, alike target: LinkTable.Side) {
    for (own, other) in [(source.order, target.order), (source.turned.order, target.turned.order)] {
      guard (own == nil) == (other == nil) else { return nil }
    }
    self.init(source, target)
  }

  /// The links of one relationship, with the places that both have.
  package init(_ source: LinkTable.Side, _ target: LinkTable.Side) {
    var columns: [Column] = []
    // A store that numbered its entities in another order may have turned the table around.
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

/// The keys that the objects of an entity get: those they had, or one behind the other in their order.
struct KeyPlaces {
  let keys: [UInt64]
  let entity: UInt16
  /// The first of the new keys; `nil` when objects keep theirs.
  let first: UInt64?

  /// The key of an object; `nil` when there was none.
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

/// Rows of one entity on their way into another store.
struct RowCopy {
  private let origin: RowOrigin
  private let own: KeyPlaces
  private let places: [UInt16: KeyPlaces]
  private var drafts: [Draft] = []
  private(set) var count = 0
  private(set) var pendingCount = 0
  private(set) var lostCount = 0

  init(_ origin: RowOrigin, _ own: KeyPlaces, _ places: [UInt16: KeyPlaces]) {
    (self.origin, self.own, self.places) = (origin, own, places)
  }

  /// Whether so much is gathered that it should go.
  var isLarge: Bool {
    pendingCount >= StoreCopy.rowCount
      || drafts.reduce(0) { $0 + $1.memoryByteCount } >= StoreCopy.byteCount
  }

  mutating func append(_ batch: RowBatch) throws {
    let keys = try batch.block.keys
    let columns = try origin.columns.map { try batch.block.column($0.source) }
    for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
      let number = UInt64(bitPattern: keys.integer(at: row))
      guard let key = own.key(of: number) else { continue }
      count += 1
      var references: [(Int, ObjectKey?)] = []
      for (index, column) in origin.columns.enumerated() where column.source.kind == .reference {
        let reference = columns[index]?.reference(at: row)
        references.append((column.target, reference.flatMap { place(of: $0, column.destinations) }))
      }
      for one in origin.references {
        guard let reference = one.values[number] else { continue }
        references.append((one.target, place(of: reference, nil)))
      }
      if let links = origin.linkColumns {
        guard let end = references.first?.1,
          let owner = places[origin.source.entityNumber]?.key(of: number)
        else { continue }
        references = [(links.owner, owner), (links.destination, end)]
      }
      // A link without one of its ends is none.
      if origin.isLinks, references.contains(where: { $0.1 == nil }) { continue }
      if drafts.last?.isFull ?? true { drafts.append(Draft(origin.target, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let new = draft.append(key: key.number)
      pendingCount += 1
      for (index, column) in origin.columns.enumerated() where column.source.kind != .reference {
        var value = columns[index]?.value(at: row) ?? .null
        if let convert = column.convert { value = convert(value) }
        if value.isNull { value = column.missing }
        draft.set(value, column: column.target, row: new)
      }
      for (column, place) in references {
        draft.set(place.map { .object($0) } ?? .null, column: column, row: new)
        guard place != nil else { continue }
        for place in origin.newPlaces where place.reference == column {
          draft.set(.integer(Int64(key.number)), column: place.target, row: new)
        }
      }
    }
  }

  /// Where an object is that a reference leads to; `nil` when there is none, or none of its kind.
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

  /// The rows so far, as changes of their entity.
  mutating func take() -> Layer.EntityChanges {
    defer { (drafts, pendingCount) = ([], 0) }
    var writer = BlockWriter()
    return Layer.EntityChanges(
      entityNumber: origin.target.entityNumber,
      put: BlockRun(Draft.freeze(drafts, version: nil, &writer)))
  }
}
