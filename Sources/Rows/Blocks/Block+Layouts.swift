// SAFETY: A column that lends bytes to scratch memory stays alive until the bytes are encoded: one function does
// both.

public import ObjectModel

// These functions read a block through a newer layout (spec §3.6). Columns are found by number, so a renaming costs
// nothing. A dropped column is never read. A missing column has the default in every row. A column of a narrower
// kind is widened.
extension Block {
  /// Returns the column with the given number, widened to `kind` when it was written as a narrower kind.
  ///
  /// - Throws: ``BlockError`` when the column is damaged or its values can't be read as `kind`.
  public func column(_ number: UInt16, as kind: ColumnKind) throws -> Column? {
    guard let column = try column(number) else { return nil }
    if column.kind == kind { return column }
    guard column.kind.widens(to: kind) else {
      throw BlockError.badValue(
        number, "The column contains values of kind \(column.kind), which can't be read as \(kind)."
      )
    }
    return column.widened(to: kind)
  }

  /// Returns a column of a layout. A column of a narrower kind is widened. Whole rows that lack the column have the
  /// default in every row.
  ///
  /// - Returns: `nil` when the rows are changes that leave the column to the rows below.
  public func column(_ column: LayoutColumn) throws -> Column? {
    if let found = try self.column(column.number, as: column.kind) { return found }
    if flags.contains(.changes) { return nil }
    return Column(repeating: column.defaultValue, kind: column.kind, rowCount: rowCount)
  }

  /// Returns the positions of the columns for which the rows of this block may give values. Changes give no values for a
  /// column that the block lacks.
  package func givenPositions(_ columns: [LayoutColumn]) -> [Int] {
    guard flags.contains(.changes) else { return Array(columns.indices) }
    return columns.indices.filter { position(of: columns[$0].number) != nil }
  }
}

extension Column {
  /// Creates a column with the same value in every row.
  ///
  /// - Precondition: The value is of the given kind, or null.
  public init(repeating value: Value, kind: ColumnKind, rowCount: Int) {
    var values = ColumnValues(capacity: rowCount)
    values.begin(kind)
    for _ in 0..<rowCount { values.append(value) }
    self = Column.encoded(values)
  }

  /// Returns the column's values as values of a wider kind.
  fileprivate func widened(to kind: ColumnKind) -> Column {
    var values = ColumnValues(capacity: rowCount)
    values.begin(kind)
    unsafe values.append(from: raw, rows: 0..<rowCount)
    return Column.encoded(values)
  }

  /// Encodes values and returns them as an independent column.
  static func encoded(_ values: borrowing ColumnValues) -> Column {
    var encoder = ColumnEncoder(capacity: values.count)
    var buffer = ByteBuffer()
    let entry = encoder.encode(values, number: 1, into: &buffer)
    let memory = unsafe BlockMemory(byteCount: buffer.count) {
      unsafe $0.copyMemory(from: buffer.bytes)
    }
    do {
      return unsafe try ColumnVerifier(entry, rowCount: values.count, isStored: false)
        .verify(entry.bodyByteCount > 0 ? BlockSlice(memory) : nil)
    } catch {
      preconditionFailure("A newly encoded column can't be read: \(error)")
    }
  }
}
