// SAFETY: The functions trust their caller, a test script, to pass pointers as the parameters state.

// Exchanges rows with a library of another language within one process. The caller is a script that loads this module as
// a dynamic library (Tests/RowsTests/PyArrowTests.swift).

public import CArrow
import Foundation
import ObjectModel
import Rows

/// A column of each kind, in the order of the kinds' numbers.
private let layout = Layout(
  entity: "Everything", entityNumber: 7,
  columns: ColumnKind.allCases.map {
    LayoutColumn(number: UInt16($0.rawValue), name: "\($0)", kind: $0)
  })

/// Writes three rows to the given places: a row of ordinary values, a row of nulls and a row of extreme values.
@_cdecl("quire_arrow_sample")
public func sample(
  _ array: UnsafeMutablePointer<ArrowArray>, _ schema: UnsafeMutablePointer<ArrowSchema>
) -> Int32 {
  let draft = Draft(layout, role: .insertions)
  let uuid = UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!
  let first: [Value] = [
    .boolean(true), .integer(-2), .integer(70_000), .integer(1 << 40), .float(0.5),
    .double(12.34), .date(Date(timeIntervalSinceReferenceDate: 600_000_000.25)),
    .decimal(Decimal(string: "-10.5")!), .string("Lisboa é linda"),
    .uri("https://example.org/"), .binary(Data([0, 255])), .uuid(uuid),
    .object(ObjectKey(entity: 2, number: 5)),
  ]
  let last: [Value] = [
    .boolean(false), .integer(Int64(Int16.min)), .integer(Int64(Int32.max)), .integer(.min),
    .float(-0.25), .double(.infinity), .date(Date(timeIntervalSinceReferenceDate: -1)),
    .decimal(Decimal(string: "12345678901234567890.123")!), .string(""), .uri("urn:x"),
    .binary(Data()), .uuid(uuid), .object(ObjectKey(entity: 1, number: 1)),
  ]
  let rows: [(key: UInt64, values: [Value])] = [
    (3, first), (4, Array(repeating: .null, count: first.count)), (9, last),
  ]
  for (key, values) in rows {
    let row = draft.append(key: key)
    for (column, value) in values.enumerated() { draft.set(value, column: column, row: row) }
  }
  do {
    unsafe try ArrowBatch(draft.freeze(version: 41)[0], layout: layout)
      .move(to: array, schema: schema)
    return 0
  } catch {
    return 1
  }
}

/// Reads rows from the given places and writes their text, one line for each row, or the error.
///
/// - Returns: The number of bytes written, at most `capacity`.
@_cdecl("quire_arrow_describe")
public func describe(
  _ array: UnsafeMutablePointer<ArrowArray>, _ schema: UnsafeMutablePointer<ArrowSchema>,
  _ target: UnsafeMutablePointer<UInt8>, _ capacity: Int
) -> Int {
  let batch = unsafe ArrowBatch(taking: array, schema: schema)
  var text: String
  do {
    text = try batch.blocks(layout).map(describe).joined()
  } catch {
    text = "error: \(error)\n"
  }
  let bytes = Array(text.utf8.prefix(capacity))
  unsafe target.update(from: bytes, count: bytes.count)
  return bytes.count
}

private func describe(_ block: Block) throws -> String {
  let keys = try block.keys
  return try (0..<block.rowCount).map { row in
    var line = "\(keys.integer(at: row))"
    for column in layout.columns {
      guard let values = try block.column(column.number) else { continue }
      line += " \(column.name)="
      line += values.isGiven(row) ? word(values.value(at: row)) : "beneath"
    }
    return line + "\n"
  }.joined()
}

private func word(_ value: Value) -> String {
  switch value {
  case .null: "null"
  case .boolean(let value): "\(value)"
  case .integer(let value): "\(value)"
  case .float(let value): "\(value)"
  case .double(let value): "\(value)"
  case .decimal(let value): "\(value)"
  case .string(let value), .uri(let value): "'\(value)'"
  case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
  case .uuid(let value): value.uuidString
  case .binary(let value): value.map { String($0) }.joined(separator: ",")
  case .object(let key): "\(key.entity)/\(key.number)"
  }
}
