public import ObjectModel

/// The versions of a model in one file, and the name of the current version.
///
///     let versions = try ModelVersions.read("Trips.xcdatamodeld")
///     let model = versions.current
///
/// A file with a single model is read as one version.
public struct ModelVersions: Sendable, Hashable {
  /// One version of a model.
  public struct Version: Sendable, Hashable {
    /// The version's name, such as `Trips 2`.
    public var name: String
    public var model: Model
    /// The version hashes that lie beside a compiled model, by entity.
    public var storedHashes: [String: [UInt8]]

    /// Creates a version with the given name and model.
    public init(_ name: String, model: Model, storedHashes: [String: [UInt8]] = [:]) {
      self.name = name
      self.model = model
      self.storedHashes = storedHashes
    }
  }

  /// A version of the file that is not read, because it is in the format of Apple's editor before Xcode 4.
  public struct OldVersion: Sendable, Hashable {
    public var name: String
    /// The path of its folder.
    public var path: String

    /// Creates a version with the given name and folder.
    public init(_ name: String, path: String) {
      self.name = name
      self.path = path
    }
  }

  /// The versions that are not read, in the order of their names. All other versions can be used.
  public var oldVersions: [OldVersion] = []
  /// The versions, in the natural order of their names: `V2` before `V10`.
  public var versions: [Version]
  /// The name of the current version.
  public var currentName: String

  /// Creates a list of the given versions.
  ///
  /// - Precondition: One of the versions has the name `currentName`.
  public init(_ versions: [Version], currentName: String) {
    precondition(
      versions.contains { $0.name == currentName },
      "The current version must be one of the versions.")
    self.versions = versions
    self.currentName = currentName
  }

  /// Returns the model of the version with the given name.
  public subscript(name: String) -> Model? { versions.first { $0.name == name }?.model }

  /// The model of the current version.
  public var current: Model {
    // The initializer has checked that the version exists.
    self[currentName]!
  }
}
