public import StoreInterface

/// Why a plug-in is not used: which one, its file, what was looked for and what was found.
///
/// A plug-in that is refused stops nobody else: a search goes on with the next.
public struct PluginRefusal: Error, Sendable, Hashable {
  /// The plug-in's name; that of its folder where the manifest can't be read. `nil` when it is about no plug-in
  /// alone, as with a folder that is not searched.
  public let plugin: String?
  /// The file or folder that it is about.
  public let path: String
  /// What kind of reason it is.
  public let reason: Reason
  /// What was looked for, where, and what was found, in a sentence or two.
  public let message: String
  /// The types of stores that the plug-in would have brought, as far as its manifest was read.
  public let types: [StoreType]

  init(
    _ reason: Reason, plugin: String?, path: String, types: [StoreType] = [], _ message: String
  ) {
    self.plugin = plugin
    self.path = path
    self.reason = reason
    self.types = types
    self.message = message
  }

  /// A kind of reason, to branch on. New kinds may be added.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no such plug-in, or no such file.
    public static let notFound = Reason(rawValue: "notFound")
    /// The system's loader can't load the library.
    public static let notLoadable = Reason(rawValue: "notLoadable")
    /// It speaks another version of the interface.
    public static let wrongVersion = Reason(rawValue: "wrongVersion")
    /// The library does not export the one symbol.
    public static let missingSymbol = Reason(rawValue: "missingSymbol")
    /// The manifest can't be read, or says what no manifest may.
    public static let badManifest = Reason(rawValue: "badManifest")
    /// The library's table contradicts itself or the manifest, or lacks what it must have.
    public static let badTable = Reason(rawValue: "badTable")
    /// It lies where others could have put it, or plug-ins are off.
    public static let refusedByPolicy = Reason(rawValue: "refusedByPolicy")
    /// Another one has its name or brings the same type of store.
    public static let duplicate = Reason(rawValue: "duplicate")
    /// It was loaded, and broke what it promises.
    public static let failedInUse = Reason(rawValue: "failedInUse")
  }

  /// The refusal as a store's error.
  ///
  /// - Parameter path: The store that was to be opened, if it was one.
  public func error(ofStoreAt path: String? = nil) -> StoreError {
    StoreError(.badPlugin, message, path: path, cause: self)
  }
}

extension PluginRefusal: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
