// SAFETY: Rows are below the block's row count, and buffers have room for every row.

internal import CArrow
import Foundation
import ObjectModel

extension ArrowBatch {
  /// Creates a batch from the rows of a block, with the columns of the layout.
  ///
  /// The batch shares heaps of text and bytes, bitmaps and UUIDs with the block and keeps the block's memory alive.
  /// Other values are copied at their kind's width.
  ///
  /// - Parameter givesVersions: Whether each row gives its version, even where all rows of the block have one
  ///   version.
  /// - Throws: The error of a damaged block.
  public init(_ block: Block, layout: Layout, givesVersions: Bool = false) throws {
    // All columns are read before the first structure is made, so that an error leaves none behind.
    let keys = try block.keys
    let versions = try block.column(LayoutColumn.Number.version)
    let bases = try block.column(LayoutColumn.Number.basis)
    let columns =
      block.flags.contains(.removals)
      ? [] : try layout.columns.map { (column: $0, values: try block.column($0)) }
    var children = ArrowChildList(rowCount: block.rowCount)
    children.add(keys, name: ArrowFormat.keyName, as: "L")
    if let versions {
      children.add(versions, name: ArrowFormat.versionName, as: "l")
    } else if givesVersions {
      children.add(number: block.version, name: ArrowFormat.versionName)
    }
    if let bases { children.add(bases, name: ArrowFormat.basisName, as: "l") }
    for case (let column, let values?) in columns {
      children.add(values, name: column.name, isOptional: column.isOptional)
      if let given = unsafe values.raw.given {
        unsafe children.add(
          bitmap: given, of: values, name: ArrowFormat.givenName(of: column.name))
      }
    }
    unsafe self.init(
      array: ArrowArrayNode.array(
        rowCount: block.rowCount, nullCount: 0, [.none], children: children.arrays),
      schema: ArrowSchemaNode.schema(
        format: ArrowFormat.structure, name: layout.entity,
        metadata: [(ArrowFormat.rowsKey, ArrowFormat.rowsName(of: block.flags))],
        children: children.schemas))
  }
}

/// The children of a batch that is being built, as two parallel lists of values and descriptions.
@safe
private struct ArrowChildList {
  let rowCount: Int
  private(set) var arrays: [ArrowArray] = unsafe []
  private(set) var schemas: [ArrowSchema] = unsafe []

  init(rowCount: Int) { self.rowCount = rowCount }

  mutating func add(
    _ column: Column, name: String, as format: String? = nil, isOptional: Bool = false
  ) {
    let presence = presence(of: column)
    let (values, isLong) = buffers(of: column)
    unsafe arrays.append(
      ArrowArrayNode.array(
        rowCount: rowCount, nullCount: presence.nullCount, [presence.buffer] + values))
    let formats = column.kind.arrowFormats
    unsafe schemas.append(
      ArrowSchemaNode.schema(
        format: format ?? (isLong ? formats[1] : formats[0]), name: name,
        metadata: format == nil
          ? column.kind.arrowExtension.map { [(ArrowFormat.extensionKey, $0)] } ?? [] : [],
        isOptional: isOptional))
  }

  /// Adds a column with the same number in each row.
  mutating func add(number: Int64, name: String) {
    unsafe arrays.append(
      ArrowArrayNode.array(
        rowCount: rowCount, nullCount: 0,
        [.none, ArrowBuffer(rowCount, of: Int64.self) { _ in number }]))
    unsafe schemas.append(ArrowSchemaNode.schema(format: "l", name: name))
  }

  /// Adds a bitmap that lies in the memory of `column`, as a column of booleans.
  @unsafe mutating func add(bitmap: UnsafeRawPointer, of column: Column, name: String) {
    unsafe arrays.append(
      ArrowArrayNode.array(
        rowCount: rowCount, nullCount: 0,
        [.none, ArrowBuffer(start: bitmap, memory: column.owner)]))
    unsafe schemas.append(ArrowSchemaNode.schema(format: "b", name: name))
  }

  private func presence(of column: Column) -> (buffer: ArrowBuffer, nullCount: Int) {
    let raw = unsafe column.raw
    if unsafe raw.isNothing { return (ArrowBuffer(bits: rowCount) { _ in false }, rowCount) }
    guard let presence = unsafe raw.presence else { return (.none, 0) }
    let nullCount = (0..<rowCount).count { unsafe raw.isNull($0) }
    return (unsafe ArrowBuffer(start: presence, memory: column.owner), nullCount)
  }

  /// Returns the buffers after the bitmap, and whether their offsets need 64 bits.
  private func buffers(of column: Column) -> ([ArrowBuffer], isLong: Bool) {
    let raw = unsafe column.raw
    let n = rowCount
    let isNothing = unsafe raw.isNothing
    func integers<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> ([ArrowBuffer], Bool) {
      // The number in a row without a value may be any number, even one that the kind cannot hold.
      (
        [
          ArrowBuffer(n, of: T.self) {
            isNothing ? 0 : unsafe T(truncatingIfNeeded: raw.integer($0))
          }
        ],
        false
      )
    }
    switch column.kind {
    case .boolean:
      if unsafe !isNothing && raw.encoding == .bits {
        return (unsafe [ArrowBuffer(start: raw.data, memory: column.owner)], false)
      }
      return ([ArrowBuffer(bits: n) { unsafe !isNothing && raw.integer($0) != 0 }], false)
    case .int16: return integers(Int16.self)
    case .int32: return integers(Int32.self)
    case .int64, .reference: return integers(Int64.self)
    case .float:
      return ([ArrowBuffer(n, of: Float.self) { isNothing ? 0 : unsafe raw.float($0) }], false)
    case .double, .date:
      return ([ArrowBuffer(n, of: Double.self) { isNothing ? 0 : unsafe raw.double($0) }], false)
    case .uuid:
      if isNothing { return ([ArrowBuffer(n * 2, of: UInt64.self) { _ in 0 }], false) }
      return (unsafe [ArrowBuffer(start: raw.data, memory: column.owner)], false)
    case .decimal: return texts(of: column)
    case .string, .uri, .binary:
      if unsafe !isNothing && raw.encoding == .bytes { return heap(of: column) }
      return spans(of: column)
    }
  }

  /// Returns the heap in place, and its offsets at Arrow's width. A column with its outside values can be longer than
  /// any block.
  private func heap(of column: Column) -> ([ArrowBuffer], isLong: Bool) {
    let raw = unsafe column.raw
    let ends = (0...rowCount).map { i in
      unsafe Int(
        RawColumn.decode(
          raw.offsets, width: raw.offsetWidth, base: raw.offsetBase, step: raw.offsetStep, i))
    }
    return ArrowChildList.strings(
      ends, unsafe ArrowBuffer(start: raw.heap, memory: column.owner))
  }

  /// Returns byte strings copied one after another, because their originals lie in a dictionary.
  private func spans(of column: Column) -> ([ArrowBuffer], isLong: Bool) {
    let raw = unsafe column.raw
    func bytes(_ i: Int) -> UnsafeRawBufferPointer {
      unsafe raw.isNull(i) ? UnsafeRawBufferPointer(start: nil, count: 0) : raw.bytes(i)
    }
    var ends: [Int] = [0]
    for i in 0..<rowCount { unsafe ends.append(ends[i] + bytes(i).count) }
    let heap = unsafe ArrowBuffer(byteCount: ends[rowCount]) { target in
      for i in 0..<rowCount {
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[ends[i]..<ends[i + 1]])
          .copyMemory(from: bytes(i))
      }
    }
    return ArrowChildList.strings(ends, heap)
  }

  /// Returns decimals as text: an Arrow decimal column has one scale, and here each value has its own.
  private func texts(of column: Column) -> ([ArrowBuffer], isLong: Bool) {
    var heap: [UInt8] = []
    var ends: [Int] = [0]
    for i in 0..<rowCount {
      if unsafe !column.raw.isNull(i) {
        unsafe heap.append(contentsOf: column.raw.decimal(i).description.utf8)
      }
      ends.append(heap.count)
    }
    return ArrowChildList.strings(
      ends, unsafe ArrowBuffer(byteCount: heap.count) { unsafe $0.copyBytes(from: heap) })
  }

  private static func strings(_ ends: [Int], _ heap: ArrowBuffer) -> ([ArrowBuffer], isLong: Bool) {
    let isLong = ends[ends.count - 1] > Int(Int32.max)
    let offsets =
      isLong
      ? ArrowBuffer(ends.count, of: Int64.self) { Int64(ends[$0]) }
      : ArrowBuffer(ends.count, of: Int32.self) { Int32(ends[$0]) }
    return ([offsets, heap], isLong)
  }
}
