import StoreInterface

/// The reason why a document can't be made, opened, read or saved.
public struct DocumentError: Error, Sendable {
  public let code: Code
  /// A sentence about the attempt, the cause of the failure and the place.
  public let message: String
  /// The path of the document, or of a file in it.
  public let path: String?
  /// The error that caused this one, or `nil`.
  public let cause: (any Error)?

  /// Makes a failure of the given kind.
  public init(
    _ code: Code, _ message: String, path: String? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.cause = cause
  }

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Makes the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no document at the path.
    public static let notFound = Code(rawValue: "notFound")
    /// There is a file or folder at the path already.
    public static let exists = Code(rawValue: "exists")
    /// The document at the path is not a backup of the document, or was changed since (`Backup`).
    public static let notABackup = Code(rawValue: "notABackup")
    /// The file or folder at the path is not a document.
    public static let notADocument = Code(rawValue: "notADocument")
    /// The document was written by a newer version of its format.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The document contradicts itself or its manifest, or a file in it is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// Another process, or another part of this one, has the document open for writing.
    public static let locked = Code(rawValue: "locked")
    /// The document was opened for reading only, or can't be written at its place.
    public static let readOnly = Code(rawValue: "readOnly")
    /// There is no backend for a store of the document.
    public static let noBackend = Code(rawValue: "noBackend")
    public static let closed = Code(rawValue: "closed")
    /// The document was moved or removed while it was open.
    public static let gone = Code(rawValue: "gone")
    /// The model differs from the document's model.
    public static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// There is no such version, or it is not kept any more.
    public static let noVersion = Code(rawValue: "noVersion")
    /// The document has no head of the given name, or no head can have this name.
    public static let noHead = Code(rawValue: "noHead")
    /// There is no such attachment, or the name is not a valid name of an attachment.
    public static let noAttachment = Code(rawValue: "noAttachment")
    /// The operation is not supported.
    public static let notSupported = Code(rawValue: "notSupported")
    public static let inputOutput = Code(rawValue: "inputOutput")
  }
}

extension DocumentError: CustomStringConvertible {
  /// The path and the message.
  public var description: String { path.map { "\($0): \(message)" } ?? message }
}

extension DocumentError {
  /// Returns the error for a path that must be unused, and at which there is a file or a folder.
  static func exists(at path: String) -> DocumentError {
    DocumentError(.exists, StoreError.exists(at: path).message, path: path)
  }

  /// Returns the error for a document that was closed.
  static func closed(_ path: String?) -> DocumentError {
    DocumentError(.closed, "The document was closed.", path: path)
  }

  /// Returns the error for a document that was opened for reading only.
  static func readOnly(_ path: String) -> DocumentError {
    DocumentError(.readOnly, "The document was opened for reading only.", path: path)
  }

  /// Returns the error for a version that does not exist.
  static func noVersion(_ number: Int64, _ path: String) -> DocumentError {
    DocumentError(
      .noVersion, "Version \(number) does not exist, or is not kept any more.", path: path)
  }
}

extension DocumentError: CausedError {}
