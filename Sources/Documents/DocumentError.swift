/// Why a document can't be made, opened, read or saved.
public struct DocumentError: Error, Sendable {
  /// What kind of failure it is.
  public let code: Code
  /// What was tried, what was found and where, in a sentence.
  public let message: String
  /// The document, or the file in it.
  public let path: String?
  /// What made it fail, if something below did.
  public let cause: (any Error)?

  /// A failure of the given kind.
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
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no document at the place.
    public static let notFound = Code(rawValue: "notFound")
    /// There is something at the place already.
    public static let exists = Code(rawValue: "exists")
    /// What is there is no document.
    public static let notADocument = Code(rawValue: "notADocument")
    /// The document was written by a newer version of its format.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The document contradicts itself.
    public static let damaged = Code(rawValue: "damaged")
    /// Somebody else has the document open.
    public static let locked = Code(rawValue: "locked")
    /// The document was opened for reading only, or can't be written where it is.
    public static let readOnly = Code(rawValue: "readOnly")
    /// There is no backend for a store of the document.
    public static let noBackend = Code(rawValue: "noBackend")
    /// The document was closed.
    public static let closed = Code(rawValue: "closed")
    /// The document was moved or removed while it was open.
    public static let gone = Code(rawValue: "gone")
    /// The model is another than the document's.
    public static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// There is no such version, or it is not kept any more.
    public static let noVersion = Code(rawValue: "noVersion")
    /// There is no such attachment, or a name that none may have.
    public static let noAttachment = Code(rawValue: "noAttachment")
    /// What was asked for is none that can be done.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The disk refused.
    public static let inputOutput = Code(rawValue: "inputOutput")
  }
}

extension DocumentError: CustomStringConvertible {
  /// The path and the message.
  public var description: String { path.map { "\($0): \(message)" } ?? message }
}

extension DocumentError {
  /// The document was closed.
  static func closed(_ path: String?) -> DocumentError {
    DocumentError(.closed, "The document was closed.", path: path)
  }

  /// The document was opened for reading only.
  static func readOnly(_ path: String) -> DocumentError {
    DocumentError(.readOnly, "The document was opened for reading only.", path: path)
  }

  /// There is no such version.
  static func noVersion(_ number: Int64, _ path: String) -> DocumentError {
    DocumentError(
      .noVersion, "There is no version \(number), or it is not kept any more.", path: path)
  }
}
