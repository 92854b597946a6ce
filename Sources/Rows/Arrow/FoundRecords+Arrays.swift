// SAFETY: Places are rows of their blocks, columns stay alive while their values are copied, and buffers have room for every
// record of the range.

package import CArrow
import Foundation
import ObjectModel

extension FoundRecords {
  /// Returns the description of arrays with the given columns. The caller releases it.
  @unsafe package static func schema(_ fields: [RecordField]) -> ArrowSchema {
    let children = unsafe fields.map { field in
      unsafe ArrowSchemaNode.schema(
        format: field.format, name: field.name,
        metadata: field.extensionName.map { [(ArrowFormat.extensionKey, $0)] } ?? [],
        isOptional: field.isOptional,
        children: field.format == "+l" ? [unsafe listItem] : [])
    }
    return unsafe ArrowSchemaNode.schema(
      format: ArrowFormat.structure, name: "", children: children)
  }

  /// The description of the objects of a list.
  @unsafe private static var listItem: ArrowSchema {
    unsafe ArrowSchemaNode.schema(
      format: "L", name: "item",
      metadata: ColumnKind.reference.recordExtension.map { [(ArrowFormat.extensionKey, $0)] } ?? [])
  }

  /// Returns an array of structures with a child for each column. The caller releases it.
  ///
  /// - Throws: The error of a damaged block; ``RecordError`` for a value that the array can't contain.
  @unsafe package func array(_ range: Range<Int>, _ fields: [RecordField]) throws -> ArrowArray {
    let part = Part(places[range])
    // All columns are made before the first structure, so that an error leaves none behind.
    let columns = try fields.map { field in
      switch field.content {
      case .identifier: try identifiers(part)
      case .property(let column, let form): try values(of: column, as: form, part)
      case .related(let reference, let column, let form):
        try relatedValues(of: column, as: form, through: reference, part)
      case .list(let index): FoundRecords.members(of: lists[index], range)
      }
    }
    let children = unsafe columns.map { column in
      let items = unsafe column.items.map { items in
        unsafe [ArrowArrayNode.array(rowCount: items.count, nullCount: 0, [.none, items.keys])]
      }
      return unsafe ArrowArrayNode.array(
        rowCount: range.count, nullCount: column.nullCount, column.buffers, children: items ?? [])
    }
    return unsafe ArrowArrayNode.array(
      rowCount: range.count, nullCount: 0, [.none], children: children)
  }

  /// The buffers of one column.
  private struct Buffers {
    var buffers: [ArrowBuffer]
    var nullCount: Int
    /// The objects of all lists, one behind the other; `nil` for a column of single values.
    var items: (keys: ArrowBuffer, count: Int)?
  }

  /// Returns the lists of some records.
  private static func members(of lists: RecordLists, _ range: Range<Int>) -> Buffers {
    let (first, last) = (lists.ends[range.lowerBound], lists.ends[range.upperBound])
    let offsets = ArrowBuffer(range.count + 1, of: Int32.self) {
      Int32(truncatingIfNeeded: lists.ends[range.lowerBound + $0] - first)
    }
    let keys = ArrowBuffer(last - first, of: UInt64.self) { lists.keys[first + $0] }
    return Buffers(
      buffers: [.none, offsets], nullCount: 0, items: (keys: keys, count: last - first))
  }

  /// Consecutive rows of one block.
  private struct Span {
    let block: UInt32
    var rows: Range<Int>
  }

  /// Some records as spans of rows, with the blocks that contain them.
  private struct Part {
    let count: Int
    private(set) var spans: [Span] = []
    private(set) var blocks: [UInt32] = []

    /// Collects the spans of some places.
    ///
    /// - Parameter end: The number of the blocks. A place in no block is a missing record.
    init(_ places: ArraySlice<Place>, below end: UInt32 = .max) {
      count = places.count
      var known: Set<UInt32> = []
      for place in places {
        let row = Int(place.row)
        if let last = spans.indices.last, spans[last].block == place.block,
          spans[last].rows.upperBound == row
        {
          spans[last].rows = spans[last].rows.lowerBound..<row + 1
          continue
        }
        if place.block < end, known.insert(place.block).inserted { blocks.append(place.block) }
        spans.append(Span(block: place.block, rows: row..<row + 1))
      }
    }
  }

  private func identifiers(_ part: Part) throws -> Buffers {
    var failure: (any Error)?
    let buffer = unsafe ArrowBuffer(byteCount: part.count * 8) { target in
      let target = unsafe target.bindMemory(to: UInt64.self)
      var next = 0
      do {
        for span in part.spans {
          let (block, entity) = blocks[Int(span.block)]
          let keys = try block.keys
          for row in span.rows {
            unsafe target[next] =
              ObjectKey(
                entity: entity, number: UInt64(bitPattern: keys.integer(at: row))
              ).rawValue
            next += 1
          }
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return Buffers(buffers: [.none, buffer], nullCount: 0)
  }

  private func values(
    of column: LayoutColumn, as form: RecordForm, _ part: Part
  ) throws -> Buffers {
    if part.blocks.contains(where: {
      blocks[Int($0)].block.hasOutsideValues(in: column.number)
    }) {
      return try outsideValues(of: column, part)
    }
    var columns = [Column?](repeating: nil, count: blocks.count)
    for block in part.blocks {
      columns[Int(block)] = try blocks[Int(block)].block.column(column)
    }
    // The place of a missing related object is in a block behind the last.
    var nothing = unsafe RawColumn()
    unsafe nothing.kind = column.kind
    unsafe nothing.isNothing = true
    // A row of a change has values only together with the rows below. No result contains such rows.
    guard part.blocks.allSatisfy({ columns[Int($0)] != nil }) else {
      throw RecordError(description: "A result contains a row without the column \(column.name).")
    }
    let raws = unsafe columns.map { column in unsafe column?.raw ?? nothing } + [nothing]
    defer { withExtendedLifetime(columns) {} }
    let sources = unsafe RecordSources(part.spans.map { ($0.block, $0.rows) }, raws, part.count)
    let (presence, nullCount) = unsafe sources.presence()
    let buffers =
      switch form {
      case .usual: unsafe try sources.buffers(column.kind, name: column.name)
      case .scaled(let scale): unsafe [sources.decimals(scale: scale)]
      case .day: unsafe [try sources.days(column.name)]
      }
    return Buffers(buffers: [presence] + buffers, nullCount: nullCount)
  }

  /// Returns the values of a column of the objects that records refer to.
  private func relatedValues(
    of column: LayoutColumn, as form: RecordForm, through reference: LayoutColumn, _ part: Part
  ) throws -> Buffers {
    guard let related else {
      throw RecordError(description: "A result contains related objects that it can't read.")
    }
    var keys: [ObjectKey?] = []
    keys.reserveCapacity(part.count)
    for span in part.spans {
      let references = try blocks[Int(span.block)].block.column(reference)
      for row in span.rows { keys.append(references?.reference(at: row)) }
    }
    var others = FoundRecords()
    var places: [ObjectKey: Place] = [:]
    let wanted = Dictionary(grouping: Set(keys.compactMap(\.self)), by: \.entity)
    for (entity, keys) in wanted {
      guard let layout = related.schema[entity] else { continue }
      let numbers = keys.map(\.number)
      let found = try related.view.rows(of: numbers, layout)
      for row in found.rows {
        let place = others.add(found.blocks[row.block], entity: entity, row: row.row)
        places[ObjectKey(entity: entity, number: numbers[row.key])] = place
      }
    }
    let missing = Place(block: UInt32(others.blocks.count), row: 0)
    let ordered = keys.map { key in key.flatMap { places[$0] } ?? missing }
    return try others.values(of: column, as: form, Part(ordered[...], below: missing.block))
  }

  /// Returns the values of a column with values outside of its blocks. Only the values of the records are read.
  private func outsideValues(of column: LayoutColumn, _ part: Part) throws -> Buffers {
    var values: [Value] = []
    values.reserveCapacity(part.count)
    for span in part.spans {
      guard span.block < blocks.count else {
        values.append(contentsOf: repeatElement(.null, count: span.rows.count))
        continue
      }
      let block = blocks[Int(span.block)].block
      for row in span.rows { values.append(try block.value(column, row: row) ?? .null) }
    }
    let (buffers, nullCount) = try RecordValues.buffers(values, column.kind, name: column.name)
    return Buffers(buffers: buffers, nullCount: nullCount)
  }
}
