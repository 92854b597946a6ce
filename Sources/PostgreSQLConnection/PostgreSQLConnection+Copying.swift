// SAFETY: A message of libpq is read before it is freed. Arrays are passed to libpq for the duration of a call.

import CPostgreSQL

extension PostgreSQLConnection {
  /// Calls `body` for each row of a selection, in the binary form of `COPY`. The memory in use is that of one row.
  ///
  /// Faster than ``forEachRow(_:_:_:)`` for many rows. A statement of this kind takes no parameters, so `selection` must
  /// contain no values other than numbers.
  ///
  /// If `body` throws, the statement is cancelled.
  ///
  /// - Throws: ``PostgreSQLError``, or the error of `body`.
  public func copyRows(
    of selection: String, columnCount: Int, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws {
    try sendWaiting()
    let text = "COPY (\(selection)) TO STDOUT (FORMAT binary)"
    let result = unsafe PQexec(handle, text)
    let status = unsafe PQresultStatus(result)
    let failed = unsafe status == PGRES_COPY_OUT ? nil : error(result)
    unsafe PQclear(result)
    if let failed { throw failed }
    var reader = CopiedRows(columnCount: columnCount)
    var failure: (any Error)?
    while true {
      var message: UnsafeMutablePointer<CChar>?
      let count = unsafe PQgetCopyData(handle, &message, 0)
      guard count > 0 else { break }
      defer { unsafe PQfreemem(message) }
      guard failure == nil else { continue }
      do {
        try unsafe reader.read(UnsafeRawBufferPointer(start: message, count: Int(count)), body)
      } catch {
        failure = error
        canceller().cancel()
      }
    }
    if let ending = lastFailure(), failure == nil { failure = ending }
    if let failure { throw failure }
    guard reader.hasEnded else { throw PostgreSQLError.unexpected("The rows have no end.") }
  }

  /// Reads the remaining results, and returns the first error in them.
  private func lastFailure() -> PostgreSQLError? {
    var failure: PostgreSQLError?
    while let result = unsafe PQgetResult(handle) {
      let status = unsafe PQresultStatus(result)
      if status != PGRES_COMMAND_OK, failure == nil { failure = unsafe error(result) }
      unsafe PQclear(result)
      // A connection that is lost in the middle of a copy returns the same state again and again.
      if status == PGRES_COPY_OUT || status == PGRES_COPY_IN {
        if !isAlive { return failure ?? lastError() }
      }
    }
    return failure
  }

  /// The bytes of rows that are collected before they are sent.
  private static let messageByteCount = 1 << 16

  /// Writes rows into a table, in the binary form of `COPY`.
  ///
  /// - Parameters:
  ///   - target: The table and its columns, as `COPY` names them.
  ///   - write: Calls its argument with each row. It is called once.
  /// - Throws: ``PostgreSQLError``, or the error of `write`.
  public func copy(
    into target: String,
    _ write: ((_ row: (inout BinaryValues) throws -> Void) throws -> Void) throws -> Void
  ) throws {
    try sendWaiting()
    pipeline.answers = []
    let result = unsafe PQexec(handle, "COPY \(target) FROM STDIN (FORMAT binary)")
    let status = unsafe PQresultStatus(result)
    let failed = unsafe status == PGRES_COPY_IN ? nil : error(result)
    unsafe PQclear(result)
    if let failed { throw failed }
    var failure: (any Error)?
    var rows = BinaryValues()
    do {
      try send(CopiedRows.header)
      try write { body in
        try body(&rows)
        if rows.byteCount >= PostgreSQLConnection.messageByteCount {
          try send(rows.bytes)
          rows.removeAll()
        }
      }
      // A row of -1 columns ends the rows.
      rows.beginRow(-1)
      try send(rows.bytes)
    } catch {
      failure = error
    }
    let isEnded =
      failure == nil
      ? unsafe PQputCopyEnd(handle, nil) : unsafe PQputCopyEnd(handle, "The rows are not complete.")
    if isEnded != 1, failure == nil { failure = lastError() }
    // The server's own error says why rows were refused, even if sending them failed too.
    if let refusal = lastFailure(), failure == nil || failure is PostgreSQLError {
      failure = refusal
    }
    if let failure { throw failure }
  }

  private func send(_ bytes: [UInt8]) throws(PostgreSQLError) {
    let isSent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe PQputCopyData(
        handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard isSent == 1 else { throw lastError() }
  }
}
