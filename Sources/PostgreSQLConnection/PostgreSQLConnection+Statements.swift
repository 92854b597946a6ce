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
    if let known = answer(to: PostgreSQLStatement(answeredInTexts: text)) {
      return unsafe texts(of: known.result)
    }
    try sendWaiting()
    let result = unsafe PQexec(handle, text)
    defer { unsafe PQclear(result) }
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return []
    case PGRES_TUPLES_OK: break
    default: throw unsafe error(result)
    }
    return unsafe texts(of: result)
  }

  @unsafe private func texts(of result: OpaquePointer?) -> [[String?]] {
    unsafe (0..<PQntuples(result)).map { row in
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
    let statement = PostgreSQLStatement(text, parameters)
    if let known = answer(to: statement) {
      return try withExtendedLifetime(known) {
        try unsafe rows(of: known.result, columnCount, body)
      }
    }
    try sendWaiting()
    let isSent = try send(statement, name(ofPrepared: text, parameters))
    guard isSent, unsafe PQsetSingleRowMode(handle) == 1 else { throw lastError() }
    return try rows(columnCount, isPrepared: !(prepared[text] ?? "").isEmpty, body)
  }

  /// The most statements that stay prepared.
  private static let mostPrepared = 64

  /// Sends a statement, which the server has prepared if there is a name.
  ///
  /// - Returns: Whether it was sent.
  func send(_ statement: PostgreSQLStatement, _ name: String?) throws(PostgreSQLError) -> Bool {
    let (text, parameters) = (statement.text, statement.parameters)
    let format: Int32 = statement.isAnsweredInTexts ? 0 : 1
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
        return unsafe PQsendQueryPrepared(
          handle, name, count, pointers, lengths, formats, format) == 1
      }
      return unsafe PQsendQueryParams(
        handle, text, count, types, pointers, lengths, formats, format) == 1
    }
  }

  /// Returns the name of a statement that the server has prepared; `nil` if too many are prepared.
  ///
  /// A statement is prepared when it is used for the second time.
  func name(
    ofPrepared text: String, _ parameters: [PostgreSQLParameter]
  ) throws(PostgreSQLError) -> String? {
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
        unsafe read(0, of: result, into: &cells)
        do {
          try PostgreSQLError.check(cells.count, atLeast: columnCount)
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
        let error = failed(unsafe error(result), isPrepared: isPrepared)
        // The caller is told of its own error, not of the cancelling.
        if failure == nil { failure = error }
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Puts the cells of a row into an array.
  @unsafe private func read(
    _ row: Int32, of result: OpaquePointer, into cells: inout [PostgreSQLCell]
  ) {
    let width = unsafe Int(PQnfields(result))
    if cells.count != width { cells = Array(repeating: PostgreSQLCell(), count: width) }
    for column in 0..<width {
      let isNull = unsafe PQgetisnull(result, row, Int32(column)) == 1
      unsafe cells[column] =
        isNull
        ? PostgreSQLCell()
        : PostgreSQLCell(
          PQgetvalue(result, row, Int32(column)), Int(PQgetlength(result, row, Int32(column))),
          type: PQftype(result, Int32(column)))
    }
  }

  /// Calls `body` for each row of a whole answer.
  @unsafe func rows(
    of result: OpaquePointer, _ columnCount: Int, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Int {
    var cells: [PostgreSQLCell] = []
    let count = unsafe PQntuples(result)
    for row in 0..<count {
      unsafe read(row, of: result, into: &cells)
      try PostgreSQLError.check(cells.count, atLeast: columnCount)
      try body(cells.span)
    }
    return Int(count)
  }

  /// Returns the error of a statement, and gives the connection up if that helps.
  func failed(_ error: PostgreSQLError, isPrepared: Bool) -> PostgreSQLError {
    guard error.state == "0A000", isPrepared else { return error }
    // The types of the columns have changed since the statement was prepared. A new connection prepares it again.
    isUnusable = true
    var error = error
    error.isConnectionLost = true
    return error
  }
}
