extension [UInt8] {
  /// The array's memory, for calls that take raw bytes.
  @inlinable
  package var rawSpan: RawSpan {
    @_lifetime(borrow self)
    get {
      // SAFETY: `bytes` is marked unsafe for elements with padding; a byte has none.
      unsafe span.bytes
    }
  }

  /// Appends a copy of the bytes.
  package mutating func append(copying bytes: RawSpan) {
    // SAFETY: The pointer is only read while the span lends it.
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  /// Creates an array of `count` bytes, lets `fill` write into it, and keeps as many bytes as `fill` returns.
  package init<Failure: Error>(
    count: Int, fill: (inout MutableRawSpan) throws(Failure) -> Int
  ) throws(Failure) {
    self.init(repeating: 0, count: count)
    var span = mutableSpan
    // SAFETY: Any byte is a valid element.
    var memory = unsafe span.mutableBytes
    let filled = try fill(&memory)
    removeLast(count - filled)
  }
}
