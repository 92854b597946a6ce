/// Why a model file can't be read or written.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public let code: Code
  /// The file.
  public let path: String
  /// Where in the file: a line and column, an offset or an object; empty for the whole file.
  public let place: String
  /// What was found and what was expected, in a sentence.
  public let message: String
  /// The error beneath, if another one led to this.
  public let cause: (any Error)?

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file can't be opened or read, or not be written.
    public static let unreadable = Code(rawValue: "unreadable")
    /// There is no such file.
    public static let notFound = Code(rawValue: "not-found")
    /// The bytes are not a model of any known form.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// The file is of a known form but broken.
    public static let damaged = Code(rawValue: "damaged")
    /// The file is whole, and the model in it has faults; the cause is a ``ModelError``.
    public static let invalidModel = Code(rawValue: "invalid-model")
    /// The model is in a format that is not read: that of Apple's editor before Xcode 4.
    public static let oldFormat = Code(rawValue: "old-format")
    /// No version of the wanted name is there.
    public static let unknownVersion = Code(rawValue: "unknown-version")
  }

  /// A failure with the given parts.
  public init(
    _ code: Code, path: String, place: String = "", message: String, cause: (any Error)? = nil
  ) {
    self.code = code
    self.path = path
    self.place = place
    self.message = message
    self.cause = cause
  }

  /// The file, the place and the sentence.
  public var description: String {
    [path, place].filter { !$0.isEmpty }.joined(separator: ":") + ": " + message
  }
}
