import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Returns the contents of a store as lines. The lines of two stores are equal if only the numbers of objects differ.
func contents(_ snapshot: any StoreSnapshot) throws -> [String] {
  let view = snapshot.view
  var ranks: [ObjectKey: String] = [:]
  for layout in snapshot.schema.layouts {
    for (rank, key) in try view.keys(ofEntity: layout.entityNumber).enumerated() {
      ranks[ObjectKey(entity: layout.entityNumber, number: key)] = "\(layout.entity)#\(rank)"
    }
  }
  var lines: [String] = []
  var orders: [String: [(place: Int64, member: String)]] = [:]
  for layout in snapshot.schema.layouts {
    for number in try view.keys(ofEntity: layout.entityNumber) {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      let row = try view.row(of: key)!
      let name = ranks[key]!
      for column in layout.columns.sorted(by: { $0.name < $1.name }) {
        let value = try row.value(column)
        if column.name.hasSuffix("#order") {
          let reference = layout.columns[layout.index(of: String(column.name.dropLast(6)))!]
          guard case .object(let owner) = try row.value(reference) else { continue }
          guard case .integer(let place) = value else {
            lines.append("\(name) has no place")
            continue
          }
          orders["\(ranks[owner]!) \(column.name)", default: []].append((place, name))
        } else {
          lines.append("\(name).\(column.name) = \(text(value, ranks))")
        }
      }
    }
  }
  for table in snapshot.schema.linkTables {
    let layout = table.layout
    for number in try view.keys(ofEntity: layout.entityNumber) {
      let row = try view.row(of: ObjectKey(entity: layout.entityNumber, number: number))!
      let values = try layout.columns.map { try row.value($0) }
      let ends = values.prefix(2).map { text($0, ranks) }
      lines.append(
        "\(layout.entity): \((table.isSymmetric ? ends.sorted() : ends).joined(separator: " – "))")
      for (column, value) in zip(layout.columns, values).dropFirst(2) {
        guard case .integer(let place) = value else {
          lines.append("\(layout.entity) has a link without a place")
          continue
        }
        let isTarget = column.number == LinkTable.Column.targetOrder
        orders["\(layout.entity) \(column.name) \(ends[isTarget ? 0 : 1])", default: []]
          .append((place, ends[isTarget ? 1 : 0]))
      }
    }
  }
  for (name, members) in orders {
    let places = members.map(\.place)
    if Set(places).count != places.count { lines.append("\(name) has doubled places") }
    lines.append(
      "\(name): \(members.sorted { $0.place < $1.place }.map(\.member).joined(separator: ", "))")
  }
  return lines.sorted()
}

private func text(_ value: Value, _ ranks: [ObjectKey: String]) -> String {
  switch value {
  case .object(let key): ranks[key] ?? "nobody"
  case .double(let number): "d\(number.bitPattern)"
  case .float(let number): "f\(number.bitPattern)"
  case .date(let date): "t\(date.timeIntervalSinceReferenceDate.bitPattern)"
  case .string(let text), .uri(let text): "\(Array(text.utf8))"
  case .binary(let data): "\(data.count) \(data.hashValue)"
  default: "\(value)"
  }
}
