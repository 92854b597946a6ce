import Foundation
import ObjectModel
import Rows

/// The unique values of all objects, with a hash of 16 bytes for each.
final class UniqueValues {
  struct Constraint {
    /// The name of the entity that declares the constraint.
    let entity: String
    let names: [String]
    fileprivate var objects: [UInt128: ObjectKey] = [:]
  }
  private var constraints: [Constraint] = []
  /// The constraints of each entity's objects, and their columns.
  private var columns: [UInt16: [(constraint: Int, columns: [Int])]] = [:]

  /// Collects the uniqueness constraints of a model, and the values of the objects in a view.
  init(_ model: Model, _ schema: Schema, _ view: View) throws {
    for entity in model.entities {
      for names in entity.uniquenessConstraints where !names.isEmpty {
        constraints.append(Constraint(entity: entity.name, names: names))
        for member in model.family(of: entity.name) {
          guard let layout = schema[member.name] else { continue }
          let indexes = names.compactMap { layout.index(of: $0) }
          guard indexes.count == names.count else { continue }
          columns[layout.entityNumber, default: []].append((constraints.count - 1, indexes))
        }
      }
    }
    for (number, constrained) in columns {
      guard let layout = schema[number] else { continue }
      for batch in try view.batches(of: layout) { try add(batch, layout, constrained) }
    }
  }

  var isEmpty: Bool { columns.isEmpty }

  private func add(
    _ batch: RowBatch, _ layout: Layout, _ constrained: [(constraint: Int, columns: [Int])]
  ) throws {
    let keys = try batch.block.keys
    for (constraint, indexes) in constrained {
      let own = try indexes.map { try batch.block.column(layout.columns[$0]) }
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        let values = own.map { $0?.value(at: row) ?? .null }
        guard let hash = UniqueValues.hash(values) else { continue }
        constraints[constraint].objects[hash] = ObjectKey(
          entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
      }
    }
  }

  /// Records the values of a new object.
  ///
  /// - Returns: The constraint that the object violates, with the earlier object of the same values, and the values;
  ///   `nil` if there is no conflict.
  func add(
    _ key: ObjectKey, value: (_ column: Int) -> Value
  ) -> (constraint: Constraint, other: ObjectKey, values: [String: Value])? {
    for (constraint, indexes) in columns[key.entity] ?? [] {
      guard let hash = UniqueValues.hash(indexes.map(value)) else { continue }
      if let other = constraints[constraint].objects.updateValue(key, forKey: hash), other != key {
        let names = constraints[constraint].names
        return (
          constraints[constraint], other,
          Dictionary(zip(names, indexes.map(value))) { first, _ in first }
        )
      }
    }
    return nil
  }

  /// Returns the reason for rejecting an object with the unique values of another object.
  ///
  /// - Parameter isStored: Whether the other object is in the store, and not in the files.
  static func reason(_ other: String, isStored: Bool) -> String {
    "The value must be unique, but \(other) has the same value."
      + (isStored ? " With --update, the import changes that object." : "")
  }

  /// Returns the object of the entity's family that has the same values under some constraint.
  func object(ofEntity entity: UInt16, value: (_ column: Int) -> Value) -> ObjectKey? {
    for (constraint, indexes) in columns[entity] ?? [] {
      guard let hash = UniqueValues.hash(indexes.map(value)) else { continue }
      if let other = constraints[constraint].objects[hash] { return other }
    }
    return nil
  }

  /// Returns a hash of 128 bits, so large that different values practically never share it; `nil` if a value is null,
  /// because null values are never in conflict.
  private static func hash(_ values: [Value]) -> UInt128? {
    var one = Hasher()
    var other = Hasher()
    other.combine(1)
    for value in values {
      let words: [UInt8]
      switch value {
      case .null: return nil
      case .string(let text), .uri(let text): words = Array(text.utf8)
      case .binary(let data): words = Array(data)
      case .double(let number): words = Array(RealText.text(number == 0 ? 0 : number).utf8)
      case .float(let number): words = Array(RealText.text(number == 0 ? 0 : number).utf8)
      case .date(let date):
        let seconds = date.timeIntervalSinceReferenceDate
        words = Array(RealText.text(seconds == 0 ? 0 : seconds).utf8)
      case let value: words = Array(ValueText.exchange.text(value).utf8)
      }
      one.combine(words)
      other.combine(words)
    }
    return UInt128(UInt64(bitPattern: Int64(one.finalize()))) << 64
      | UInt128(UInt64(bitPattern: Int64(other.finalize())))
  }
}
