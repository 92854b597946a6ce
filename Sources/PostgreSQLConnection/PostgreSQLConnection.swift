// SAFETY: The handle is closed once. Results are freed after their last use, and strings of libpq are copied while the
// handle or result that owns them exists. The handle calls the receiver of notices only during a call of the connection's
// methods, so the connection exists then.

import CPostgreSQL
import Foundation

/// A connection to a PostgreSQL server.
///
/// ```text
/// let connection = try PostgreSQLConnection("postgresql://app@db/trips", connectSeconds: 10)
/// try connection.execute("BEGIN")
/// try connection.forEachRow("SELECT id FROM trip WHERE days > $1", [PostgreSQLParameter(3)]) { row in … }
/// ```
///
/// Values go to the server as parameters or rows in binary form, never as a part of a statement's text.
///
/// Not `Sendable`: the owner of the connection ensures that one thread at a time uses it. Only a ``Canceller`` may be
/// used by other threads.
@safe
public final class PostgreSQLConnection {
  let handle: OpaquePointer
  /// The name of the server and database for messages, without a password.
  public let name: String
  /// The names of prepared statements, by their text.
  var prepared: [String: String] = [:]
  /// The number of statements that were prepared.
  var preparedCount = 0
  /// The statements that are sent together.
  var pipeline = Pipeline()
  /// Whether the session can't be used any more, although the server answers.
  var isUnusable = false
  /// The last warning of the server; `nil` if none came since ``commit()`` was called.
  var warning: String?

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: A URL or a list of keywords, as libpq reads them. Values that it does not name come from the
  ///     environment, the service file and the password file.
  ///   - connectSeconds: The time for connecting to one host, unless the address or the environment sets it.
  ///   - name: The name of the server and database for messages.
  /// - Throws: ``PostgreSQLError``.
  public init(_ address: String, connectSeconds: Int, name: String) throws(PostgreSQLError) {
    self.name = name
    // The address may replace the words before it.
    let words =
      ["connect_timeout", "\(max(connectSeconds, 1))", "fallback_application_name", "quire"]
      + PostgreSQLConnection.signsOfLife + ["dbname", address, "client_encoding", "UTF8"]
    let opened = unsafe PostgreSQLConnection.connect(words)
    guard let opened = unsafe opened else {
      throw PostgreSQLError(message: "There is no memory for a connection.", isConnectionLost: true)
    }
    guard unsafe PQstatus(opened) == CONNECTION_OK else {
      let message = unsafe String(cString: PQerrorMessage(opened))
      unsafe PQfinish(opened)
      throw PostgreSQLError(
        message: PostgreSQLConnection.line(message), isConnectionLost: true)
    }
    unsafe handle = opened
    // Without a receiver, notices would go to the standard error output.
    unsafe PQsetNoticeReceiver(
      handle,
      { connection, notice in
        guard let connection = unsafe connection else { return }
        unsafe Unmanaged<PostgreSQLConnection>.fromOpaque(connection).takeUnretainedValue()
          .receive(notice)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { unsafe PQfinish(handle) }

  /// A machine that vanishes closes no connection. With these words, a connection to it is lost after 25 seconds.
  private static let signsOfLife = [
    "keepalives_idle", "10", "keepalives_interval", "5", "keepalives_count", "3",
    "tcp_user_timeout", "25000",
  ]

  /// Keeps a warning, and ignores all other notices.
  @unsafe private func receive(_ notice: OpaquePointer?) {
    let failure = unsafe error(notice)
    if failure.state == "01000" { warning = failure.description }
  }

  /// Ends a transaction.
  ///
  /// A server that waits for a standby ends the transaction and stops waiting if the statement is cancelled. The server
  /// reports this only by a warning. Then the transaction counts, but may be lost if a standby takes over.
  ///
  /// - Returns: The server's warning; `nil` if the transaction is as durable as the server promises.
  /// - Throws: ``PostgreSQLError``.
  public func commit() throws(PostgreSQLError) -> String? {
    warning = nil
    try end(with: "COMMIT")
    return warning
  }

  /// Ends the transaction as a prepared transaction (`PREPARE TRANSACTION`). It survives the connection and the server,
  /// and waits for `COMMIT PREPARED` or `ROLLBACK PREPARED`.
  ///
  /// - Parameter name: A name without quotes.
  /// - Returns: As ``commit()``.
  /// - Throws: ``PostgreSQLError``.
  public func prepareTransaction(named name: String) throws(PostgreSQLError) -> String? {
    warning = nil
    try end(with: "PREPARE TRANSACTION '\(name)'")
    return warning
  }

  @unsafe private static func connect(_ words: [String]) -> OpaquePointer? {
    let copies = unsafe words.map { unsafe strdup($0) }
    defer { for index in words.indices { unsafe free(copies[index]) } }
    func pointers(_ remainder: Int) -> [UnsafePointer<CChar>?] {
      unsafe stride(from: remainder, to: words.count, by: 2).map {
        unsafe UnsafePointer(copies[$0])
      } + [nil]
    }
    return unsafe PQconnectdbParams(pointers(0), pointers(1), 1)
  }

  /// Returns a message of libpq in one line.
  static func line(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
  }

  /// Whether the connection can still be used.
  public var isAlive: Bool { unsafe PQstatus(handle) == CONNECTION_OK && !isUnusable }

  /// Whether the connection is in a transaction, even in one that has failed.
  public var isInTransaction: Bool {
    switch unsafe PQtransactionStatus(handle) {
    case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
    default: false
    }
  }

  /// Whether the connection is in a transaction that has failed, so that only a rollback is possible.
  public var hasFailedTransaction: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INERROR }

  /// Returns a parameter of the server, such as `server_encoding`; `nil` if the server does not report it.
  public func serverParameter(_ name: String) -> String? {
    unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
  }

  /// The version of the server, such as 150018.
  public var serverVersion: Int { unsafe Int(PQserverVersion(handle)) }

  /// The socket of the connection, for waiting until the server sends something; -1 if the connection is lost.
  public var socket: Int32 { unsafe PQsocket(handle) }

  /// Reads what the server has sent, and returns the payloads of the notifications in it.
  ///
  /// - Throws: ``PostgreSQLError`` if the connection is lost.
  public func notifications() throws(PostgreSQLError) -> [String] {
    guard unsafe PQconsumeInput(handle) == 1 else { throw lastError() }
    var payloads: [String] = []
    while let found = unsafe PQnotifies(handle) {
      payloads.append(unsafe String(cString: found.pointee.extra))
      unsafe PQfreemem(found)
    }
    return payloads
  }

  /// Returns the error of the connection.
  func lastError() -> PostgreSQLError {
    PostgreSQLError(
      message: unsafe PostgreSQLConnection.line(String(cString: PQerrorMessage(handle))),
      isConnectionLost: unsafe PQstatus(handle) != CONNECTION_OK)
  }

  @unsafe func error(_ result: OpaquePointer?) -> PostgreSQLError {
    func field(_ code: UnicodeScalar) -> String? {
      unsafe PQresultErrorField(result, Int32(code.value)).map { unsafe String(cString: $0) }
    }
    let isLost = unsafe PQstatus(handle) != CONNECTION_OK
    guard let message = field("M") else {
      var error = lastError()
      error.isConnectionLost = isLost
      return error
    }
    return PostgreSQLError(
      state: field("C"), message: message, detail: field("D"), constraint: field("n"),
      isConnectionLost: isLost)
  }
}

extension PostgreSQLConnection {
  /// Cancels the statement of a connection from another thread.
  @safe
  public final class Canceller: @unchecked Sendable {
    // Sendable: libpq allows any thread to use the handle, which is freed at the end.
    private let handle: OpaquePointer?

    fileprivate init(_ connection: PostgreSQLConnection) {
      unsafe handle = PQgetCancel(connection.handle)
    }

    deinit { unsafe PQfreeCancel(handle) }

    /// Asks the server to end the running statement, which then fails with SQLSTATE 57014. Does nothing if no statement
    /// runs.
    public func cancel() {
      var message = [CChar](repeating: 0, count: 256)
      _ = unsafe PQcancel(handle, &message, 256)
    }
  }

  /// Returns an object with which other threads can cancel the statements of this connection.
  public func canceller() -> Canceller { Canceller(self) }
}
