import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// A snapshot that shows a value, a number or metadata wrongly.
struct FaultySnapshot: StoreSnapshot {
  let base: any StoreSnapshot
  let fault: Fault
  /// The newest commit of the store, for a snapshot that also shows later changes.
  let newest: @Sendable () throws -> any StoreSnapshot

  var commit: Int64 { fault == .keepsTheNumberOfCommits ? min(base.commit, 3) : base.commit }
  var model: Model { get throws { try base.model } }
  var schema: Schema { base.schema }
  var metadata: StoreMetadata {
    get throws {
      var metadata = try base.metadata
      if fault == .losesMetadata { metadata.values["owner"] = nil }
      if fault == .namesAnotherType { metadata.values["NSStoreType"] = .string("Other") }
      return metadata
    }
  }
  var tables: [any RowTable] {
    switch fault {
    case .showsLaterChanges, .losesHeldSnapshots: return (try? newest().tables) ?? base.tables
    case .losesRowsByKey, .findsRowsOfOthersByKey, .findsRemovedRowsByKey:
      return base.tables.map { FaultyTable(base: $0, fault: fault) }
    case .countsVersionsByItself: return (try? changed { $1 }) ?? base.tables
    default: return (try? changed { wrong($0, $1) }) ?? base.tables
    }
  }

  /// Returns the wrong value for a value of a column.
  private func wrong(_ column: String, _ value: Value) -> Value {
    switch (fault, value) {
    case (.roundsDoubles, .double(let number)) where number == 0: .double(0)
    case (.roundsDates, .date(let date)):
      .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded()))
    case (.losesDigitsOfDecimals, .decimal(let number)):
      .decimal(Decimal((number as NSDecimalNumber).doubleValue))
    case (.losesEmptyTexts, .string("")): .null
    case (.cutsTexts, .string(let text)) where text.count > 255: .string(String(text.prefix(255)))
    case (.cutsMegabytes, .string(let text)) where text.utf8.count > 4 << 20:
      .string(String(decoding: text.utf8.prefix(4 << 20), as: UTF8.self))
    case (.cutsBytes, .binary(let bytes)) where bytes.count > 65_535: .binary(bytes.prefix(65_535))
    case (.losesReferences, .object): .null
    case (.losesBooleans, .boolean(false)): .null
    case (.wrapsSmallIntegers, .integer(.min)): .integer(.max)
    case (.losesOrder, .integer) where column.contains("#order"): .integer(0)
    default: value
    }
  }

  /// Returns the tables with wrong values in a layer above them.
  private func changed(_ wrong: (String, Value) -> Value) throws -> [any RowTable] {
    let builder = LayerBuilder(schema)
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      for number in try base.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try base.view.row(of: key) else { continue }
        let version = try row.version
        for (index, column) in layout.columns.enumerated() {
          let value = try row.value(column)
          let other = wrong(column.name, value)
          if fault == .countsVersionsByItself || !other.isIdentical(to: value) {
            builder.set(other, column: index, of: key, basis: version)
          }
        }
      }
    }
    let layer = builder.freeze(version: fault == .countsVersionsByItself ? 1 : commit)
    return layer.isEmpty ? base.tables : base.tables + [layer]
  }
}

/// A table that finds wrong rows by their keys. A scan of the table finds the right rows.
private struct FaultyTable: RowTable {
  let base: any RowTable
  let fault: Fault

  func entry(of key: ObjectKey) throws -> RowEntry {
    switch fault {
    case .losesRowsByKey where key.number % 64 == 63: return .absent
    case .findsRowsOfOthersByKey where key.number % 64 == 0:
      return try base.entry(of: ObjectKey(entity: key.entity, number: key.number + 1))
    case .findsRemovedRowsByKey where key.number >= 90_000:
      return try base.entry(of: ObjectKey(entity: key.entity, number: 1))
    default: return try base.entry(of: key)
    }
  }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    try base.changes(ofEntity: number)
  }

  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    try base.keyRanges(ofEntity: number)
  }
}
