import Foundation
import ObjectModel
import ObjectQuery
import Rows

extension StoreComparison {
  /// Returns the change of an object; `nil` if both sides are equal.
  func change(
    _ index: Int, _ old: ComparedRow?, _ new: ComparedRow?, _ marks: ListMarks
  ) throws -> ObjectChange? {
    let pair = pairs[index]
    let properties: [PropertyChange]
    let kind: ObjectChange.Kind
    switch (old, new) {
    case (let old?, let new?):
      properties = try differences(pair, old, new, marks.contains(old.key, new.key))
      if properties.isEmpty { return nil }
      kind = .changed
    case (nil, let new?):
      properties = try values(of: new, pair.new!, .new)
      kind = .inserted
    case (let old?, nil):
      properties = try values(of: old, pair.old!, .old)
      kind = .deleted
    case (nil, nil): return nil
    }
    return ObjectChange(
      kind: kind, entity: pair.name, old: try old.map { try matching.reference(to: $0.key, .old) },
      new: try new.map { try matching.reference(to: $0.key, .new) }, properties: properties)
  }

  // MARK: - Objects of both sides

  private func differences(
    _ pair: EntityPair, _ old: ComparedRow, _ new: ComparedRow, _ mayDifferInLists: Bool
  ) throws -> [PropertyChange] {
    try pair.shared.compactMap { shared in
      let property = pair.new!.properties[shared.new]
      func change(_ content: PropertyChange.Content) -> PropertyChange {
        PropertyChange(
          name: property.name, content: content, precision: property.precision)
      }
      switch (pair.old!.properties[shared.old].content, property.content) {
      case (.value(let one), .value(let other)):
        let values = BothSides(old: try old.value(one), new: try new.value(other))
        return values.areEqual ? nil : change(.value(values))
      case (.reference(let one), .reference(let other)):
        let values = BothSides(old: try old.value(one.column), new: try new.value(other.column))
        if try isSame(values.old, values.new) { return nil }
        return change(
          .reference(
            BothSides(
              old: try object(values.old, .old), new: try object(values.new, .new))))
      default:
        guard mayDifferInLists, let lists = pair.lists(shared) else { return nil }
        return try members(lists, old.key, new.key).map { change(.members($0)) }
      }
    }
  }

  private func object(_ value: Value, _ side: ComparedSide) throws -> ComparedObject? {
    guard case .object(let key) = value else { return nil }
    return try matching.reference(to: key, side)
  }

  /// Returns the difference between the members of two matching objects, or `nil`.
  private func members(
    _ lists: EntityPair.Lists, _ old: ObjectKey, _ new: ObjectKey
  ) throws -> MemberChange? {
    func members(
      _ side: ComparedSide, _ key: ObjectKey, _ list: ToManyRelationship
    ) throws -> [(key: ObjectKey, token: ObjectToken)] {
      try stores[side].source.objects(relatedTo: key, through: list).map {
        ($0, try matching.token(of: $0, side))
      }
    }
    let before = try members(.old, old, lists.old)
    let after = try members(.new, new, lists.new)
    let (were, are) = (Set(before.map(\.token)), Set(after.map(\.token)))
    let removed = before.filter { !are.contains($0.token) }
    let added = after.filter { !were.contains($0.token) }
    let isReordered =
      lists.areOrdered
      && before.map(\.token).filter { are.contains($0) }
        != after.map(\.token).filter { were.contains($0) }
    guard !removed.isEmpty || !added.isEmpty || isReordered else { return nil }
    func objects(
      _ members: [(key: ObjectKey, token: ObjectToken)], _ side: ComparedSide
    ) throws -> [ComparedObject] {
      try members.map { try matching.reference(to: $0.key, side) }
    }
    return MemberChange(
      added: try objects(added, .new), removed: try objects(removed, .old),
      isReordered: isReordered, order: lists.areOrdered ? try objects(after, .new) : nil)
  }

  // MARK: - Objects of one side

  /// Returns the values of an object that the other side does not have, without properties that have no value.
  private func values(
    of row: ComparedRow, _ entity: ComparedEntity, _ side: ComparedSide
  ) throws -> [PropertyChange] {
    try entity.properties.compactMap { property in
      func change(_ content: PropertyChange.Content) -> PropertyChange {
        PropertyChange(
          name: property.name, content: content, precision: property.precision)
      }
      switch property.content {
      case .value(let column):
        let value = try row.value(column)
        if value.isNull { return nil }
        var values = BothSides<Value>(old: .null, new: .null)
        values[side] = value
        return change(.value(values))
      case .reference(let reference):
        guard let object = try object(row.value(reference.column), side) else { return nil }
        var objects = BothSides<ComparedObject?>(old: nil, new: nil)
        objects[side] = object
        return change(.reference(objects))
      case .list(let list, let keepsOrder):
        let members = try stores[side].source.objects(relatedTo: row.key, through: list).map {
          try matching.reference(to: $0, side)
        }
        if members.isEmpty { return nil }
        return change(
          .members(
            MemberChange(
              added: side == .new ? members : [], removed: side == .old ? members : [],
              isReordered: false, order: keepsOrder && side == .new ? members : nil)))
      }
    }
  }
}

extension BothSides<Value> {
  /// Whether the values are identical to the last bit, or the same number in two types of numbers.
  fileprivate var areEqual: Bool {
    switch (old, new) {
    case (.integer(let one), .double(let other)), (.double(let other), .integer(let one)):
      Int64(exactly: other) == one
    case (.integer(let one), .float(let other)), (.float(let other), .integer(let one)):
      Int64(exactly: other) == one
    case (.float(let one), .double(let other)), (.double(let other), .float(let one)):
      Double(one).bitPattern == other.bitPattern
    case (.integer(let one), .decimal(let other)), (.decimal(let other), .integer(let one)):
      Decimal(one) == other
    // A floating-point number and a decimal are equal if they have the same shortest text.
    case (.double, .decimal(let other)), (.float, .decimal(let other)):
      BothSides.decimal(old) == other
    case (.decimal(let other), .double), (.decimal(let other), .float):
      BothSides.decimal(new) == other
    case (.integer(let one), .boolean(let other)), (.boolean(let other), .integer(let one)):
      one == (other ? 1 : 0)
    case (.string(let one), .uri(let other)), (.uri(let other), .string(let one)):
      one.utf8.elementsEqual(other.utf8)
    default: old.isIdentical(to: new)
    }
  }
  private static func decimal(_ number: Value) -> Decimal? {
    DecimalParts(text: ValueText.exchange.text(number).utf8.span)?.decimal
  }
}
