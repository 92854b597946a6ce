// SAFETY: A verified column has a value of its width for every row, and loops end at the row count.

extension Column {
  /// Returns the sum of all whole numbers, modulo 2^64; rows without a value count as 0.
  ///
  /// - Precondition: The column contains integers.
  public func integerSum() -> Int64 {
    precondition(kind.family == .integers, "The column does not contain integers.")
    guard unsafe raw.presence == nil, unsafe !raw.isNothing, unsafe raw.encoding == .integer else {
      var sum: Int64 = 0
      for row in 0..<rowCount where !isNull(row) { unsafe sum &+= raw.integer(row) }
      return sum
    }
    return unsafe raw.integerSum()
  }

  /// Returns the sum of all floating-point numbers; rows without a value count as 0.
  ///
  /// Decimal fractions are added as whole numbers, so their sum is exact before it is divided.
  ///
  /// - Precondition: The column contains floating-point numbers or dates.
  public func doubleSum() -> Double {
    precondition(kind.family == .reals, "The column does not contain floating-point numbers.")
    guard unsafe raw.presence == nil, unsafe !raw.isNothing, kind != .float else {
      var sum = 0.0
      for row in 0..<rowCount where !isNull(row) { unsafe sum += raw.double(row) }
      return sum
    }
    if unsafe raw.encoding == .scaled { return unsafe Double(raw.integerSum()) / raw.divisor }
    var sum = 0.0
    for row in 0..<rowCount { unsafe sum += raw.double(row) }
    return sum
  }
}

extension RawColumn {
  /// Returns the sum of `base + step * i + u[i]` over all rows, modulo 2^64.
  package func integerSum() -> Int64 {
    let n = unsafe Int64(rowCount)
    let line = unsafe base &* n &+ step &* (n &* (n &- 1) / 2)
    switch unsafe width {
    case 0: return line
    // A block has at most 65536 rows, so the sum of its narrow numbers fits into 32 bits. A vector register holds
    // twice as many numbers of 32 bits as of 64 bits.
    case 1: return unsafe line &+ Int64(sum(UInt8.self, as: UInt32.self))
    case 2: return unsafe line &+ Int64(sum(UInt16.self, as: UInt32.self))
    case 4: return unsafe line &+ sum(UInt32.self, as: Int64.self)
    default: return unsafe line &+ sum(UInt64.self, as: Int64.self)
    }
  }

  @inline(__always)
  private func sum<U: FixedWidthInteger & BitwiseCopyable, Sum: FixedWidthInteger>(
    _: U.Type, as _: Sum.Type
  ) -> Sum {
    // SAFETY: `data` holds a `U` for every row.
    let data = unsafe data.unsafelyUnwrapped
    let n = Int(unsafe rowCount)
    var sum: Sum = 0
    if UInt(bitPattern: data) % UInt(MemoryLayout<U>.alignment) == 0 {
      // The compiler turns a plain loop over an array of numbers into vector instructions.
      let numbers = unsafe UnsafeBufferPointer(
        start: data.assumingMemoryBound(to: U.self), count: n)
      for i in 0..<n { sum &+= Sum(truncatingIfNeeded: unsafe numbers[i]) }
      return sum
    }
    for i in 0..<n {
      sum &+= Sum(
        truncatingIfNeeded: unsafe data.loadUnaligned(
          fromByteOffset: i &* MemoryLayout<U>.size, as: U.self))
    }
    return sum
  }
}
