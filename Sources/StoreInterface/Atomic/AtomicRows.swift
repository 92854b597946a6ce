import Foundation
public import ObjectModel
public import Rows

/// Collects the rows that a format reads, and checks each of them, so that a damaged file is an error and not a
/// crash.
///
///     let rows = AtomicRows(contents.schema, path: file.path)
///     let key = try rows.insert("Trip", 103)
///     try rows.set(.string("Lisbon"), "name", of: key)
///     contents.layers = [rows.layer()]
///
/// Links get new numbers at each read, so a format must not store them. The numbers of one process would be assigned
/// again in the next. A format stores the two ends of a link and its places in ordered relationships.
public final class AtomicRows {
  private let schema: Schema
  private let path: String
  private let builder: LayerBuilder
  private var entities: [UInt64: UInt16] = [:]
  private var linked: Set<[ObjectKey]> = []

  /// Creates an empty collection of rows.
  ///
  /// - Parameters:
  ///   - schema: The schema of the file's contents.
  ///   - path: The file's path, for messages.
  public init(_ schema: Schema, path: String) {
    self.schema = schema
    self.path = path
    builder = LayerBuilder(schema)
  }

  /// Returns the rows as the single layer of a file's contents.
  public func layer() -> Layer { builder.freeze() }
}

// MARK: - Objects

extension AtomicRows {
  /// Inserts an object without values.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` if the entity is not in the model, or the number
  ///   is invalid or belongs to another object.
  @discardableResult
  public func insert(_ entity: String, _ number: UInt64) throws -> ObjectKey {
    guard let layout = schema[entity] else {
      throw damaged("The model has no entity '\(entity.prefix(60))'.")
    }
    guard number > 0, number <= ObjectKey.highestNumber else {
      throw damaged("\(number) is not a valid number of an object of '\(entity)'.")
    }
    guard entities.updateValue(layout.entityNumber, forKey: number) == nil else {
      throw damaged("Two objects have the number \(number).")
    }
    let key = ObjectKey(entity: layout.entityNumber, number: number)
    builder.insert(key)
    // A new row begins with the default values, but a property that the file does not mention has no value.
    for position in layout.columns.indices { builder.set(.null, column: position, of: key) }
    return key
  }

  /// Sets a value of an inserted object.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` if the object's entity does not have the
  ///   property, or the value has the wrong type.
  public func set(_ value: Value, _ property: String, of key: ObjectKey) throws {
    guard let layout = schema[key.entity], entities[key.number] == key.entity else {
      throw damaged("No object has the number \(key.number).")
    }
    guard let position = layout.index(of: property) else {
      throw damaged(
        "Object \(key.number) of '\(layout.entity)': the entity has no property "
          + "'\(property.prefix(60))'.")
    }
    let kind = layout.columns[position].kind
    guard kind.holds(value) else {
      throw damaged(
        "Object \(key.number) of '\(layout.entity)': '\(property)' has the type \(kind), but its "
          + "value is \("\(value)".prefix(60)).")
    }
    builder.set(value, column: position, of: key)
  }

  private func damaged(_ words: String) -> StoreError { StoreError(.damaged, words, path: path) }
}

extension ColumnKind {
  /// Whether the value is null or of this kind.
  fileprivate func holds(_ value: Value) -> Bool {
    guard let kind = value.kind else { return true }
    if case .integer(let number) = value, !integerRange.contains(number) { return false }
    return kind == content
  }
}

// MARK: - Links

extension AtomicRows {
  /// Inserts a link of a many-to-many relationship. A second link between the same objects is ignored.
  ///
  /// - Parameters:
  ///   - owner: The object that has the relationship.
  ///   - other: The object that the relationship refers to.
  ///   - side: The relationship (`Schema.links(named:)`).
  ///   - place: The place of `other` in the ordered list of `owner`; `nil` if the relationship has no order.
  ///   - placeBack: The place of `owner` in the ordered list of `other`.
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` if a place is given for a relationship without
  ///   order.
  public func link(
    _ owner: ObjectKey, to other: ObjectKey, along side: LinkTable.Side, place: Int64? = nil,
    placeBack: Int64? = nil
  ) throws {
    let layout = side.table.layout
    guard place == nil || side.order != nil, placeBack == nil || side.turned.order != nil else {
      throw damaged("A link of '\(layout.entity)' has a place, but its relationship has no order.")
    }
    var pair = side.isForward ? [owner, other] : [other, owner]
    if side.table.isSymmetric { pair.sort() }
    // The keys of the ends do not identify the table, so the table's number is part of the entry.
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
  /// Returns the relationship with the name of a link table, such as "Trip.tags", or `nil`.
  ///
  ///     for table in schema.linkTables {
  ///       let side = schema.links(named: table.layout.entity)!
  ///       print(side.isForward)
  ///     }
  ///
  /// A format that stores links by this name, with the owner first, reads them back correctly even if the table's
  /// direction changes.
  public func links(named name: String) -> LinkTable.Side? {
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return links(of: String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
