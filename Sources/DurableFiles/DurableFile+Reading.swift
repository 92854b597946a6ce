extension DurableFile {
  /// Fills the memory with the bytes at `offset`.
  ///
  /// No intermediate copy is made and no lock is held, so several threads and processes can read at once.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file ends before the memory is full. The memory's
  ///   contents are then undefined.
  public func read(into buffer: inout MutableRawSpan, at offset: Int) throws(DiskError) {
    let found = try readAvailable(into: &buffer, at: offset)
    guard found == buffer.byteCount else {
      throw .unexpectedEnd(
        path: path, offset: offset, byteCount: buffer.byteCount, found: found)
    }
  }

  /// Fills the memory with the bytes at `offset`.
  ///
  /// This overload is for memory that a store manages itself. The caller guarantees that the memory is valid, and
  /// that no other code uses it during the call.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file ends before the memory is full.
  @unsafe
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(DiskError) {
    // SAFETY: The caller guarantees that the memory is valid, and the span ends with the call.
    var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
    try read(into: &span, at: offset)
  }

  /// Reads the bytes at `offset` up to the end of the file, and returns the number of bytes read.
  ///
  /// A number below the buffer's size means that the file ended there at the time.
  public func readAvailable(
    into buffer: inout MutableRawSpan, at offset: Int
  ) throws(DiskError) -> Int {
    precondition(offset >= 0, "An offset in a file must not be negative.")
    let descriptor = try beginUse(.read)
    defer { endUse() }
    var found = 0
    while found < buffer.byteCount {
      do {
        var rest = buffer._mutatingExtracting(found...)
        let count = try calls.read(descriptor, into: &rest, at: offset + found)
        guard count > 0 else { break }
        found += count
      } catch .interrupted {
        continue
      } catch {
        throw .refused(
          .read, "read \(buffer.byteCount) bytes at offset \(offset) of", path: path,
          cause: error)
      }
    }
    return found
  }

  /// The largest read that allocates memory without asking for the file's size first, because the allocation is
  /// cheaper.
  private static let smallReadByteCount = 64 * 1024

  /// Reads `byteCount` bytes at `offset`.
  ///
  /// Before a large read, the file's size is checked, so a length from a damaged file allocates no memory.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file has fewer bytes.
  public func read(byteCount: Int, at offset: Int) throws(DiskError) -> [UInt8] {
    precondition(byteCount >= 0 && offset >= 0, "A length or an offset must not be negative.")
    guard byteCount > 0 else { return [] }
    if byteCount > DurableFile.smallReadByteCount {
      let available = max(0, try self.byteCount() - offset)
      guard byteCount <= available else {
        throw .unexpectedEnd(path: path, offset: offset, byteCount: byteCount, found: available)
      }
    }
    return try Array(count: byteCount) { memory throws(DiskError) in
      try read(into: &memory, at: offset)
      return byteCount
    }
  }

  /// Calls `body` with all bytes of the file, a piece at a time.
  ///
  /// - Throws: ``DiskError``, or the error of `body`.
  package func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
    let end = try byteCount()
    for start in stride(from: 0, to: end, by: 1 << 20) {
      try body(read(byteCount: min(1 << 20, end - start), at: start))
    }
  }
}

// A file can state a length of terabytes and have a few bytes: the rest are zeros that take no place on the disk. A search
// through a file passes over them, so that its time depends on the bytes that somebody wrote.
extension DurableFile {
  /// Returns the offset of the first byte, at or behind the given one, that the disk keeps, or `nil`. All
  /// bytes before it are zeros.
  public func startOfStoredBytes(from offset: Int) -> Int? {
    guard let descriptor = try? beginUse(.read) else { return offset }
    defer { endUse() }
    return calls.storedBytes(descriptor, from: offset)
  }

  /// Returns the offset behind the last byte before `end` that is not zero; 0 if there is none.
  public func endOfNonzeroBytes(before end: Int) throws(DiskError) -> Int {
    var high = end
    // Usually the last byte is not zero.
    var step = 64
    while true {
      if step > 64 { high = endOfStoredBytes(before: high) }
      guard high > 0 else { return 0 }
      let low = max(0, high - step)
      step = 1 << 16
      let bytes = try read(byteCount: high - low, at: low)
      let count = bytes.endOfNonzeroBytes
      if count > 0 { return low + count }
      high = low
    }
  }

  /// Returns an offset before `end`, or `end` itself. All bytes between them are zeros that the disk does not keep.
  public func endOfStoredBytes(before end: Int) -> Int {
    let least = 1 << 16
    var (high, step) = (end, least)
    while high > 0 {
      let low = max(0, high - step)
      if let stored = startOfStoredBytes(from: low), stored < high {
        if step == least { return high }
        step /= 2
      } else {
        high = low
        step = min(step * 2, 1 << 50)
      }
    }
    return 0
  }
}

extension [UInt8] {
  /// The index behind the last byte that is not zero; 0 if there is none.
  fileprivate var endOfNonzeroBytes: Int {
    var end = count
    while end >= 8 {
      // SAFETY: The 8 bytes from `end - 8` on lie in the array.
      let word = unsafe rawSpan.unsafeLoadUnaligned(
        fromUncheckedByteOffset: end - 8, as: UInt64.self)
      if word != 0 { break }
      end -= 8
    }
    while end > 0, self[end - 1] == 0 { end -= 1 }
    return end
  }
}
