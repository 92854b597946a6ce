import Foundation
package import ObjectModel
package import Rows

/// An object whose values are read while a predicate is evaluated.
struct Subject {
  let key: ObjectKey
  let values: Values

  enum Values {
    case row(BatchReader, Int)
    /// A row and the changes above it.
    case view(ViewRow)
    /// Any other source of values, such as an object with unsaved changes.
    case other(any ObjectValues)
    /// No object, so all values are null.
    case nothing
  }

  func value(_ column: LayoutColumn) throws -> Value {
    switch values {
    case .row(let reader, let row): try reader.value(column, row)
    case .view(let row): try row.value(column)
    case .other(let values): try values.value(of: column)
    case .nothing: .null
    }
  }
}

/// A provider of the values of one object.
package protocol ObjectValues {
  /// Returns the value that the object has in the given column.
  func value(of column: LayoutColumn) throws -> Value
}

/// The columns of one batch. Each column is looked up once.
final class BatchReader {
  let batch: RowBatch
  let entityNumber: UInt16
  /// The keys of the first and of the last row.
  let lowestKey: ObjectKey
  let highestKey: ObjectKey
  /// Whether every key between the lowest and the highest belongs to a row.
  let isConsecutive: Bool
  private var columns: [(number: UInt16, column: Column)] = []

  init(_ batch: RowBatch, entityNumber: UInt16) {
    self.batch = batch
    self.entityNumber = entityNumber
    let block = batch.block
    lowestKey = ObjectKey(entity: entityNumber, number: block.minimumKey)
    highestKey = ObjectKey(entity: entityNumber, number: block.maximumKey)
    isConsecutive = block.isConsecutive
  }

  func column(_ column: LayoutColumn) throws -> Column {
    for known in columns where known.number == column.number { return known.column }
    // A batch contains whole rows, so no column needs a lookup in the rows below.
    let found =
      try batch.block.column(column)
      ?? Column(repeating: .null, kind: column.kind, rowCount: batch.block.rowCount)
    // Outside values are not cached: all outside values of a query together may exceed the memory.
    if !batch.block.hasOutsideValues(in: column.number) { columns.append((column.number, found)) }
    return found
  }

  /// Returns the value of one row. An outside value is read individually.
  func value(_ column: LayoutColumn, _ row: Int) throws -> Value {
    batch.block.hasOutsideValues(in: column.number)
      ? try batch.block.value(column, row: row) ?? .null
      : try self.column(column).value(at: row)
  }

  /// Returns a column that has values in the same rows as the given one, for tests that only check for a value.
  func presence(of column: LayoutColumn) throws -> Column {
    guard batch.block.hasOutsideValues(in: column.number),
      let found = try batch.block.presence(of: column)
    else { return try self.column(column) }
    return found
  }

  func subject(_ row: Int) throws -> Subject {
    Subject(key: try key(row), values: .row(self, row))
  }
}

/// Evaluates bound trees for one object at a time. It defines the meaning of every predicate.
///
/// Scans work on columns instead wherever possible (``ScanNode``), and must give the same results. The tests compare
/// both.
final class Interpreter {
  let source: (any QuerySource)?
  let now: Date
  /// The values of the group that is being evaluated.
  var group: GroupValues?
  private var slots: [Subject]
  private var sharedFetches: [Operand?]
  /// The collections at the ends of paths from objects to which several objects lead.
  private var sharedPaths: [SharedPath: Operand] = [:]
  private var sharedElementCount = 0
  private static let mostSharedElements = 1 << 20

  private struct SharedPath: Hashable {
    let steps: ArraySlice<PathStep>
    let start: ObjectKey
  }
  private var subject = Subject(key: ObjectKey(rawValue: 0), values: .nothing)

  init(_ source: (any QuerySource)?, now: Date, slotCount: Int = 0, sharedFetchCount: Int = 0) {
    self.source = source
    self.now = now
    slots = Array(repeating: subject, count: slotCount)
    sharedFetches = Array(repeating: nil, count: sharedFetchCount)
  }

  /// Returns an interpreter for expressions that read no object.
  static func withoutObjects(_ now: Date) -> ConstantInterpreter { ConstantInterpreter(now) }

  /// Returns whether an object meets the predicate.
  func holds(_ predicate: BoundPredicate, for subject: Subject) throws -> Bool {
    let outer = self.subject
    self.subject = subject
    defer { self.subject = outer }
    return try holds(predicate)
  }

  /// Returns the value of an expression for an object.
  func value(_ expression: BoundExpression, for subject: Subject) throws -> Operand {
    let outer = self.subject
    self.subject = subject
    defer { self.subject = outer }
    return try value(expression)
  }

  func holds(_ predicate: BoundPredicate) throws -> Bool {
    switch predicate {
    case .constant(let flag): return flag
    case .and(let parts):
      for part in parts where try !holds(part) { return false }
      return true
    case .or(let parts):
      for part in parts where try holds(part) { return true }
      return false
    case .not(let part): return try !holds(part)
    case .comparison(let comparison): return try holds(comparison)
    }
  }

  func holds(_ comparison: BoundComparison) throws -> Bool {
    let left = try value(comparison.left)
    let right = try value(comparison.right)
    switch comparison.modifier {
    case .direct: return try comparison.holds(left, right)
    case .any: return try left.items.contains { try comparison.holds($0, right) }
    case .all: return try left.items.allSatisfy { try comparison.holds($0, right) }
    }
  }

  // MARK: - Values

  func value(_ expression: BoundExpression) throws -> Operand {
    switch expression {
    case .constant(let operand): return operand
    case .this: return .value(.object(subject.key))
    case .slot(let slot): return .value(.object(slots[slot].key))
    case .path(.this, let steps): return try follow(steps[...], from: subject)
    case .path(.slot(let slot), let steps): return try follow(steps[...], from: slots[slot])
    case .path(let base, let steps): return try follow(steps[...], from: try value(base))
    case .list(let parts): return .list(try parts.map(value))
    case .function(let function, let arguments):
      return compute(function, try arguments.map(value))
    case .call(let target, let method, let arguments):
      return call(method, on: try value(target), try arguments.map(value))
    case .element(let collection, let index): return try element(index, of: try value(collection))
    case .set(let operation, let left, let right):
      return combine(operation, try value(left).items, try value(right).items)
    case .subquery(let subquery): return try select(subquery)
    case .conditional(let condition, let then, let otherwise):
      return try holds(condition) ? try value(then) : try value(otherwise)
    case .cast(let inner, let target):
      return try value(inner).cast(to: target, store: source?.store ?? nil) ?? .null
    case .fetch(let fetch): return try find(fetch)
    case .groupValue(.key(let index)): return group?.keys[index] ?? .null
    case .groupValue(.aggregate(let index)): return group?.aggregates[index] ?? .null
    }
  }

  /// Returns the value at the end of a path from one object.
  private func follow(_ steps: ArraySlice<PathStep>, from subject: Subject) throws -> Operand {
    guard let step = steps.first else { return .value(.object(subject.key)) }
    let rest = steps.dropFirst()
    switch step {
    case .attribute(let column):
      let value = try subject.value(column)
      return rest.isEmpty ? .value(value) : try follow(rest, from: .value(value))
    case .toOne(let column, _):
      let value = try subject.value(column)
      guard case .object(let key) = value, rest.contains(where: \.isToMany) else {
        return rest.isEmpty ? .value(value) : try follow(rest, from: .value(value))
      }
      return try followShared(rest, from: key)
    case .toMany(let relationship):
      guard let source else { return .list([]) }
      let keys = try source.objects(relatedTo: subject.key, through: relationship)
      return try follow(rest, from: .list(keys.map { .value(.object($0)) }))
    case .collection:
      return try follow(steps, from: .value(.object(subject.key)))
    }
  }

  /// Returns the collection at the end of a path from an object to which many objects lead.
  ///
  /// Without this cache the path `department.employees` would be followed once for each employee, in time that grows
  /// with the square of the number of employees.
  private func followShared(
    _ steps: ArraySlice<PathStep>, from key: ObjectKey
  ) throws -> Operand {
    let path = SharedPath(steps: steps, start: key)
    if let known = sharedPaths[path] { return known }
    let found = try follow(steps, from: .value(.object(key)))
    sharedElementCount += found.items.count + 1
    if sharedElementCount > Interpreter.mostSharedElements {
      sharedPaths.removeAll()
      sharedElementCount = found.items.count + 1
    }
    sharedPaths[path] = found
    return found
  }

  /// Returns the value at the end of a path from a value, or from each of several values.
  private func follow(_ steps: ArraySlice<PathStep>, from operand: Operand) throws -> Operand {
    guard let step = steps.first else { return operand }
    if case .collection(let operation, let rest) = step {
      return try compute(operation, rest, of: operand)
    }
    switch operand {
    case .value(.object(let key)):
      guard let row = try source?.row(of: key) else { return .null }
      return try follow(steps, from: Subject(key: key, values: .view(row)))
    case .value: return .null
    case .list(let items):
      // A later collection operator applies to the whole collection, not to each element.
      let end = steps.firstIndex { if case .collection = $0 { true } else { false } }
      let part = steps[..<(end ?? steps.endIndex)]
      let leadsToMany = part.contains(where: \.isToMany)
      let flat = Operand.list(
        try items.flatMap { item -> [Operand] in
          switch try follow(part, from: item) {
          case .list(let items): items
          // If an object on the way is missing, no objects follow it.
          case .value(.null) where leadsToMany: []
          case let value: [value]
          }
        })
      return try end.map { try follow(steps[$0...], from: flat) } ?? flat
    }
  }

  private func compute(
    _ operation: CollectionOperator, _ rest: [PathStep], of operand: Operand
  ) throws -> Operand {
    let items = operand.items
    if operation == .count { return Operand(items.count) }
    var values: [Operand] = []
    for item in items {
      let value = rest.isEmpty ? item : try follow(rest[...], from: item)
      values.append(contentsOf: value.items)
    }
    if let function = operation.function { return compute(function, [.list(values)]) }
    return .list(operation.isDistinct ? values.distinct : values)
  }

  private func element(_ index: BoundIndex, of operand: Operand) throws -> Operand {
    let items = operand.items
    switch index {
    case .first: return items.first ?? .null
    case .last: return items.last ?? .null
    case .size: return Operand(items.count)
    case .at(let place):
      guard let number = try value(place).number?.integer, number >= 0, number < items.count
      else { return .null }
      return items[Int(number)]
    }
  }

  private func combine(
    _ operation: QueryExpression.SetOperator, _ left: [Operand], _ right: [Operand]
  ) -> Operand {
    switch operation {
    case .union: return .list((left + right).distinct)
    case .intersect:
      let others = Set(right)
      return .list(left.filter(others.contains).distinct)
    case .minus:
      let others = Set(right)
      return .list(left.filter { !others.contains($0) }.distinct)
    }
  }

  private func select(_ subquery: BoundSubquery) throws -> Operand {
    let outer = slots[subquery.slot]
    defer { slots[subquery.slot] = outer }
    var found: [Operand] = []
    for item in try value(subquery.collection).items {
      guard let key = item.object, let row = try source?.row(of: key) else { continue }
      slots[subquery.slot] = Subject(key: key, values: .view(row))
      if try holds(subquery.predicate) { found.append(item) }
    }
    return .list(found)
  }

  private func find(_ fetch: BoundFetch) throws -> Operand {
    if let index = fetch.sharedIndex, let known = sharedFetches[index] { return known }
    var found: [Operand] = []
    var count = 0
    guard let source else { return .null }
    for layout in fetch.layouts {
      for batch in try source.batches(of: layout) {
        let reader = BatchReader(batch, entityNumber: layout.entityNumber)
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          let candidate = try reader.subject(row)
          guard try holds(fetch.predicate, for: candidate) else { continue }
          count += 1
          if !fetch.countOnly { found.append(.value(.object(candidate.key))) }
        }
      }
    }
    let result = fetch.countOnly ? Operand(count) : .list(found)
    if let index = fetch.sharedIndex { sharedFetches[index] = result }
    return result
  }
}

/// Evaluates expressions that read no object, so no error of a store can occur.
struct ConstantInterpreter {
  private let interpreter: Interpreter

  init(_ now: Date) { interpreter = Interpreter(nil, now: now) }

  func value(_ expression: BoundExpression) throws(QueryError) -> Operand {
    do { return try interpreter.value(expression) } catch { throw .from(error) }
  }

  func holds(_ comparison: BoundComparison) throws(QueryError) -> Bool {
    do { return try interpreter.holds(comparison) } catch { throw .from(error) }
  }
}

extension QueryError {
  fileprivate static func from(_ error: any Error) -> QueryError {
    error as? QueryError ?? QueryError(.notSupported, "\(error)")
  }
}

extension [Operand] {
  /// The distinct elements, in the order of their first occurrence.
  var distinct: [Operand] {
    var seen: Set<Operand> = []
    return filter { seen.insert($0).inserted }
  }
}
