/// A call to a disk that failed: what was tried, on what, and why.
///
///     do {
///       try file.sync()
///     } catch let error where error.code == .noSpace {
///       …
///     }
public struct DiskError: Error, Sendable, Hashable {
  /// The kind of failure, to branch on.
  public let code: Code
  /// What was tried.
  public let operation: DiskOperation
  /// The path it was tried on, as the caller wrote it.
  public let path: String
  /// What the operating system said, if it was asked.
  public let cause: ErrorNumber?
  /// What was tried, found and where, in a sentence.
  public let message: String
  /// Who holds the lock, with ``Code/locked``.
  public let holder: LockHolder?

  /// A failure of the given kind.
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
  /// The message.
  public var description: String { message }
}

extension DiskError {
  /// The system refused a call. `attempt` completes the sentence "Can't …".
  static func refused(
    _ operation: DiskOperation, _ attempt: String, path: String, cause: ErrorNumber
  ) -> DiskError {
    DiskError(
      code: Code(cause), operation: operation, path: path, cause: cause,
      message: "Can't \(attempt) '\(path)': \(cause).")
  }

  /// A sync failed, so what was written since the last one may be lost.
  static func syncFailed(path: String, cause: ErrorNumber) -> DiskError {
    DiskError(
      code: Code(cause), operation: .sync, path: path, cause: cause,
      message: """
        Can't make '\(path)' durable: \(cause). What was written since the last successful sync \
        may be lost, even if a later sync succeeds.
        """)
  }

  /// A write, truncate or sync came after a failed sync.
  static func poisoned(_ operation: DiskOperation, path: String, cause: ErrorNumber) -> DiskError {
    DiskError(
      code: .poisoned, operation: operation, path: path, cause: cause,
      message: """
        Can't \(operation) '\(path)': an earlier sync failed (\(cause)), and a system may drop \
        what it could not write; open the file again and write anew.
        """)
  }

  /// The handle was closed before.
  static func closed(_ operation: DiskOperation, path: String) -> DiskError {
    DiskError(
      code: .closed, operation: operation, path: path,
      message: "Can't \(operation) '\(path)': the handle is closed.")
  }

  /// The file ends before the last byte asked for.
  static func unexpectedEnd(
    path: String, offset: Int, byteCount: Int, found: Int
  ) -> DiskError {
    DiskError(
      code: .unexpectedEnd, operation: .read, path: path,
      message: """
        Can't read \(byteCount) bytes at offset \(offset) of '\(path)': \
        the file ends after \(found) of them.
        """)
  }

  /// The file is longer than its reader is willing to take.
  static func tooLarge(path: String, byteCount: Int, limit: Int) -> DiskError {
    DiskError(
      code: .tooLarge, operation: .read, path: path,
      message: "Can't read '\(path)': it has \(byteCount) bytes, more than the limit of \(limit).")
  }

  /// The path names something that is neither a file nor a directory.
  static func notARegularFile(path: String, kind: FileKind) -> DiskError {
    DiskError(
      code: .notARegularFile, operation: .open, path: path,
      message: "Can't open '\(path)': it is a \(kind), not a file.")
  }

  /// The path cannot be given to the system, or leads out of the directory it must stay in.
  static func invalidPath(
    _ operation: DiskOperation, path: String, because reason: String
  ) -> DiskError {
    DiskError(
      code: .invalidPath, operation: operation, path: path,
      message: "Can't \(operation) '\(path)': \(reason).")
  }

  /// Somebody else holds the lock.
  static func locked(path: String, holder: LockHolder) -> DiskError {
    DiskError(
      code: .locked, operation: .lock, path: path, cause: .wouldBlock,
      message: "Can't lock '\(path)': \(holder).", holder: holder)
  }

  /// The file was replaced, and then the directory could not be synced.
  static func replacedButNotDurable(path: String, cause: DiskError) -> DiskError {
    DiskError(
      code: cause.code, operation: .sync, path: path, cause: cause.cause,
      message: """
        '\(path)' was replaced, but the replacement may not survive a power cut: \
        \(cause.message)
        """)
  }
}
