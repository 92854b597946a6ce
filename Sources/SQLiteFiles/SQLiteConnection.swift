// SAFETY: The handle is closed once; SQLite keeps the connection alive while statements of it exist. The authorizer
// reads only its arguments.

import CSQLite3
public import DurableFiles

/// A connection to a database in a file. The file is untrusted: SQLite runs no triggers, views or extensions of it,
/// and limits the sizes of values.
///
/// Not `Sendable`: the owner of the connection ensures that one thread at a time uses the connection and its
/// statements.
@safe
public final class SQLiteConnection {
  let handle: OpaquePointer
  public let path: String
  /// The file on a disk of Quire; `nil` if SQLite opens the file itself.
  private let mounted: MountedDatabase?
  /// The record, in this process, that the database is open.
  private var use: LockedFile?
  /// Prepared statements to use again, by their text. Their number is limited.
  private var statements: [String: SQLiteStatement] = [:]
  let taker: UnsafeMutablePointer<RowTaker>
  /// The tables that the connection's queries see beside those of the database; `nil` if there are none.
  public internal(set) var commonTables: CommonTables?

  /// The way to open a database.
  public enum Access: Sendable, Hashable {
    /// Only for reading, with SQLite's own locks, while other connections may write.
    case reading
    /// For reading and writing, with SQLite's own locks; the file must exist.
    case writing
    /// For reading and writing; creates the file if it does not exist.
    case creating
  }

  /// The most bytes that a value may have.
  public static let maximumValueByteCount = 1 << 30

  /// Opens a file of the operating system.
  ///
  /// - Parameter patience: The time that a statement waits for the locks of other connections.
  /// - Throws: ``SQLiteError``. Opening does not read the file's contents yet.
  public convenience init(
    _ path: String, for access: Access, patience: Duration = .seconds(10)
  ) throws(SQLiteError) {
    let flags =
      switch access {
      case .reading: SQLITE_OPEN_READONLY
      case .writing: SQLITE_OPEN_READWRITE
      case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    try self.init(name: path, path: path, flags, nil)
    unsafe sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
    use = LockedFile(path)
  }

  /// Opens a file on any disk, only for reading. SQLite writes nothing and locks nothing, and reads the log beside
  /// the file together with it.
  ///
  /// Use this for files that no process writes in the meantime; ``isChanged`` shows whether one did.
  ///
  /// - Throws: ``SQLiteError``; the error of the disk.
  public convenience init(undisturbed path: String, on disk: any Disk) throws {
    let mounted = try MountedDatabase(path, on: disk)
    try self.init(name: mounted.name, path: path, SQLITE_OPEN_READONLY, mounted)
    // A value can't be longer than the files that contain it. So no file can make SQLite ask for more memory than
    // that.
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(mounted.longestValue))
    // The file system has no shared memory, so SQLite must keep the log's index in the memory of this connection.
    try execute("PRAGMA locking_mode=EXCLUSIVE")
  }

  private init(
    name: String, path: String, _ flags: Int32, _ mounted: MountedDatabase?
  ) throws(SQLiteError) {
    self.path = path
    self.mounted = mounted
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX,
      mounted == nil ? nil : MountedDatabase.fileSystemName)
    guard let handle = unsafe opened else {
      throw SQLiteError(.failed, number: code, "SQLite has no memory for a connection.")
    }
    unsafe self.handle = handle
    unsafe taker = .allocate(capacity: 1)
    unsafe taker.initialize(to: RowTaker())
    guard code == SQLITE_OK else { throw error(code, nil) }
    try harden()
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
    unsafe taker.deinitialize(count: 1)
    unsafe taker.deallocate()
  }

  /// Whether the file, or the log beside it, has changed since it was opened without locks; `false` if SQLite opened
  /// the file itself.
  public var isChanged: Bool { mounted?.isChanged ?? false }

  private func harden() throws(SQLiteError) {
    unsafe sqlite3_extended_result_codes(handle, 1)
    for (option, value) in SQLiteConnection.configuration {
      let code = unsafe quire_sqlite3_configure(handle, option, value)
      if code != SQLITE_OK { throw error(code, "configuring SQLite") }
    }
    for (limit, value) in SQLiteConnection.limits { unsafe sqlite3_limit(handle, limit, value) }
    unsafe sqlite3_set_authorizer(handle, authorize, nil)
    let code = unsafe RowTaker.register(taker, handle)
    if code != SQLITE_OK { throw error(code, "configuring SQLite") }
    try execute("PRAGMA cell_size_check=ON")
    try execute("PRAGMA temp_store=MEMORY")
    try execute("PRAGMA mmap_size=0")
  }

  private static let configuration: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
  ]

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, Int32(maximumValueByteCount)), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
    (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]
}

/// Denies actions that no statement of Quire performs, whatever the schema contains.
private let authorize:
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafePointer<CChar>?
  ) -> Int32 = { _, action, _, _, _, origin in
    // Only the actions of triggers and views have an origin.
    if unsafe origin != nil { return SQLITE_DENY }
    return SQLiteConnection.isDenied(action) ? SQLITE_DENY : SQLITE_OK
  }

extension SQLiteConnection {
  /// Whether no statement of Quire performs an action.
  static func isDenied(_ action: Int32) -> Bool {
    switch action {
    case SQLITE_ATTACH, SQLITE_DETACH, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER,
      SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      true
    default: false
    }
  }

  /// Forgets the prepared statements, whose texts mean something else from now on.
  func forgetStatements() { statements = [:] }
}

extension SQLiteConnection {
  /// Runs a statement that returns no rows.
  ///
  /// - Throws: ``SQLiteError``.
  public func execute(_ text: String) throws(SQLiteError) {
    let statement = try prepare(text, isKept: false)
    while try statement.step() {}
  }

  /// Returns a prepared statement, reset and with no parameters bound. The same text returns the same object each
  /// time.
  ///
  /// - Parameter isKept: Whether the connection may return the statement again. A caller that runs the same text
  ///   twice at once passes `false`.
  /// - Throws: ``SQLiteError``.
  public func prepare(_ text: String, isKept: Bool = true) throws(SQLiteError) -> SQLiteStatement {
    if isKept, let known = statements[text] {
      known.reset()
      unsafe sqlite3_clear_bindings(known.handle)
      return known
    }
    var made: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let whole = commonTables?.prefixing(text) ?? text
    let code = unsafe sqlite3_prepare_v3(handle, whole, -1, flags, &made, nil)
    guard code == SQLITE_OK, let handle = unsafe made else { throw error(code, text) }
    let statement = unsafe SQLiteStatement(handle, self, text)
    guard isKept else { return statement }
    if statements.count >= SQLiteConnection.mostStatements { statements = [:] }
    statements[text] = statement
    return statement
  }

  private static let mostStatements = 128

  /// Runs a prepared statement that returns no rows, with values for its parameters.
  ///
  /// - Throws: ``SQLiteError``.
  public func run(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
    let statement = try prepare(text)
    try statement.bind(values)
    try statement.run()
  }

  /// Returns the first column of a statement's first row as an integer; `nil` if there is no row.
  ///
  /// - Throws: ``SQLiteError``.
  public func integer(
    _ text: String, _ values: [SQLiteValue] = []
  ) throws(SQLiteError) -> Int64? {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Returns the error for a result code of SQLite.
  func error(_ code: Int32, _ text: String?) -> SQLiteError {
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    let kind: SQLiteError.Code =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_CORRUPT, SQLITE_FORMAT: .damaged
      case SQLITE_READONLY: .readOnly
      case SQLITE_IOERR, SQLITE_FULL: .inputOutput
      case SQLITE_CANTOPEN, SQLITE_PERM: .cantOpen
      case SQLITE_INTERRUPT, SQLITE_ABORT: .interrupted
      case SQLITE_TOOBIG, SQLITE_NOMEM: .tooBig
      case SQLITE_CONSTRAINT: .constraint
      case SQLITE_AUTH: .notAuthorized
      default: .failed
      }
    let place = text.map { " (\($0.prefix(200)))" } ?? ""
    return SQLiteError(kind, number: code, "\(message)\(place)")
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000
  }
}
