public import StoreInterface

/// The reason why a plug-in is not used: which plug-in, its file, and the expected and actual state.
///
/// A refusal affects only its plug-in: the search continues with the next one.
public struct PluginRefusal: Error, Sendable, Hashable {
  /// The plug-in's name, or that of its folder if the manifest can't be read. `nil` if the refusal is not about one
  /// plug-in, as with a folder that is not searched.
  public let plugin: String?
  /// The file or folder that the refusal is about.
  public let path: String
  public let reason: Reason
  /// A sentence or two with the expected state, the place, and the actual state.
  public let message: String
  /// The objection to a search folder, as a sentence without its full stop; `nil` for other refusals.
  package let objection: String?
  /// The types of stores that the plug-in would have brought, as far as its manifest was read.
  public let types: [StoreType]

  init(
    _ reason: Reason, plugin: String?, path: String, types: [StoreType] = [], _ message: String,
    objection: String? = nil
  ) {
    self.objection = objection
    self.plugin = plugin
    self.path = path
    self.reason = reason
    self.types = types
    self.message = message
  }

  /// A kind of reason, to branch on. New kinds may be added.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The plug-in or its file does not exist.
    public static let notFound = Reason(rawValue: "notFound")
    /// The system's loader can't load the library.
    public static let notLoadable = Reason(rawValue: "notLoadable")
    /// The plug-in implements another version of the interface.
    public static let wrongVersion = Reason(rawValue: "wrongVersion")
    /// The library does not export the required symbol.
    public static let missingSymbol = Reason(rawValue: "missingSymbol")
    /// The manifest can't be read, or has invalid contents.
    public static let badManifest = Reason(rawValue: "badManifest")
    /// The library's table contradicts itself or the manifest, or lacks a required member.
    public static let badTable = Reason(rawValue: "badTable")
    /// The plug-in lies where other users could have put it, or plug-ins are off.
    public static let refusedByPolicy = Reason(rawValue: "refusedByPolicy")
    /// Another plug-in has the same name or brings the same type of store.
    public static let duplicate = Reason(rawValue: "duplicate")
    /// The plug-in was loaded, and then violated the interface.
    public static let failedInUse = Reason(rawValue: "failedInUse")
  }

  /// Returns the refusal as a store's error.
  ///
  /// - Parameter path: The path of the store that was to be opened, if any.
  public func error(ofStoreAt path: String? = nil) -> StoreError {
    StoreError(.badPlugin, message, path: path, cause: self)
  }
}

extension PluginRefusal: CustomStringConvertible {
  public var description: String { message }
}
