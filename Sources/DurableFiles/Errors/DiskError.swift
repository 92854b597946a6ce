/// A failed call to a disk: the operation, the path and the reason.
///
///     do {
///       try file.sync()
///     } catch let error where error.code == .noSpace {
///       …
///     }
public struct DiskError: Error, Sendable, Hashable {
  /// The kind of failure, to branch on.
  public let code: Code
  public let operation: DiskOperation
  /// The path of the operation, as the caller wrote it.
  public let path: String
  /// The operating system's error number, if the system was called.
  public let cause: ErrorNumber?
  /// A sentence that names the operation, the path and the reason.
  public let message: String
  /// The lock holder, if the code is ``Code/locked``.
  public let holder: LockHolder?

  /// Creates a failure of the given kind.
  init(
    code: Code, operation: DiskOperation, path: String, cause: ErrorNumber? = nil,
    message: String, holder: LockHolder? = nil
  ) {
    self.code = code
    self.operation = operation
    self.path = path
    self.cause = cause
    self.message = message
    self.holder = holder
  }
}

extension DiskError: CustomStringConvertible {
  public var description: String { message }
}

extension DiskError {
  /// Returns the error for a call that the system refused. `attempt` completes the sentence "Can't …".
  static func refused(
    _ operation: DiskOperation, _ attempt: String, path: String, cause: ErrorNumber
  ) -> DiskError {
    DiskError(
      code: Code(cause), operation: operation, path: path, cause: cause,
      message: "Can't \(attempt) '\(path)': \(cause).")
  }

  /// Returns the error for a failed sync: everything written since the last successful sync may be lost.
  static func syncFailed(path: String, cause: ErrorNumber) -> DiskError {
    DiskError(
      code: Code(cause), operation: .sync, path: path, cause: cause,
      message: """
        Can't make '\(path)' durable: \(cause). Data written since the last successful sync \
        may be lost, even if a later sync succeeds.
        """)
  }

  /// Returns the error for a write, truncate or other change after a failed sync.
  static func poisoned(_ operation: DiskOperation, path: String, cause: ErrorNumber) -> DiskError {
    DiskError(
      code: .poisoned, operation: operation, path: path, cause: cause,
      message: """
        Can't \(operation) '\(path)': an earlier sync failed (\(cause)), so unsynced data may be lost. \
        Open the file again and repeat the writes.
        """)
  }

  /// Returns the error for an operation on a closed handle.
  static func closed(_ operation: DiskOperation, path: String) -> DiskError {
    DiskError(
      code: .closed, operation: operation, path: path,
      message: "Can't \(operation) '\(path)': the handle is closed.")
  }

  /// Returns the error for a file that ends before the last requested byte.
  static func unexpectedEnd(
    path: String, offset: Int, byteCount: Int, found: Int
  ) -> DiskError {
    DiskError(
      code: .unexpectedEnd, operation: .read, path: path,
      message: """
        Can't read \(byteCount) bytes at offset \(offset) of '\(path)': \
        the file ends after \(found) of these bytes.
        """)
  }

  /// Returns the error for a file that is longer than the reader's limit.
  static func tooLarge(path: String, byteCount: Int, limit: Int) -> DiskError {
    DiskError(
      code: .tooLarge, operation: .read, path: path,
      message: "Can't read '\(path)': it has \(byteCount) bytes, more than the limit of \(limit).")
  }

  /// Returns the error for a path that names neither a file nor a directory.
  static func notARegularFile(path: String, kind: FileKind) -> DiskError {
    DiskError(
      code: .notARegularFile, operation: .open, path: path,
      message: "Can't open '\(path)': it is a \(kind), not a file.")
  }

  /// Returns the error for a path that the system cannot take, or that leads out of the directory it must stay in.
  static func invalidPath(
    _ operation: DiskOperation, path: String, because reason: String
  ) -> DiskError {
    DiskError(
      code: .invalidPath, operation: operation, path: path,
      message: "Can't \(operation) '\(path)': \(reason).")
  }

  /// Returns the error for a lock that another handle or process holds.
  static func locked(path: String, holder: LockHolder) -> DiskError {
    DiskError(
      code: .locked, operation: .lock, path: path, cause: .wouldBlock,
      message: "Can't lock '\(path)': \(holder).", holder: holder)
  }

  /// Returns the error for a file that was replaced, although the sync of the directory failed.
  static func replacedButNotDurable(path: String, cause: DiskError) -> DiskError {
    DiskError(
      code: cause.code, operation: .sync, path: path, cause: cause.cause,
      message: """
        '\(path)' was replaced, but the replacement may not survive a power cut: \
        \(cause.message)
        """)
  }
}
