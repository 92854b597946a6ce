// SAFETY: What a column gives to scratch memory stays alive until it is encoded: both are in one function.

public import ObjectModel

// A block read through a newer layout (spec §3.6): columns are found by their numbers, so renaming
// costs nothing; a dropped column is never asked for; a missing one has the default in every row;
// one of a narrower kind is widened.
extension Block {
  /// The column with the given number, widened to `kind` when it was written as a narrower one.
  ///
  /// - Throws: ``BlockError`` when the column is damaged or its values can't be read as `kind`.
  public func column(_ number: UInt16, as kind: ColumnKind) throws -> Column? {
    guard let column = try column(number) else { return nil }
    if column.kind == kind { return column }
    guard column.kind.widens(to: kind) else {
      throw BlockError.badValue(
        number, "It holds values of kind \(column.kind), which can't be read as \(kind).")
    }
    return column.widened(to: kind)
  }

  /// The column as a layout has it: widened where it must be, and the default in every row where
  /// whole rows were written before the column existed.
  ///
  /// - Returns: `nil` when the rows are changes that leave the column to the rows beneath.
  public func column(_ column: LayoutColumn) throws -> Column? {
    if let found = try self.column(column.number, as: column.kind) { return found }
    if flags.contains(.changes) { return nil }
    return Column(repeating: column.defaultValue, kind: column.kind, rowCount: rowCount)
  }
}

extension Column {
  /// A column with the same value in every row.
  ///
  /// - Precondition: The value is of the given kind, or null.
  public init(repeating value: Value, kind: ColumnKind, rowCount: Int) {
    var values = ColumnValues(capacity: rowCount)
    values.begin(kind)
    for _ in 0..<rowCount { values.append(value) }
    self = Column.encoded(values)
  }

  /// The column's values as those of a wider kind.
  fileprivate func widened(to kind: ColumnKind) -> Column {
    var values = ColumnValues(capacity: rowCount)
    values.begin(kind)
    unsafe values.append(from: raw, rows: 0..<rowCount)
    return Column.encoded(values)
  }

  /// Encodes values and reads them back as a column of its own.
  static func encoded(_ values: borrowing ColumnValues) -> Column {
    var encoder = ColumnEncoder(capacity: values.count)
    var buffer = ByteBuffer()
    let entry = encoder.encode(values, number: 1, into: &buffer)
    let memory = unsafe BlockMemory(byteCount: buffer.count) {
      unsafe $0.copyMemory(from: buffer.bytes)
    }
    do {
      return unsafe try ColumnVerifier(entry, rowCount: values.count)
        .verify(entry.bodyByteCount > 0 ? BlockSlice(memory) : nil)
    } catch {
      preconditionFailure("A column just encoded can't be read: \(error)")
    }
  }
}
