public import ObjectModel

/// A failure to open, read or write a store.
public struct StoreError: Error, Sendable {
  public let code: Code
  /// A sentence that states the attempted action, the finding and the place.
  public let message: String
  /// The store's file, if any.
  public let path: String?
  /// The underlying error, if any.
  public let cause: (any Error)?
  /// The objects that another commit has changed; empty unless the code is ``Code/conflict``.
  public let conflicts: [StoreConflict]

  /// Creates an error of the given kind.
  public init(
    _ code: Code, _ message: String, path: String? = nil, cause: (any Error)? = nil,
    conflicts: [StoreConflict] = []
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.cause = cause
    self.conflicts = conflicts
  }

  /// A kind of failure, for programs to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no store at the path.
    public static let notFound = Code(rawValue: "notFound")
    /// There is already something at the path.
    public static let exists = Code(rawValue: "exists")
    /// The bytes are not a store of this kind.
    public static let notAStore = Code(rawValue: "notAStore")
    /// The store was written by a newer version of its format.
    public static let newerFormat = Code(rawValue: "newerFormat")
    public static let damaged = Code(rawValue: "damaged")
    /// The disk, or another medium that the store lies on, failed.
    public static let inputOutput = Code(rawValue: "inputOutput")
    /// A save failed, and so did undoing it. The save may count when the store is next opened.
    public static let uncertain = Code(rawValue: "uncertain")
    /// The store was opened for reading only, or can't be written at its place.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Another process or another open store holds the lock of the store.
    public static let locked = Code(rawValue: "locked")
    /// Another writer has changed the same objects since they were read.
    public static let conflict = Code(rawValue: "conflict")
    /// Another commit came after the commit that the changes had to follow.
    public static let overtaken = Code(rawValue: "overtaken")
    /// The model does not fit the store.
    public static let incompatibleModel = Code(rawValue: "incompatibleModel")
    public static let closed = Code(rawValue: "closed")
    /// The store commits on its own, and the caller asked it to wait for a confirmation.
    public static let notConfirmable = Code(rawValue: "notConfirmable")
    /// The store can't make the change: an object has no key from this store, or the change is too large.
    public static let badChange = Code(rawValue: "badChange")
    /// The caller cancelled the operation.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The store, or the plug-in that provides it, does not support the operation.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The plug-in that provides the store can't be used, or violated its contract.
    public static let badPlugin = Code(rawValue: "badPlugin")
    /// A failure that no more specific code describes.
    public static let failed = Code(rawValue: "failed")
  }
}

extension StoreError: CustomStringConvertible {
  /// The path and the message. A password in an address is left out.
  public var description: String {
    path.map { "\(StoreError.withoutPassword($0)): \(message)" } ?? message
  }

  private static func withoutPassword(_ path: String) -> String {
    guard path.contains("://") else { return path }
    return path.replacing(/(:\/\/[^\/?@:]*:)[^\/?@]*@/) { "\($0.output.1)…@" }
      .replacing(/(password=)[^&]*/) { "\($0.output.1)…" }
  }
}

/// An object that this commit changes, and that another commit has changed since the base of this commit.
///
/// The commit's layer, the base snapshot of the layer and the store's newest snapshot contain the three states of the
/// object.
public struct StoreConflict: Sendable, Hashable {
  public let key: ObjectKey
  /// The version that the change is based on; 0 for a new object.
  public let basis: Int64
  /// The version in the store's newest snapshot; `nil` if the object was deleted.
  public let current: Int64?

  /// Creates a conflict about the given object.
  public init(key: ObjectKey, basis: Int64, current: Int64?) {
    self.key = key
    self.basis = basis
    self.current = current
  }
}

extension StoreError {
  /// Returns the error for a path that must be unused, and at which there is a file or a folder.
  package static func exists(at path: String) -> StoreError {
    StoreError(.exists, "A file or a folder exists already at the path.", path: path)
  }

  /// Returns the error for a save that failed and could not be undone.
  package static func uncertain(_ error: any Error, path: String) -> StoreError {
    StoreError(
      .uncertain,
      "\(error)\("\(error)".hasSuffix(".") ? "" : ".") The save could not be reverted either. Open the store again to see "
        + "whether the save counts.", path: path, cause: error)
  }
}
