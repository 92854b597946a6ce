extension DurableFile {
  /// Fills the memory with the bytes at `offset`.
  ///
  /// Nothing is copied in between and no lock is held, so threads and processes read at once.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file ends before the memory is full.
  ///   The memory's contents are undefined then.
  public func read(into buffer: inout MutableRawSpan, at offset: Int) throws(DiskError) {
    let found = try readAvailable(into: &buffer, at: offset)
    guard found == buffer.byteCount else {
      throw .unexpectedEnd(
        path: path, offset: offset, byteCount: buffer.byteCount, found: found)
    }
  }

  /// Fills the memory with the bytes at `offset`.
  ///
  /// For memory a store manages itself: the caller vouches that it is valid and nobody else's
  /// while the call lasts.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file ends before the memory is full.
  @unsafe
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(DiskError) {
    // SAFETY: The caller vouches for the memory, and the span ends with the call.
    var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
    try read(into: &span, at: offset)
  }

  /// Reads the bytes at `offset` as far as the file goes, and returns how many there were.
  ///
  /// Fewer than the memory takes means that the file ended there at the time.
  public func readAvailable(
    into buffer: inout MutableRawSpan, at offset: Int
  ) throws(DiskError) -> Int {
    precondition(offset >= 0, "An offset in a file is not negative.")
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

  /// Memory for so many bytes costs less than looking at the file's size.
  private static let smallReadByteCount = 64 * 1024

  /// Reads so many bytes at `offset`.
  ///
  /// Before much is read the file's size is looked at, so a length from a damaged file costs no memory.
  ///
  /// - Throws: ``DiskError`` with code `unexpectedEnd` if the file has fewer.
  public func read(byteCount: Int, at offset: Int) throws(DiskError) -> [UInt8] {
    precondition(byteCount >= 0 && offset >= 0, "A length or an offset is not negative.")
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
}
