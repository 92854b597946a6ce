// SAFETY: Each result belongs to one answer, which frees it. Answers are read only while they exist.

import CPostgreSQL

extension PostgreSQLConnection {
  /// The statements that were sent ahead of their use, and those that wait to be sent together.
  struct Pipeline {
    /// The answers that are waiting for the statement to be run.
    var answers: [(statement: PostgreSQLStatement, answer: Answer)] = []
    /// The statements that wait until the next one needs an answer, or until the transaction ends.
    var waiting: [PostgreSQLStatement] = []
    /// The number of bytes of the parameters of the waiting statements.
    var waitingByteCount = 0
    /// Whether statements without an answer may wait.
    var mayWait = false
  }

  /// The whole answer to a statement.
  @safe
  final class Answer {
    let result: OpaquePointer
    init(_ result: OpaquePointer) { unsafe self.result = result }
    deinit { unsafe PQclear(result) }
  }

  /// The most bytes of parameters that wait. Above it the statements are sent, so that memory stays small.
  private static let mostWaitingBytes = 1 << 20

  /// Begins a transaction, and runs statements in it, in one round trip.
  ///
  /// The answers are kept until ``forEachRow(_:_:columnCount:_:)`` or ``texts(_:)`` is called with the same statement. So
  /// code that reads what it needs, step by step, needs no further round trips. The answers are forgotten as soon as the
  /// transaction writes, because they may be wrong from then on.
  ///
  /// Until the transaction ends, statements that are given to ``run(_:_:)`` wait, and are sent together.
  ///
  /// - Throws: ``PostgreSQLError``. The transaction has failed then, or has not begun.
  public func begin(_ text: String, reading statements: [PostgreSQLStatement]) throws {
    let answers = try pipelined([PostgreSQLStatement(text)] + statements)
    pipeline = Pipeline()
    pipeline.answers = Array(zip(statements, answers.dropFirst()))
    pipeline.mayWait = true
  }

  /// Runs a whole transaction in one round trip, and calls `body` for each row that the last statement returns.
  ///
  /// - Returns: The server's warning, as ``commit()`` returns it.
  /// - Throws: ``PostgreSQLError``. The transaction has failed then, and only ``rollBack()`` ends it. If the connection is
  ///   lost, the transaction may count.
  public func transact(
    _ text: String, _ statements: [PostgreSQLStatement],
    _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> String? {
    warning = nil
    pipeline = Pipeline()
    let answers = try pipelined(
      [PostgreSQLStatement(text)] + statements, endingWith: PostgreSQLStatement("COMMIT"))
    let last = answers[statements.count]
    _ = try withExtendedLifetime(last) { try unsafe rows(of: last.result, 1, body) }
    return warning
  }

  /// Runs a statement whose answer nobody needs. In a transaction of ``begin(_:reading:)`` it is sent with the next
  /// statement or at the end of the transaction, so an error is thrown only then.
  ///
  /// - Throws: ``PostgreSQLError``.
  public func run(_ text: String, _ parameters: [PostgreSQLParameter] = []) throws {
    guard pipeline.mayWait else {
      try forEachRow(text, parameters)
      return
    }
    pipeline.answers = []
    let statement = PostgreSQLStatement(text, parameters)
    pipeline.waiting.append(statement)
    pipeline.waitingByteCount += statement.byteCount
    if pipeline.waitingByteCount > PostgreSQLConnection.mostWaitingBytes { try sendWaiting() }
  }

  /// Takes the transaction back, without sending the statements that wait.
  ///
  /// - Throws: ``PostgreSQLError``.
  public func rollBack() throws(PostgreSQLError) {
    pipeline = Pipeline()
    try execute("ROLLBACK")
  }

  /// Sends the statements that wait.
  func sendWaiting() throws(PostgreSQLError) {
    guard !pipeline.waiting.isEmpty else { return }
    let statements = pipeline.waiting
    (pipeline.waiting, pipeline.waitingByteCount) = ([], 0)
    _ = try pipelined(statements)
  }

  /// Ends the transaction, together with the statements that wait. If one of them fails, the server does not run `text`.
  func end(with text: String) throws(PostgreSQLError) {
    let waiting = pipeline.waiting
    pipeline = Pipeline()
    guard !waiting.isEmpty else { return try execute(text) }
    _ = try pipelined(waiting, endingWith: PostgreSQLStatement(text))
  }

  /// Returns the answer that was read ahead for a statement.
  func answer(to statement: PostgreSQLStatement) -> Answer? {
    pipeline.answers.first { $0.statement == statement }?.answer
  }

  /// Runs statements in one round trip. If one fails, the server skips those after it.
  ///
  /// - Parameter end: A statement that runs last and is never prepared, because each transaction may end differently.
  /// - Returns: The answers, one for each statement.
  private func pipelined(
    _ repeated: [PostgreSQLStatement], endingWith end: PostgreSQLStatement? = nil
  ) throws(PostgreSQLError) -> [Answer] {
    // Preparing is its own round trip, and is not possible within a pipeline.
    var names: [String?] = []
    for statement in repeated {
      names.append(try name(ofPrepared: statement.text, statement.parameters))
    }
    var statements = repeated
    if let end {
      statements.append(end)
      names.append(nil)
    }
    guard unsafe PQenterPipelineMode(handle) == 1 else { throw lastError() }
    for (statement, name) in zip(statements, names) {
      guard try send(statement, name) else { throw endPipeline(lastError()) }
    }
    guard unsafe PQpipelineSync(handle) == 1 else { throw endPipeline(lastError()) }
    var answers: [Answer] = []
    var failure: PostgreSQLError?
    for name in names {
      while let result = unsafe PQgetResult(handle) {
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(unsafe Answer(result))
        default:
          if failure == nil { failure = failed(unsafe error(result), isPrepared: name != nil) }
          unsafe PQclear(result)
          if !isAlive { throw endPipeline(failure ?? lastError()) }
        }
      }
    }
    let last = unsafe PQgetResult(handle)
    let hasEnded = unsafe PQresultStatus(last) == PGRES_PIPELINE_SYNC
    unsafe PQclear(last)
    if !hasEnded { throw endPipeline(failure ?? lastError()) }
    guard unsafe PQexitPipelineMode(handle) == 1 else { throw endPipeline(failure ?? lastError()) }
    if let failure { throw failure }
    guard answers.count == statements.count else {
      throw PostgreSQLError.unexpected("A statement has no answer.")
    }
    return answers
  }

  /// Gives a connection up that is in the middle of a pipeline, and returns the error. Nothing else ends that state for
  /// certain.
  private func endPipeline(_ error: PostgreSQLError) -> PostgreSQLError {
    var error = error
    isUnusable = true
    error.isConnectionLost = true
    return error
  }
}
