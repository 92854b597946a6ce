extension DurableFile {
  /// Appends the bytes and returns the offset they begin at.
  ///
  /// After an error the file has its old length again, as far as the disk lets us. Nothing is
  /// durable before ``sync(_:)``. Two handles that append at once would write over each other: hold
  /// a lock.
  @discardableResult
  public func append(_ bytes: RawSpan) throws(DiskError) -> Int {
    try writing.withLock { () throws(DiskError) in
      try checkPoison(.write)
      let end = try byteCount()
      do throws(DiskError) {
        try write(all: bytes, at: end)
      } catch {
        cutBack(to: end)
        throw error
      }
      return end
    }
  }

  /// Appends the bytes and returns the offset they begin at.
  @discardableResult
  public func append(_ bytes: [UInt8]) throws(DiskError) -> Int {
    try append(bytes.rawSpan)
  }

  /// Appends what `contents` writes, piece by piece, in few calls to the system.
  ///
  ///     try file.append { writer in
  ///       for column in block.columns { try writer.write(column.bytes) }
  ///     }
  ///     try file.sync()
  ///
  /// After an error, be it one of `contents`'s own, the file has its old length again, as far as
  /// the disk lets us. `contents` must not write to this handle by other means.
  public func append<Result>(
    contents: (inout FileWriter) throws -> Result
  ) throws -> Result {
    try writing.withLock {
      try checkPoison(.write)
      let end = try byteCount()
      do {
        var writer = FileWriter(self, at: end)
        let result = try contents(&writer)
        try writer.flush()
        return result
      } catch {
        cutBack(to: end)
        throw error
      }
    }
  }

  /// Writes the bytes at `offset`, over what is there, and beyond the end if need be.
  ///
  /// A crash before the next sync may leave any of the sectors old and any new: not for what must
  /// survive. After an error some of the bytes may be written.
  public func write(_ bytes: RawSpan, at offset: Int) throws(DiskError) {
    try writing.withLock { () throws(DiskError) in try write(all: bytes, at: offset) }
  }

  /// Writes the bytes at `offset`, over what is there, and beyond the end if need be.
  public func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
    try write(bytes.rawSpan, at: offset)
  }

  /// Cuts the file to `byteCount`, or lengthens it with zeros.
  public func truncate(to byteCount: Int) throws(DiskError) {
    precondition(byteCount >= 0, "A length is not negative.")
    try writing.withLock { () throws(DiskError) in
      try checkPoison(.truncate)
      try perform(.truncate, "set the length of") { calls, descriptor throws(ErrorNumber) in
        try calls.truncate(descriptor, to: byteCount)
      }
    }
  }

  /// Writes every byte, in as many calls as it takes. The caller holds `writing`.
  func write(all bytes: RawSpan, at offset: Int) throws(DiskError) {
    precondition(offset >= 0, "An offset in a file is not negative.")
    try checkPoison(.write)
    let descriptor = try beginUse(.write)
    defer { endUse() }
    var written = 0
    while written < bytes.byteCount {
      do throws(ErrorNumber) {
        let count = try calls.write(
          descriptor, bytes.extracting(written...), at: offset + written)
        // No system should, but one that takes nothing and says nothing must not hold us forever.
        guard count > 0 else { throw ErrorNumber.inputOutput }
        written += count
      } catch .interrupted {
        continue
      } catch {
        throw .refused(
          .write, "write \(bytes.byteCount) bytes at offset \(offset) of", path: path,
          cause: error)
      }
    }
  }

  /// Takes a failed append back. If that fails too a torn tail stays, as a crash would leave it.
  private func cutBack(to byteCount: Int) {
    try? perform(.truncate, "cut") { calls, descriptor throws(ErrorNumber) in
      try calls.truncate(descriptor, to: byteCount)
    }
  }
}
