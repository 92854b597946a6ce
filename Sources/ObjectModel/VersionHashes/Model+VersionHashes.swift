internal import Checksums

extension Model {
  var hashes: VersionHashes { storage.versionHashes { VersionHashes(storage) } }

  /// The version hash of every entity, by name, as a store's metadata records it.
  ///
  /// All hashes are computed at the first use and kept.
  public var versionHashes: [String: VersionHash] {
    let hashes = hashes.entities
    return Dictionary(uniqueKeysWithValues: zip(entities.map(\.name), hashes))
  }

  /// Returns the version hash of the named entity.
  public func versionHash(of entity: String) -> VersionHash? {
    position(of: entity).map { hashes.entities[$0] }
  }

  /// Returns the version hash of a property that the named entity declares or inherits.
  ///
  /// Returns `nil` for a property that is not stored, and for a property that does not exist.
  public func versionHash(of property: String, in entity: String) -> VersionHash? {
    guard let position = position(of: entity),
      let place = storage.index.property(property, of: position)
    else { return nil }
    return hashes.properties[place.entity][place.property]
  }

  /// A digest of all hashes: SHA-512 over names and hashes, in base64 (spec §2.4.7). Stores record it as
  /// `NSStoreModelVersionHashesDigest`.
  public var versionHashesDigest: String { Model.versionHashesDigest(of: versionHashes) }

  /// A checksum of all hashes: SHA-256 over the hashes alone, in base64 (spec §2.4.7). Stores record it as
  /// `NSStoreModelVersionChecksumKey`.
  public var versionChecksum: String { Model.versionChecksum(of: versionHashes) }

  /// Returns whether a store with the given hashes can be used with this model. The store must have the same
  /// entities as the model or the given configuration, all in the same version.
  ///
  /// ``differences(from:configuration:)`` returns the differences.
  public func isCompatible(
    with hashes: [String: VersionHash], configuration: String? = nil
  ) -> Bool {
    differences(from: hashes, configuration: configuration).isEmpty
  }
}

extension Model {
  /// Returns ``versionHashesDigest`` of a model with the given hashes.
  public static func versionHashesDigest(of hashes: [String: VersionHash]) -> String {
    var all = SHA512()
    for (name, hash) in inNameOrder(hashes) {
      all.update(name)
      all.update(hash.bytes)
    }
    return all.digest().base64
  }

  /// Returns ``versionChecksum`` of a model with the given hashes.
  public static func versionChecksum(of hashes: [String: VersionHash]) -> String {
    var all = SHA256()
    for (_, hash) in inNameOrder(hashes) { all.update(hash.bytes) }
    return all.digest().base64
  }

  private static func inNameOrder(
    _ hashes: [String: VersionHash]
  ) -> [(key: String, value: VersionHash)] {
    hashes.sorted { $0.key.precedesInHashes($1.key) }
  }
}
