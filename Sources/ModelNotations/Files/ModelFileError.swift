import ObjectModel

/// An error that explains why a model file can't be read or written.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
  /// The kind of the failure.
  public let code: Code
  public let path: String
  /// The place in the file: a line and column, an offset or an object; empty for the whole file.
  public let place: String
  /// A sentence with the finding and the expectation.
  public let message: String
  /// The underlying error, if any.
  public let cause: (any Error)?

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file can't be opened, read or written.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The file does not exist.
    public static let notFound = Code(rawValue: "not-found")
    /// The bytes are not a model of any known format.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// The file has a known format but is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// The file is intact, but its model has faults; the cause is a `ModelError`.
    public static let invalidModel = Code(rawValue: "invalid-model")
    /// The model is in an unsupported format: the format of Apple's editor before Xcode 4.
    public static let oldFormat = Code(rawValue: "old-format")
    /// No version has the requested name.
    public static let unknownVersion = Code(rawValue: "unknown-version")
  }

  /// Creates a failure with the given parts.
  public init(
    _ code: Code, path: String, place: String = "", message: String, cause: (any Error)? = nil
  ) {
    self.code = code
    self.path = path
    self.place = place
    self.message = message
    self.cause = cause
  }

  /// The file, the place and the message.
  public var description: String {
    [path, place].filter { !$0.isEmpty }.joined(separator: ":") + ": " + message
  }
}
