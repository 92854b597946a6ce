import Foundation
public import ObjectModel
public import Rows

/// Rows on their way from a file into memory, each checked, so that a damaged file is an error and no trap.
///
///     let rows = AtomicRows(contents.schema, path: file.path)
///     let key = try rows.insert("Trip", 103)
///     try rows.set(.string("Lisbon"), "name", of: key)
///     contents.layers = [rows.layer()]
///     contents.nextKey = max(contents.nextKey, rows.highestNumber + 1)
///
/// Links get numbers of their own: a file that keeps those of one process would give them again in the next.
/// So a format keeps what a link leads from and to, and its places, and no number.
public final class AtomicRows {
  /// The highest number that an object has; 0 while there is none.
  public private(set) var highestNumber: UInt64 = 0

  private let schema: Schema
  private let path: String
  private let builder: LayerBuilder
  private var entities: [UInt64: UInt16] = [:]
  private var linked: Set<[ObjectKey]> = []

  /// No rows yet.
  ///
  /// - Parameters:
  ///   - schema: The schema of the file's contents.
  ///   - path: The file's path, for messages.
  public init(_ schema: Schema, path: String) {
    self.schema = schema
    self.path = path
    builder = LayerBuilder(schema)
  }

  /// The rows, as the one layer of a file's contents.
  public func layer() -> Layer { builder.freeze() }
}

// MARK: - Objects

extension AtomicRows {
  /// Puts an object in, all of whose properties have no value yet.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` when the model has no such entity, or the number
  ///   is none or another object's.
  @discardableResult
  public func insert(_ entity: String, _ number: UInt64) throws -> ObjectKey {
    guard let layout = schema[entity] else {
      throw damaged("The model has no entity '\(entity.prefix(60))'.")
    }
    guard number > 0, number <= ObjectKey.highestNumber else {
      throw damaged("\(number) is no number of an object of '\(entity)'.")
    }
    guard entities.updateValue(layout.entityNumber, forKey: number) == nil else {
      throw damaged("There are two objects of the number \(number).")
    }
    highestNumber = max(highestNumber, number)
    let key = ObjectKey(entity: layout.entityNumber, number: number)
    builder.insert(key)
    // A new row begins with the defaults; what the file does not say of an object has no value.
    for position in layout.columns.indices { builder.set(.null, column: position, of: key) }
    return key
  }

  /// Sets a value of an object that was put in.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` when the object has no such property, or its values
  ///   are of another type.
  public func set(_ value: Value, _ property: String, of key: ObjectKey) throws {
    guard let layout = schema[key.entity], entities[key.number] == key.entity else {
      throw damaged("There is no object of the number \(key.number).")
    }
    guard let position = layout.index(of: property) else {
      throw damaged(
        "Object \(key.number) of '\(layout.entity)': there is no property "
          + "'\(property.prefix(60))'.")
    }
    let kind = layout.columns[position].kind
    guard kind.holds(value) else {
      throw damaged(
        "Object \(key.number) of '\(layout.entity)': '\(property)' is of type \(kind), and its "
          + "value is \("\(value)".prefix(60)).")
    }
    builder.set(value, column: position, of: key)
  }

  private func damaged(_ words: String) -> StoreError { StoreError(.damaged, words, path: path) }
}

extension ColumnKind {
  /// Whether the value is one of this kind, or none.
  fileprivate func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null), (.boolean, .boolean), (.float, .float), (.double, .double), (.date, .date),
      (.decimal, .decimal), (.string, .string), (.uri, .uri), (.binary, .binary), (.uuid, .uuid),
      (.reference, .object):
      true
    case (.int16, .integer(let number)): Int16(exactly: number) != nil
    case (.int32, .integer(let number)): Int32(exactly: number) != nil
    case (.int64, .integer): true
    default: false
    }
  }
}

// MARK: - Links

extension AtomicRows {
  /// Puts a link in: of a relationship that leads to many on both sides. One that is there already stays the only one.
  ///
  /// - Parameters:
  ///   - owner: The object that has the relationship.
  ///   - other: The object that it leads to.
  ///   - side: The relationship (``Rows/Schema/links(named:)``).
  ///   - place: The other's place among those of the owner, where they have an order.
  ///   - placeBack: The owner's place among those of the other.
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` when a place is given where there is no order.
  public func link(
    _ owner: ObjectKey, to other: ObjectKey, along side: LinkTable.Side, place: Int64? = nil,
    placeBack: Int64? = nil
  ) throws {
    let layout = side.table.layout
    guard place == nil || side.order != nil, placeBack == nil || side.turned.order != nil else {
      throw damaged("A link of '\(layout.entity)' has a place, and its objects have no order.")
    }
    var pair = side.isForward ? [owner, other] : [other, owner]
    if side.table.isSymmetric { pair.sort() }
    // Keys of objects tell no tables apart, so the table's own number goes with them.
    let table = ObjectKey(entity: layout.entityNumber, number: 0)
    guard linked.insert([table] + pair).inserted else { return }
    let key = ObjectKey(
      entity: layout.entityNumber, number: ObjectKey.highestNumber - UInt64(linked.count - 1))
    builder.insert(key)
    for (column, value) in [
      (side.owner, Value.object(owner)), (side.destination, .object(other)),
      (side.order, place.map { .integer($0) }), (side.turned.order, placeBack.map { .integer($0) }),
    ] {
      guard let column, let value, let position = layout.index(ofNumber: column.number) else {
        continue
      }
      builder.set(value, column: position, of: key)
    }
  }
}

extension Schema {
  /// The relationship that a table of links is called after, such as "Trip.tags"; `nil` when there is none.
  ///
  ///     for table in schema.linkTables {
  ///       let side = schema.links(named: table.layout.entity)!
  ///       print(side.isForward)
  ///     }
  ///
  /// A format that keeps links by this name, with the owner first, reads them back whichever of the two relationships
  /// the table leads along.
  public func links(named name: String) -> LinkTable.Side? {
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return links(of: String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
