// SAFETY: Counts and pointers of both structures are checked before the memory behind them is read. The lengths of
// buffers are taken on trust, because the interface does not carry them.

internal import CArrow
import ObjectModel
import TextMatching

extension ArrowBatch {
  /// Returns the rows as blocks of the given layout's entity.
  ///
  /// Keys are required and must ascend. A column of the layout may be missing: whole rows then have its default,
  /// and changes leave it to the rows below. The batch is not changed, and the blocks share no memory with it.
  ///
  /// - Throws: ``ArrowError``, which names the column and the row. No blocks are returned then.
  public func blocks(_ layout: Layout) throws -> [Block] {
    let shape = try unsafe ArrowShape(array, schema)
    guard shape.rowCount > 0 else { return [] }
    let flags = try shape.flags
    var children = unsafe try shape.children()

    guard let keyColumn = unsafe children.removeValue(forKey: ArrowFormat.keyName) else {
      throw ArrowError.missingKey()
    }
    let rows = ArrowRows(rowCount: shape.rowCount, isSparse: flags.contains(.changes))
    let keys = try unsafe rows.keys(of: keyColumn)
    var columns: [LayoutColumn] = []
    for (name, number) in [
      (ArrowFormat.versionName, LayoutColumn.Number.version),
      (ArrowFormat.basisName, LayoutColumn.Number.basis),
    ] {
      guard let child = unsafe children.removeValue(forKey: name) else { continue }
      let column = LayoutColumn(number: number, name: name, kind: .int64, isOptional: false)
      try unsafe rows.add(child, as: column, given: nil)
      guard unsafe child.presence == nil else {
        throw ArrowError.badStructure(name, "Every row must have a value.")
      }
      try rows.checkVersions(column)
      columns.append(column)
    }
    for column in layout.columns {
      guard let child = unsafe children.removeValue(forKey: column.name) else { continue }
      let given = unsafe children.removeValue(forKey: ArrowFormat.givenName(of: column.name))
      if flags.contains(.removals) {
        throw ArrowError.badStructure(column.name, "Removed rows can't have values.")
      }
      if unsafe given != nil && !flags.contains(.changes) {
        throw ArrowError.badStructure(column.name, "Whole rows must have a value for every column.")
      }
      try unsafe rows.add(child, as: column, given: given)
      columns.append(column)
    }
    if let unknown = unsafe children.keys.min() {
      var suggestion = NameSuggestion()
      throw ArrowError.unknownColumn(
        unknown, entity: layout.entity,
        suggestion: suggestion.sentence(for: unknown, among: layout.columns.lazy.map(\.name)))
    }
    try rows.checkSizes(columns)

    var gathering = RowGathering(
      entity: layout.entityNumber, flags: flags, columns: columns, sources: [rows])
    gathering.keys = keys
    gathering.runs = [RowRun(source: 0, rows: 0..<shape.rowCount, beneath: nil)]
    var writer = BlockWriter()
    return try gathering.blocks(&writer)
  }
}

/// The outermost array and its description, checked.
@safe
private struct ArrowShape {
  let rowCount: Int
  private let array: ArrowArray
  private let schema: ArrowSchema

  /// The most rows or children that a batch may have. A larger count is an error of the other side.
  private static let limit = 1 << 30

  init(_ array: ArrowArray, _ schema: ArrowSchema) throws {
    guard unsafe array.release != nil, unsafe schema.release != nil else {
      throw ArrowError.badStructure(nil, "The array or its description was released already.")
    }
    let format = unsafe ArrowShape.text(schema.format) ?? ""
    guard format == ArrowFormat.structure else {
      throw ArrowError(
        code: .badFormat, column: nil,
        message: "Rows must be an array of structures, format '+s', but the format is '\(format)'.")
    }
    let (length, offset) = unsafe (array.length, array.offset)
    guard length >= 0, length <= ArrowShape.limit, offset >= 0, offset <= Int64.max - length else {
      throw ArrowError.badStructure(
        nil, "The array gives \(length) rows from row \(offset), which is not valid.")
    }
    let childCount = unsafe schema.n_children
    guard childCount >= 0, childCount <= ArrowShape.limit,
      unsafe array.n_children == childCount,
      unsafe childCount == 0 || (array.children != nil && schema.children != nil)
    else {
      throw ArrowError.badStructure(
        nil,
        "The array has \(unsafe array.n_children) children, but its description has \(childCount).")
    }
    unsafe self.array = unsafe array
    unsafe self.schema = unsafe schema
    rowCount = Int(length)
    guard try unsafe ArrowChild.bitmap(of: array, name: nil, from: Int(offset), rowCount) == nil
    else { throw ArrowError.badStructure(nil, "A row is null as a whole.") }
  }

  /// The flags of the rows: whole rows unless the metadata says otherwise.
  var flags: BlockFlags {
    get throws {
      guard let name = try unsafe ArrowShape.value(of: ArrowFormat.rowsKey, in: schema.metadata)
      else { return [] }
      guard let flags = ArrowFormat.flags(named: name) else {
        throw ArrowError.badStructure(
          nil,
          "The metadata '\(ArrowFormat.rowsKey)' is '\(name)' instead of put, changed or removed.")
      }
      return flags
    }
  }

  /// Returns the children by name.
  func children() throws -> [String: ArrowChild] {
    var children: [String: ArrowChild] = unsafe [:]
    for i in 0..<Int(unsafe schema.n_children) {
      guard let child = unsafe array.children[i], let description = unsafe schema.children[i] else {
        throw ArrowError.badStructure(nil, "Child \(i) is missing.")
      }
      guard let name = unsafe ArrowShape.text(description.pointee.name) else {
        throw ArrowError.badStructure(nil, "Child \(i) has no name in UTF-8.")
      }
      let checked = try unsafe ArrowChild(
        child.pointee, description.pointee, name: name, parentOffset: Int(array.offset),
        rowCount: rowCount)
      guard unsafe children.updateValue(checked, forKey: name) == nil else {
        throw ArrowError.repeatedColumn(name)
      }
    }
    return unsafe children
  }

  /// Returns a text that ends with a zero byte; `nil` when there is no text or it is not UTF-8.
  static func text(_ start: UnsafePointer<CChar>?) -> String? {
    guard let start = unsafe start else { return nil }
    return unsafe String(validatingCString: start)
  }

  /// Returns the value of `key` in metadata, whose counts and lengths are native integers of 32 bits.
  private static func value(of key: String, in metadata: UnsafePointer<CChar>?) throws -> String? {
    guard let metadata = unsafe metadata else { return nil }
    let start = unsafe UnsafeRawPointer(metadata)
    var offset = 0
    func count() throws -> Int {
      let count = unsafe Int(start.loadUnaligned(fromByteOffset: offset, as: Int32.self))
      offset += 4
      guard count >= 0, count <= limit else {
        throw ArrowError.badStructure(
          nil, "The metadata has a length of \(count), which is not valid.")
      }
      return count
    }
    func text() throws -> String {
      let length = try count()
      defer { offset += length }
      return unsafe String(
        decoding: UnsafeRawBufferPointer(start: start + offset, count: length), as: UTF8.self)
    }
    for _ in 0..<(try count()) {
      let (found, value) = (try text(), try text())
      if found == key { return value }
    }
    return nil
  }
}

/// One child of a batch: its buffers, from the batch's first row on.
@unsafe
struct ArrowChild {
  let name: String
  let format: String
  /// The position of the batch's first row in the buffers, counted in rows.
  let first: Int
  /// A bitmap with one bit for each row of the batch, 1 where the row has a value; `nil` when every row has one.
  let presence: BlockMemory?
  /// The buffers after the bitmap.
  let buffers: [UnsafeRawPointer?]

  init(
    _ array: ArrowArray, _ schema: ArrowSchema, name: String, parentOffset: Int, rowCount: Int
  ) throws {
    unsafe self.name = name
    unsafe format = unsafe ArrowShape.text(schema.format) ?? ""
    guard unsafe array.release != nil, unsafe schema.release != nil else {
      throw ArrowError.badStructure(name, "The array or its description was released already.")
    }
    guard unsafe array.dictionary == nil, unsafe schema.dictionary == nil else {
      throw ArrowError.badStructure(name, "Dictionaries can't be read. Give the values themselves.")
    }
    // The offset of the outer structure applies to its children too.
    let (length, offset) = unsafe (array.length, array.offset)
    guard length >= parentOffset + rowCount, offset >= 0, offset <= Int64.max - length else {
      throw ArrowError.badStructure(
        name,
        "The column has \(length) values from \(offset), but the batch has \(parentOffset + rowCount) rows."
      )
    }
    unsafe first = Int(offset) + parentOffset
    unsafe presence = unsafe try ArrowChild.bitmap(of: array, name: name, from: first, rowCount)
    let count = unsafe array.n_buffers
    guard count == 2 || count == 3 else {
      throw ArrowError.badStructure(name, "The column has \(count) buffers, which is not valid.")
    }
    unsafe buffers = unsafe (1..<Int(count)).map { unsafe array.buffers[$0] }
  }

  /// Returns the bitmap of an array from row `first` on; `nil` when every row has a value.
  static func bitmap(
    of array: ArrowArray, name: String?, from first: Int, _ rowCount: Int
  ) throws -> BlockMemory? {
    let hasBuffers = unsafe array.n_buffers >= 1 && array.buffers != nil
    guard hasBuffers else { throw ArrowError.badStructure(name, "The column has no buffers.") }
    guard let bits = unsafe array.buffers[0] else {
      guard unsafe array.null_count <= 0 || rowCount == 0 else {
        throw ArrowError.badStructure(
          name,
          "\(unsafe array.null_count) of the column's values are null, but the bitmap of null values is missing."
        )
      }
      return nil
    }
    var isFull = true
    let copy = unsafe copied(bits, from: first, rowCount, isFull: &isFull)
    return isFull ? nil : copy
  }

  /// Returns a copy of the bits from `first` on, the first of them in the lowest bit.
  static func copied(
    _ bits: UnsafeRawPointer, from first: Int, _ rowCount: Int, isFull: inout Bool
  ) -> BlockMemory {
    var setCount = 0
    let copy = unsafe BlockMemory(byteCount: (rowCount + 7) / 8) { target in
      unsafe target.initializeMemory(as: UInt8.self, repeating: 0)
      for i in 0..<rowCount where unsafe RawColumn.bit(bits, first + i) {
        unsafe target[i >> 3] |= 1 << UInt8(i & 7)
        setCount += 1
      }
    }
    isFull = setCount == rowCount
    return copy
  }
}
