import Foundation
import PluginSupport

/// A writer of the objects and the links of a store, one on each line.
struct RowWriter {
  private let schema: Schema
  private let view: View

  init(_ contents: AtomicContents) {
    schema = contents.schema
    view = contents.view
  }

  func write(to writer: inout FileWriter) throws {
    try writer.write("\"objects\": {")
    var separator = "\n"
    for layout in schema.layouts {
      let keys = try view.keys(ofEntity: layout.entityNumber)
      if keys.isEmpty { continue }
      try writer.write("\(separator)\(JSONText.quoted(layout.entity)): [")
      for (index, number) in keys.enumerated() {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        try writer.write("\(index == 0 ? "" : ",")\n\(object(number, row, layout))")
      }
      try writer.write("\n]")
      separator = ",\n"
    }
    try writer.write("},\n\"links\": {")
    separator = "\n"
    for table in schema.linkTables {
      let name = table.layout.entity
      let keys = try view.keys(ofEntity: table.layout.entityNumber)
      guard !keys.isEmpty, let side = schema.links(named: name) else { continue }
      try writer.write("\(separator)\(JSONText.quoted(name)): [")
      for (index, number) in keys.enumerated() {
        let key = ObjectKey(entity: table.layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        // The object at either end of the link, and then the position of the link in the list of each.
        let parts = try [side.owner, side.destination, side.order, side.turned.order].map {
          try $0.map { try text(row.value($0), $0) } ?? "null"
        }
        try writer.write("\(index == 0 ? "" : ",")\n[\(parts.joined(separator: ", "))]")
      }
      try writer.write("\n]")
      separator = ",\n"
    }
    try writer.write("},\n")
  }

  /// Returns an object as JSON: its number, and its properties that have a value.
  private func object(_ number: UInt64, _ row: ViewRow, _ layout: Layout) throws -> String {
    var members = ["\"#\": \(number)"]
    for column in layout.columns {
      let value = try row.value(column)
      if value.isNull { continue }
      members.append("\(JSONText.quoted(column.name)): \(try text(value, column))")
    }
    return "{\(members.joined(separator: ", "))}"
  }

  private func text(_ value: Value, _ column: LayoutColumn) throws -> String {
    switch value {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    // Most programs read a JSON number as floating point, which has 53 bits for an integer. Larger integers are texts.
    case .integer(let value):
      return value.magnitude <= 1 << 53 ? "\(value)" : "\"\(value)\""
    case .float(let value): return JSONText.number(Double(value))
    case .double(let value): return JSONText.number(value)
    case .date(let value): return JSONText.number(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): return "\"\(value.isNaN ? "nan" : value.description)\""
    case .string(let value), .uri(let value): return JSONText.quoted(value)
    case .binary(let value): return "\"\(value.base64EncodedString())\""
    case .uuid(let value): return "\"\(value.uuidString)\""
    case .object(let key):
      guard let entity = schema[key.entity]?.entity else {
        throw StoreError(.badChange, "'\(column.name)' refers to an object of no entity.")
      }
      return JSONText.quoted("\(entity) \(key.number)")
    }
  }
}
