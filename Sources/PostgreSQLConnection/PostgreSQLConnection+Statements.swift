// SAFETY: Pointers into arrays and results are used only while these exist. Each result is freed once.

import CPostgreSQL

extension PostgreSQLConnection {
  /// Runs one or more statements without parameters, and ignores their rows.
  ///
  /// - Throws: ``PostgreSQLError``.
  public func execute(_ text: String) throws(PostgreSQLError) {
    _ = try texts(text)
  }

  /// Runs one or more statements without parameters, and returns the rows of the last statement as texts.
  ///
  /// For a few short values only. It saves a round trip, because several statements go to the server at once.
  ///
  /// - Throws: ``PostgreSQLError``.
  public func texts(_ text: String) throws(PostgreSQLError) -> [[String?]] {
    let result = unsafe PQexec(handle, text)
    defer { unsafe PQclear(result) }
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return []
    case PGRES_TUPLES_OK: break
    default: throw unsafe error(result)
    }
    return unsafe (0..<PQntuples(result)).map { row in
      unsafe (0..<PQnfields(result)).map { column in
        unsafe PQgetisnull(result, row, column) == 1
          ? nil : String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  /// Runs a statement, and calls `body` for each row with its cells in binary form. The memory in use is that of one
  /// row.
  ///
  /// If `body` throws, the statement is cancelled.
  ///
  /// - Parameter columnCount: The fewest columns that `body` needs. A server that sends fewer is refused.
  /// - Returns: The number of rows that the statement returned or changed.
  /// - Throws: ``PostgreSQLError``, or the error of `body`.
  @discardableResult
  public func forEachRow(
    _ text: String, _ parameters: [PostgreSQLParameter] = [], columnCount: Int = 1,
    _ body: (Span<PostgreSQLCell>) throws -> Void = { _ in }
  ) throws -> Int {
    let isSent = try send(text, parameters)
    guard isSent, unsafe PQsetSingleRowMode(handle) == 1 else { throw lastError() }
    return try rows(columnCount, isPrepared: !(prepared[text] ?? "").isEmpty, body)
  }

  /// The most statements that stay prepared.
  private static let mostPrepared = 64

  private func send(_ text: String, _ parameters: [PostgreSQLParameter]) throws -> Bool {
    let name = try name(ofPrepared: text, parameters)
    let types = parameters.map(\.type)
    let lengths = parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
    let formats = parameters.map { _ in Int32(1) }
    guard lengths.reduce(0, { $0 + Int($1) }) < 1 << 30 else {
      throw PostgreSQLError(message: "The values of a statement have more than 1 GiB.")
    }
    // One buffer, so that all pointers stay valid together. An empty value needs a pointer too, because none is NULL.
    var bytes: [UInt8] = []
    for parameter in parameters { bytes += parameter.bytes ?? [] }
    bytes.append(0)
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      var offset = 0
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for parameter in parameters {
        unsafe pointers.append(
          parameter.bytes == nil
            ? nil
            : UnsafeRawPointer(bytes.baseAddress! + offset).assumingMemoryBound(to: CChar.self))
        offset += parameter.bytes?.count ?? 0
      }
      let count = Int32(parameters.count)
      if let name {
        return unsafe PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1) == 1
      }
      return unsafe PQsendQueryParams(handle, text, count, types, pointers, lengths, formats, 1)
        == 1
    }
  }

  /// Returns the name of a statement that the server has prepared; `nil` if too many are prepared.
  ///
  /// A statement is prepared when it is used for the second time.
  private func name(
    ofPrepared text: String, _ parameters: [PostgreSQLParameter]
  ) throws -> String? {
    if let known = prepared[text] {
      if !known.isEmpty { return known }
      preparedCount += 1
      let name = "q\(preparedCount)"
      let types = parameters.map(\.type)
      let result = unsafe PQprepare(handle, name, text, Int32(types.count), types)
      defer { unsafe PQclear(result) }
      guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else { throw unsafe error(result) }
      prepared[text] = name
      return name
    }
    if prepared.count < PostgreSQLConnection.mostPrepared, text.utf8.count < 4096 {
      prepared[text] = ""
    }
    return nil
  }

  private func rows(
    _ columnCount: Int, isPrepared: Bool, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Int {
    var cells: [PostgreSQLCell] = []
    var count = 0
    var failure: (any Error)?
    while let result = unsafe PQgetResult(handle) {
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE:
        guard failure == nil else { continue }
        count += 1
        let width = unsafe Int(PQnfields(result))
        if cells.count != width { cells = Array(repeating: PostgreSQLCell(), count: width) }
        for column in 0..<width {
          let isNull = unsafe PQgetisnull(result, 0, Int32(column)) == 1
          unsafe cells[column] =
            isNull
            ? PostgreSQLCell()
            : PostgreSQLCell(
              PQgetvalue(result, 0, Int32(column)), Int(PQgetlength(result, 0, Int32(column))),
              type: PQftype(result, Int32(column)))
        }
        do {
          try PostgreSQLError.check(width, atLeast: columnCount)
          try body(cells.span)
        } catch {
          failure = error
          canceller().cancel()
        }
      case PGRES_TUPLES_OK: break
      case PGRES_COMMAND_OK:
        count = unsafe Int(String(cString: PQcmdTuples(result))) ?? count
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        // Such a state would never end here. The new session lacks the settings of the former.
        unsafe PQreset(handle)
        isUnusable = true
        throw PostgreSQLError.unexpected("A statement copies rows.")
      default:
        var error = unsafe error(result)
        if error.state == "0A000", isPrepared {
          // The types of the columns have changed since the statement was prepared. A new connection prepares it anew.
          isUnusable = true
          error.isConnectionLost = true
        }
        // The caller is told of its own error, not of the cancelling.
        if failure == nil { failure = error }
      }
    }
    if let failure { throw failure }
    return count
  }
}
