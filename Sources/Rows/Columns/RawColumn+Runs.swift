// SAFETY: The caller guarantees that the rows belong to the column and that the target has room.

// These functions handle many rows at once. They examine the encoding once for a run, so that the loops are plain.
extension RawColumn {
  /// Returns whether each of the given rows has a value and gives it.
  package func allHaveValues(_ rows: Range<Int>) -> Bool {
    if unsafe isNothing { return false }
    return unsafe RawColumn.allSet(presence, rows) && RawColumn.allSet(given, rows)
  }

  private static func allSet(_ bits: UnsafeRawPointer?, _ rows: Range<Int>) -> Bool {
    guard let bits = unsafe bits else { return true }
    var row = rows.lowerBound
    // SAFETY: Bitmaps have a bit for every row, and `row` is a valid row.
    while row < rows.upperBound {
      if row & 7 == 0, row &+ 8 <= rows.upperBound {
        if unsafe bits.load(fromByteOffset: row &>> 3, as: UInt8.self) != 0xFF { return false }
        row &+= 8
      } else {
        if unsafe !bit(bits, row) { return false }
        row &+= 1
      }
    }
    return true
  }

  /// Writes the decoded integers of the given rows.
  package func copyIntegers(_ rows: Range<Int>, into target: UnsafeMutablePointer<Int64>) {
    // SAFETY: The caller guarantees that `rows` belong to the column and that `target` has room.
    let n = rows.count
    let line = unsafe base &+ step &* Int64(rows.lowerBound)
    if unsafe encoding == .bits {
      for i in 0..<n {
        unsafe target[i] = RawColumn.bit(data.unsafelyUnwrapped, rows.lowerBound &+ i) ? 1 : 0
      }
      return
    }
    switch unsafe width {
    case 0: for i in 0..<n { unsafe target[i] = line &+ step &* Int64(i) }
    case 1: unsafe copy(UInt8.self, rows, line, into: target)
    case 2: unsafe copy(UInt16.self, rows, line, into: target)
    case 4: unsafe copy(UInt32.self, rows, line, into: target)
    default: unsafe copy(UInt64.self, rows, line, into: target)
    }
  }

  @inline(__always)
  private func copy<U: FixedWidthInteger & BitwiseCopyable>(
    _: U.Type, _ rows: Range<Int>, _ line: Int64, into target: UnsafeMutablePointer<Int64>
  ) {
    let source = unsafe data.unsafelyUnwrapped + rows.lowerBound &* MemoryLayout<U>.size
    let step = unsafe step
    for i in 0..<rows.count {
      let u = unsafe source.loadUnaligned(fromByteOffset: i &* MemoryLayout<U>.size, as: U.self)
      unsafe target[i] = line &+ step &* Int64(i) &+ Int64(truncatingIfNeeded: u)
    }
  }

  /// Writes the bit patterns of the given rows of a floating-point or date column.
  package func copyPatterns(_ rows: Range<Int>, into target: UnsafeMutablePointer<Int64>) {
    // SAFETY: As in `copyIntegers`.
    if unsafe encoding == .real && width == 8 {
      unsafe UnsafeMutableRawPointer(target).copyMemory(
        from: data.unsafelyUnwrapped + rows.lowerBound &* 8, byteCount: rows.count &* 8)
      return
    }
    for (i, row) in rows.enumerated() { unsafe target[i] = pattern(row) }
  }

  /// Writes the address and length of the bytes of the given rows.
  package func copySpans(
    _ rows: Range<Int>, into target: UnsafeMutablePointer<UnsafeRawBufferPointer>
  ) {
    // SAFETY: As in `copyIntegers`.
    if unsafe encoding == .slots, let heap = unsafe heap {
      let slots = unsafe data.unsafelyUnwrapped
      for i in 0..<rows.count {
        let slot = unsafe slots.load(fromByteOffset: (rows.lowerBound &+ i) &* 8, as: Slot.self)
        unsafe target[i] = UnsafeRawBufferPointer(
          start: heap + slot.offset, count: slot.byteCount)
      }
      return
    }
    for (i, row) in rows.enumerated() { unsafe target[i] = bytes(row) }
  }

  /// Returns the bit pattern of row `i` of a floating-point or date column; 32 bits for a float.
  @inline(__always)
  package func pattern(_ i: Int) -> Int64 {
    unsafe kind == .float
      ? Int64(float(i).bitPattern) : Int64(bitPattern: double(i).bitPattern)
  }
}
