public import ModelNotations
public import ObjectGraph
public import ObjectModel

/// One version of a model: the version that a store was written with, or a target of a migration.
public struct KnownVersion: Sendable, Hashable {
  /// The name of the version in messages.
  public var name: String
  public var model: Model
  /// The classes of the objects that the handlers of stages get.
  public var classes: [ManagedObject.Type] = []

  /// Creates a version with a name.
  public init(_ name: String, _ model: Model) {
    self.name = name
    self.model = model
  }

  /// Creates a version from the classes that declare it.
  ///
  /// - Throws: `ModelError` if the classes make no model.
  public init(_ version: any ModelVersion.Type) throws {
    self.init(version.versionName, try Model(classes: version.classes))
    classes = version.classes
  }

  /// The name, in messages and written mappings, of a store's own version that has no name.
  package static let nameOfStore = "the store's model"

  /// Whether another version has the same entities in the same versions. Stores of one version are then stores of the
  /// other.
  public func isSame(as other: KnownVersion) -> Bool { isSame(as: other.model) }

  func isSame(as other: Model) -> Bool {
    // The hashes of a version take a millisecond, and a model file may have a hundred versions. So hashes are compared
    // last.
    model.isSame(as: other)
      || model.mayHaveHashes(of: other) && model.versionHashes == other.versionHashes
  }

  /// Whether a store with the given version hashes was written with this version.
  public func fits(_ hashes: [String: VersionHash]) -> Bool {
    if model.isCompatible(with: hashes) { return true }
    return model.description.configurations.contains {
      model.isCompatible(with: hashes, configuration: $0.name)
    }
  }

  /// Whether two versions have the same name and equal models.
  public static func == (left: KnownVersion, right: KnownVersion) -> Bool {
    left.name == right.name && left.model == right.model
  }

  /// Feeds the name into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension [KnownVersion] {
  /// Creates the list of the versions of a model file, in their order.
  public init(_ versions: ModelVersions) {
    self = versions.versions.map { KnownVersion($0.name, $0.model) }
  }

  /// Returns the first version that fits a store with the given hashes.
  func version(of hashes: [String: VersionHash]) -> KnownVersion? { first { $0.fits(hashes) } }

  /// Returns the position of the first version that is the same as another.
  func position(of version: KnownVersion) -> Int? { position(of: version.model) }

  /// Returns the position of the first version of a model.
  func position(of model: Model) -> Int? { firstIndex { $0.isSame(as: model) } }
}
