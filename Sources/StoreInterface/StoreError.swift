public import ObjectModel

/// Why a store can't be opened, read or written.
public struct StoreError: Error, Sendable {
  /// What kind of failure it is.
  public let code: Code
  /// What was tried, what was found and where, in a sentence.
  public let message: String
  /// The store's file; `nil` for one that has none.
  public let path: String?
  /// What made it fail, if something below did.
  public let cause: (any Error)?
  /// The objects that somebody else changed; empty but for ``Code/conflict``.
  public let conflicts: [StoreConflict]

  /// A failure of the given kind.
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

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no store at the place.
    public static let notFound = Code(rawValue: "notFound")
    /// There is something at the place already.
    public static let exists = Code(rawValue: "exists")
    /// The bytes are not those of such a store.
    public static let notAStore = Code(rawValue: "notAStore")
    /// The store was written by a newer version of its format.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The store contradicts itself.
    public static let damaged = Code(rawValue: "damaged")
    /// The disk, or whatever the store lies on, refused.
    public static let inputOutput = Code(rawValue: "inputOutput")
    /// A save failed, and so did taking it back: it may count when the store is opened the next time.
    public static let uncertain = Code(rawValue: "uncertain")
    /// The store was opened for reading only, or can't be written where it is.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Somebody else holds the store.
    public static let locked = Code(rawValue: "locked")
    /// Objects were changed by somebody else since they were read.
    public static let conflict = Code(rawValue: "conflict")
    /// Somebody else has committed since the commit that the changes had to follow.
    public static let overtaken = Code(rawValue: "overtaken")
    /// The model does not fit the store.
    public static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
    /// The store commits by itself, and was told to wait for somebody's word.
    public static let notConfirmable = Code(rawValue: "notConfirmable")
    /// A change is none that can be made: of an object that has no key from this store, or too large.
    public static let badChange = Code(rawValue: "badChange")
    /// Somebody said to stop.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The store, or the plug-in that brings it, does not do that.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The plug-in that brings the store can't be used, or broke what it promises.
    public static let badPlugin = Code(rawValue: "badPlugin")
    /// None of the others.
    public static let failed = Code(rawValue: "failed")
  }
}

extension StoreError: CustomStringConvertible {
  /// The path and the message.
  public var description: String { path.map { "\($0): \(message)" } ?? message }
}

/// An object that was changed here, and by somebody else meanwhile.
///
/// The three states of it are in the commit's layer, in the snapshot the layer is based on, and in
/// the store's newest snapshot.
public struct StoreConflict: Sendable, Hashable {
  /// The object.
  public let key: ObjectKey
  /// The version that the change is based on; 0 for a new object.
  public let basis: Int64
  /// The version that the store has now; `nil` when the object is gone.
  public let current: Int64?

  /// A conflict about the given object.
  public init(key: ObjectKey, basis: Int64, current: Int64?) {
    self.key = key
    self.basis = basis
    self.current = current
  }
}

extension StoreError {
  /// A save that failed and could not be taken back.
  package static func uncertain(_ error: any Error, path: String) -> StoreError {
    StoreError(
      .uncertain,
      "\(error). The disk did not let the save be taken back either: whether it counts shows when the "
        + "store is opened the next time.", path: path, cause: error)
  }
}
