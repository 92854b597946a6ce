/// A failure to exchange versions with a remote.
///
/// The code is for the program, and the message for its user. Files that can't be read throw the errors of their modules, such as
/// `DocumentError` or `DiskError`. A pack that can't be read is not an error: it is left out, and reported.
public struct ExchangeError: Error, Sendable {
  public let code: Code
  /// A sentence that names the attempt, the finding and the place.
  public let message: String
  /// The document or the folder with the fault.
  public let path: String
  /// A sentence about a remedy; `nil` if there is no remedy.
  public let hint: String?

  init(_ code: Code, _ message: String, path: String, hint: String? = nil) {
    (self.code, self.message, self.path, self.hint) = (code, message, path, hint)
  }

  /// A kind of failure, for programs to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The stable name of the kind.
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The document lacks a remote of this name.
    public static let noRemote = Code(rawValue: "noRemote")
    /// The document has a remote of this name already.
    public static let exists = Code(rawValue: "exists")
    /// The remote lacks versions of this document.
    public static let noVersions = Code(rawValue: "noVersions")
    /// The document and the remote do not share a version.
    public static let unrelated = Code(rawValue: "unrelated")
    /// Something in the document can't be exchanged.
    public static let notSupported = Code(rawValue: "notSupported")
    /// A pack can't be signed.
    public static let signature = Code(rawValue: "signature")
    /// A pack contains something that contradicts another pack.
    public static let damaged = Code(rawValue: "damaged")
  }
}
