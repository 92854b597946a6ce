// SAFETY: A buffer has room for one value of each row. Structures are released once, after the calls that read them.

package import CArrow
import Foundation
package import ObjectModel

/// Columns of single values as Arrow arrays: the results of expressions and of groups, which are in no block.
package struct RecordValues: Sendable {
  /// A value, or the values of related objects.
  package enum Cell: Sendable {
    case value(Value)
    case list([Value])

    fileprivate var values: [Value] {
      switch self {
      case .value(let value): [value]
      case .list(let values): values
      }
    }
  }

  private let names: [String]
  private let rows: [[Cell]]
  private let kinds: [ColumnKind]
  private let forms: [RecordForm]
  /// Whether the cells of a column are lists.
  private let haveLists: [Bool]

  /// Creates columns from rows of values.
  ///
  /// - Throws: ``RecordError`` if a column has values of several kinds.
  package init(_ names: [String], _ rows: [[Value]]) throws {
    try self.init(
      names, rows.map { row in row.map { .value($0) } }, listColumns: [])
  }

  /// Creates columns from rows of cells. The kind of a column is the one that holds all its values.
  ///
  /// - Parameters:
  ///   - listColumns: The indices of the columns whose cells are lists.
  ///   - precisions: The precisions of all columns. Columns of days and of decimal numbers then have Arrow's own types; `nil`
  ///     for timestamps and texts.
  /// - Throws: ``RecordError`` if a column has values of several kinds.
  package init(
    _ names: [String], _ rows: [[Cell]], listColumns: Set<Int>,
    precisions: [Attribute.Precision?]? = nil
  ) throws {
    self.names = names
    self.rows = rows
    haveLists = names.indices.map { listColumns.contains($0) }
    kinds = try names.indices.map { column in
      var kind: ColumnKind?
      for row in rows {
        for value in row[column].values {
          kind = try RecordValues.joined(kind, RecordValues.kind(of: value), names[column])
        }
      }
      return kind ?? (listColumns.contains(column) ? .reference : .string)
    }
    let kinds = kinds
    forms = names.indices.map { column in
      guard let precisions else { return .usual }
      return RecordValues.form(
        kinds[column], precisions[column], rows.lazy.flatMap { $0[column].values })
    }
  }

  private static func form(
    _ kind: ColumnKind, _ precision: Attribute.Precision?, _ values: some Sequence<Value>
  ) -> RecordForm {
    switch kind {
    case .date:
      // A computed date may have a time, although its parts have none.
      let areDays = values.allSatisfy { value in
        if case .date(let date) = value {
          days(date.timeIntervalSinceReferenceDate) != nil
        } else {
          true
        }
      }
      return areDays ? RecordForm(precision) : .usual
    case .decimal:
      var scale = DecimalScale(of: values)
      if case .places(let places) = precision { scale.require(places: places) }
      return scale.digits.map { .scaled($0) } ?? .usual
    default: return .usual
    }
  }

  /// Returns the kind that holds values of two kinds.
  private static func joined(
    _ known: ColumnKind?, _ next: ColumnKind?, _ name: String
  ) throws -> ColumnKind? {
    guard let known, let next, known != next else { return next ?? known }
    let numbers: Set<ColumnKind> = [known, next]
    guard numbers.isSubset(of: [.int64, .double, .decimal, .float]) else {
      throw RecordError(description: "The column \(name) has values of several types.")
    }
    return numbers.contains(.decimal) ? .decimal : .double
  }

  package var count: Int { rows.count }

  /// Returns the description of the arrays. The caller releases it.
  @unsafe package var schema: ArrowSchema {
    let children = unsafe names.indices.map { column in
      let single = unsafe RecordValues.schema(
        kinds[column], forms[column], name: haveLists[column] ? "item" : names[column])
      guard haveLists[column] else { return unsafe single }
      return unsafe ArrowSchemaNode.schema(
        format: "+l", name: names[column], children: [single])
    }
    return unsafe ArrowSchemaNode.schema(
      format: ArrowFormat.structure, name: "", children: children)
  }

  @unsafe private static func schema(
    _ kind: ColumnKind, _ form: RecordForm, name: String
  ) -> ArrowSchema {
    let known = form == .usual ? kind.recordExtension : nil
    return unsafe ArrowSchemaNode.schema(
      format: form.format(of: kind), name: name,
      metadata: known.map { [(ArrowFormat.extensionKey, $0)] } ?? [], isOptional: true)
  }

  /// Returns all rows as an array of structures. The caller releases it.
  ///
  /// - Throws: ``RecordError`` for a value that the array can't contain.
  @unsafe package func array() throws -> ArrowArray {
    // All columns are made before the first structure, so that an error leaves none behind.
    let columns = try names.indices.map { column in
      let values = rows.flatMap { $0[column].values }
      return try (
        count: values.count,
        content: RecordValues.buffers(values, kinds[column], forms[column], name: names[column])
      )
    }
    let children = unsafe columns.enumerated().map { index, column in
      let single = unsafe ArrowArrayNode.array(
        rowCount: column.count, nullCount: column.content.nullCount, column.content.buffers)
      guard haveLists[index] else { return unsafe single }
      return unsafe ArrowArrayNode.array(
        rowCount: rows.count, nullCount: 0, [.none, ends(of: index)], children: [single])
    }
    return unsafe ArrowArrayNode.array(
      rowCount: rows.count, nullCount: 0, [.none], children: children)
  }

  /// Returns the ends of the lists of a column.
  private func ends(of column: Int) -> ArrowBuffer {
    var ends: [Int32] = [0]
    for row in rows { ends.append(ends.last! + Int32(row[column].values.count)) }
    return ArrowBuffer(ends.count, of: Int32.self) { ends[$0] }
  }

  /// Writes all rows as a stream of Arrow's IPC format.
  ///
  /// - Throws: ``RecordError`` for a value that the stream can't contain; the error of `sink`.
  package func write(to sink: ArrowFileWriter.Sink) throws {
    var schema = unsafe schema
    defer { if let release = unsafe schema.release { unsafe release(&schema) } }
    var writer = try unsafe ArrowFileWriter(&schema, as: .stream, to: sink)
    if count > 0 {
      var array = unsafe try array()
      defer { if let release = unsafe array.release { unsafe release(&array) } }
      try unsafe writer.write(&array, to: sink)
    }
    try writer.end(to: sink)
  }

  private static func kind(of value: Value) -> ColumnKind? {
    switch value {
    case .null: nil
    case .boolean: .boolean
    case .integer: .int64
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .uri: .uri
    case .date: .date
    case .uuid: .uuid
    case .binary: .binary
    case .object: .reference
    }
  }
}

extension RecordValues {
  /// Returns the seconds since 2001 as microseconds since 1970; `nil` if these are too many for 64 bits.
  static func microseconds(_ seconds: Double) -> Int64? {
    Int64(exactly: ((seconds + 978_307_200) * 1_000_000).rounded())
  }

  static func beyondMoments(_ seconds: Double, _ name: String) -> RecordError {
    RecordError(
      description:
        "The column \(name) contains the date @\(seconds), which is beyond the range of Arrow's timestamps."
    )
  }

  /// Returns the seconds since 2001 as days since 1970; `nil` if they are not the start of a day.
  static func days(_ seconds: Double) -> Int32? {
    Int32(exactly: (seconds + 978_307_200) / 86_400)
  }

  static func notADay(_ seconds: Double, _ name: String) -> RecordError {
    RecordError(
      description:
        "The column \(name) contains the date \(MomentText.text(seconds)), which is not a day.")
  }

  static func strings(_ ends: [Int64], _ heap: [UInt8]) -> [ArrowBuffer] {
    [
      ArrowBuffer(ends.count, of: Int64.self) { ends[$0] },
      unsafe ArrowBuffer(byteCount: heap.count) { unsafe $0.copyBytes(from: heap) },
    ]
  }

  /// Returns the buffers of a column with the given values.
  static func buffers(
    _ values: [Value], _ kind: ColumnKind, _ form: RecordForm = .usual, name: String
  ) throws -> (buffers: [ArrowBuffer], nullCount: Int) {
    let nullCount = values.count(where: \.isNull)
    let presence =
      nullCount == 0 ? ArrowBuffer.none : ArrowBuffer(bits: values.count) { !values[$0].isNull }
    let content =
      switch form {
      case .usual: try content(values, kind, name)
      case .scaled(let scale):
        [ArrowBuffer(values.count, of: Int128.self) { scaled(values[$0], to: scale).littleEndian }]
      case .day: [ArrowBuffer(values.count, of: Int32.self) { day(values[$0]) }]
      }
    return ([presence] + content, nullCount)
  }

  private static func scaled(_ value: Value, to scale: Int) -> Int128 {
    guard case .decimal(let number) = value else { return 0 }
    return DecimalParts(number)?.scaled(to: scale) ?? 0
  }

  private static func day(_ value: Value) -> Int32 {
    guard case .date(let date) = value else { return 0 }
    return days(date.timeIntervalSinceReferenceDate) ?? 0
  }

  private static func content(
    _ values: [Value], _ kind: ColumnKind, _ name: String
  ) throws -> [ArrowBuffer] {
    let count = values.count
    func integers<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> [ArrowBuffer] {
      [
        ArrowBuffer(count, of: T.self) {
          if case .integer(let number) = values[$0] { T(truncatingIfNeeded: number) } else { 0 }
        }
      ]
    }
    switch kind {
    case .boolean: return [ArrowBuffer(bits: count) { values[$0] == .boolean(true) }]
    case .int16: return integers(Int16.self)
    case .int32: return integers(Int32.self)
    case .int64: return integers(Int64.self)
    case .float: return [ArrowBuffer(count, of: Float.self) { Float(number(values[$0])) }]
    case .double: return [ArrowBuffer(count, of: Double.self) { number(values[$0]) }]
    case .date:
      let moments = try values.map { value -> Int64 in
        guard case .date(let date) = value else { return 0 }
        let seconds = date.timeIntervalSinceReferenceDate
        guard let moment = microseconds(seconds) else { throw beyondMoments(seconds, name) }
        return moment
      }
      return [ArrowBuffer(count, of: Int64.self) { moments[$0] }]
    case .reference:
      return [
        ArrowBuffer(count, of: UInt64.self) {
          if case .object(let key) = values[$0] { key.rawValue } else { 0 }
        }
      ]
    case .uuid, .binary, .string, .uri, .decimal:
      var heap: [UInt8] = []
      var ends: [Int64] = [0]
      for value in values {
        append(value, to: &heap)
        if kind == .uuid, value.isNull { heap += [UInt8](repeating: 0, count: 16) }
        ends.append(Int64(heap.count))
      }
      let buffers = strings(ends, heap)
      return kind == .uuid ? [buffers[1]] : buffers
    }
  }

  private static func append(_ value: Value, to heap: inout [UInt8]) {
    switch value {
    case .string(let text), .uri(let text): heap.append(contentsOf: text.utf8)
    case .binary(let bytes): heap.append(contentsOf: bytes)
    case .uuid(let uuid):
      unsafe withUnsafeBytes(of: uuid.uuid) { unsafe heap.append(contentsOf: $0) }
    case .decimal(let number): heap.append(contentsOf: number.description.utf8)
    case .integer(let number): heap.append(contentsOf: String(number).utf8)
    case .double(let number): heap.append(contentsOf: RealText.text(number).utf8)
    case .float(let number): heap.append(contentsOf: RealText.text(number).utf8)
    default: break
    }
  }

  private static func number(_ value: Value) -> Double {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .float(let number): Double(number)
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    default: 0
    }
  }
}
