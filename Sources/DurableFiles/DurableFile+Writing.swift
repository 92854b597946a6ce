import Threads

extension DurableFile {
  /// Appends the bytes and returns the offset of the first one.
  ///
  /// After an error the file is cut to its old length, if the disk allows it. Nothing is durable before ``sync(_:)``.
  /// Two handles that append at once overwrite each other's bytes, so hold a lock.
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

  /// Appends the bytes and returns the offset of the first one.
  @discardableResult
  public func append(_ bytes: [UInt8]) throws(DiskError) -> Int {
    try append(bytes.rawSpan)
  }

  /// Appends the pieces that `contents` writes, in few calls to the system.
  ///
  ///     try file.append { writer in
  ///       for column in block.columns { try writer.write(column.bytes) }
  ///     }
  ///     try file.sync()
  ///
  /// After an error, also an error of `contents`, the file is cut to its old length, if the disk allows it.
  /// `contents` must write to this handle only through the writer.
  ///
  /// - Parameter offset: The offset of the first byte, if it is not the end of the file. The bytes that the file has there
  ///   are overwritten.
  public func append<Result>(
    at offset: Int? = nil, contents: (inout FileWriter) throws -> Result
  ) throws -> Result {
    try writing.withLock {
      try checkPoison(.write)
      let end = try byteCount()
      do {
        var writer = FileWriter(self, at: offset ?? end)
        let result = try contents(&writer)
        try writer.flush()
        return result
      } catch {
        cutBack(to: end)
        throw error
      }
    }
  }

  /// Overwrites the bytes at `offset`, and lengthens the file if necessary.
  ///
  /// A crash before the next sync may leave any of the sectors old and any new. Do not use this for bytes that must
  /// survive a crash. After an error some of the bytes may be written.
  public func write(_ bytes: RawSpan, at offset: Int) throws(DiskError) {
    try writing.withLock { () throws(DiskError) in try write(all: bytes, at: offset) }
  }

  /// Overwrites the bytes at `offset`, and lengthens the file if necessary.
  public func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
    try write(bytes.rawSpan, at: offset)
  }

  /// Cuts the file to `byteCount`, or lengthens it with zeros.
  public func truncate(to byteCount: Int) throws(DiskError) {
    precondition(byteCount >= 0, "A length must not be negative.")
    try writing.withLock { () throws(DiskError) in
      try checkPoison(.truncate)
      try perform(.truncate, "set the length of") { calls, descriptor throws(ErrorNumber) in
        try calls.truncate(descriptor, to: byteCount)
      }
    }
  }

  /// Writes every byte, in as many calls as necessary. The caller holds `writing`.
  func write(all bytes: RawSpan, at offset: Int) throws(DiskError) {
    precondition(offset >= 0, "An offset in a file must not be negative.")
    try checkPoison(.write)
    let descriptor = try beginUse(.write)
    defer { endUse() }
    var written = 0
    while written < bytes.byteCount {
      do throws(ErrorNumber) {
        let count = try calls.write(
          descriptor, bytes.extracting(written...), at: offset + written)
        // No system should write zero bytes without an error. Such a system must not keep this loop running forever.
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

  /// Undoes a failed append. If the undo fails too, a torn tail stays, as after a crash.
  private func cutBack(to byteCount: Int) {
    try? perform(.truncate, "cut") { calls, descriptor throws(ErrorNumber) in
      try calls.truncate(descriptor, to: byteCount)
    }
  }
}
