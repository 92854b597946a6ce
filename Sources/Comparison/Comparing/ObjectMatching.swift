import Interchange
import ObjectModel
import Rows

/// Finds the matching objects of two stores.
///
/// The table of an entity's keys is made when it is first needed.
final class ObjectMatching {
  let stores: BothSides<ComparedStore>
  let pairs: [EntityPair]
  let rules: MatchRules
  /// The positions of the pairs, by the numbers of their entities.
  private let positions: BothSides<[UInt16: Int]>
  private var tables: BothSides<[Int: KeyTable]> = BothSides(old: [:], new: [:])
  /// The pairs whose tables are being made.
  private var pending: [Int] = []

  init(_ stores: BothSides<ComparedStore>, _ pairs: [EntityPair], _ rules: MatchRules) {
    self.stores = stores
    self.pairs = pairs
    self.rules = rules
    var positions = BothSides(old: [UInt16: Int](), new: [UInt16: Int]())
    for (index, pair) in pairs.enumerated() {
      for side in [ComparedSide.old, .new] {
        if let entity = pair[side] { positions[side][entity.layout.entityNumber] = index }
      }
    }
    self.positions = positions
  }

  /// Returns the identity of an object of one side.
  func token(of key: ObjectKey, _ side: ComparedSide) throws -> ObjectToken {
    guard let pair = positions[side][key.entity] else { return .other(side, key) }
    if rules.rules[pair].key != nil, let hash = try table(pair, side).hash(of: key.number) {
      return .key(pair: pair, hash)
    }
    // Objects without a key are compared by identifier.
    return .identifier(pair: pair, key.number)
  }

  /// Returns the identity of the object that a reference refers to; `nil` for no object.
  func token(of value: Value, _ side: ComparedSide) throws -> ObjectToken? {
    guard case .object(let key) = value else { return nil }
    return try token(of: key, side)
  }

  /// Returns an object with the values of its key, for the output.
  func reference(to key: ObjectKey, _ side: ComparedSide) throws -> ComparedObject {
    let name = stores[side].schema[key.entity]?.entity ?? ""
    guard let pair = positions[side][key.entity], let entity = pairs[pair][side],
      let match = rules.rules[pair].key, try table(pair, side).hash(of: key.number) != nil,
      let row = try ComparedRow(key.number, entity.layout, in: stores[side].view)
    else { return ComparedObject(entity: name, id: key, key: []) }
    let values = try zip(match.names, match.positions).map { name, position in
      let property = entity.properties[position[side]]
      return switch property.content {
      case .value(let column):
        ComparedObject.KeyPart(
          name: name, value: try row.value(column), precision: property.precision)
      case .reference(let reference):
        switch try row.value(reference.column) {
        case .object(let key):
          ComparedObject.KeyPart(name: name, object: try self.reference(to: key, side))
        case let value: ComparedObject.KeyPart(name: name, value: value)
        }
      case .list: ComparedObject.KeyPart(name: name, value: .null)
      }
    }
    return ComparedObject(entity: name, id: key, key: values)
  }

  // MARK: - Tables of keys

  /// Returns the keys of a side's objects of a pair that is matched by key.
  ///
  /// - Throws: ``ComparisonError`` if several objects have the same key.
  func table(_ pair: Int, _ side: ComparedSide) throws -> KeyTable {
    if let known = tables[side][pair] { return known }
    guard let entity = pairs[pair][side], let key = rules.rules[pair].key else {
      return KeyTable()
    }
    if pending.contains(pair) {
      let names = pending.map { "'\(pairs[$0].name)'" }.joined(separator: " and ")
      throw ComparisonError(
        .badKey, "The keys of \(names) need each other, because they contain references.",
        hint: "Match by attributes.", .cyclicKeys)
    }
    pending.append(pair)
    defer { pending.removeLast() }
    var table = KeyTable()
    let stream = try RowStream(stores[side].view, entity.layout)
    while let place = try stream.next() {
      let row = ComparedRow(place, in: stream)
      table.append(place.key, try hash(of: row, entity, key, side))
    }
    let duplicates = table.sort()
    if !duplicates.objects.isEmpty { throw try refusal(duplicates, entity, key, side) }
    tables[side][pair] = table
    return table
  }

  /// Returns the hash of an object's key; `nil` if some property has no value.
  private func hash(
    of row: ComparedRow, _ entity: ComparedEntity, _ key: MatchKey, _ side: ComparedSide
  ) throws -> UInt128? {
    var hasher = KeyHasher()
    for position in key.positions {
      switch entity.properties[position[side]].content {
      case .value(let column):
        let value = try row.value(column)
        if value.isNull { return nil }
        hasher.combine(value)
      case .reference(let reference):
        guard let token = try token(of: row.value(reference.column), side) else { return nil }
        hasher.combine(token)
      case .list: return nil
      }
    }
    return hasher.hash
  }

  private func refusal(
    _ duplicates: (objects: [UInt64], keyCount: Int), _ entity: ComparedEntity, _ key: MatchKey,
    _ side: ComparedSide
  ) throws -> ComparisonError {
    let number = entity.layout.entityNumber
    let row = try ComparedRow(duplicates.objects[0], entity.layout, in: stores[side].view)
    let values = try zip(key.names, key.positions).map { name, position in
      let property = entity.properties[position[side]]
      let column =
        switch property.content {
        case .value(let column): column
        case .reference(let reference): reference.column
        case .list: 0
        }
      return (
        name: name, value: try row?.value(column) ?? .null, precision: property.precision
      )
    }
    return .duplicateKeys(
      ComparisonError.DuplicateKeys(
        store: stores[side].name, entity: entity.name, values: values,
        objects: duplicates.objects.prefix(8).map { ObjectKey(entity: number, number: $0) },
        objectCount: duplicates.objects.count, moreKeyCount: duplicates.keyCount - 1))
  }
}
