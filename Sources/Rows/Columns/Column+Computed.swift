// SAFETY: The memory has eight bytes for each row and then a bit for each row, and is filled before the column refers to it.

extension Column {
  /// Creates a column of computed whole numbers.
  ///
  /// - Parameter isNull: Whether each row has no value; `nil` if every row has one.
  package init(integers: [Int64], isNull: [Bool]?) {
    self = unsafe Column.computed(.int64, .integer, integers, isNull)
  }

  /// Creates a column of computed floating-point numbers, or of the seconds of dates.
  ///
  /// - Parameter isNull: Whether each row has no value; `nil` if every row has one.
  package init(reals: [Double], isNull: [Bool]?, areDates: Bool) {
    self = unsafe Column.computed(areDates ? .date : .double, .real, reals, isNull)
  }

  @unsafe private static func computed<Number: BitwiseCopyable>(
    _ kind: ColumnKind, _ encoding: ColumnEncoding, _ numbers: [Number], _ isNull: [Bool]?
  ) -> Column {
    precondition(isNull.map { $0.count == numbers.count } ?? true, "Each row needs one flag.")
    let byteCount = numbers.count * MemoryLayout<Number>.stride
    let memory = unsafe BlockMemory(byteCount: byteCount + (numbers.count + 7) / 8) { bytes in
      unsafe numbers.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
      guard let isNull else { return }
      for start in stride(from: 0, to: isNull.count, by: 8) {
        var bits: UInt8 = 0
        for row in start..<min(start + 8, isNull.count) where !isNull[row] {
          bits |= 1 << UInt8(row - start)
        }
        unsafe bytes[byteCount + start / 8] = bits
      }
    }
    var raw = unsafe RawColumn()
    unsafe raw.data = UnsafeRawPointer(memory.start)
    if isNull != nil { unsafe raw.presence = UnsafeRawPointer(memory.start + byteCount) }
    unsafe raw.rowCount = UInt32(numbers.count)
    unsafe raw.encoding = encoding
    unsafe raw.width = 8
    unsafe raw.kind = kind
    return unsafe Column(raw, owner: memory)
  }
}
