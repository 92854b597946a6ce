internal import Checksums

extension Model {
  var hashes: VersionHashes { storage.versionHashes { VersionHashes(storage) } }

  /// The version hash of every entity, by name: what a store's metadata records.
  ///
  /// All hashes are computed when one is first asked for, and kept.
  public var versionHashes: [String: VersionHash] {
    let hashes = hashes.entities
    return Dictionary(uniqueKeysWithValues: zip(entities.map(\.name), hashes))
  }

  /// The version hash of the named entity.
  public func versionHash(of entity: String) -> VersionHash? {
    position(of: entity).map { hashes.entities[$0] }
  }

  /// The version hash of a property that the named entity declares or inherits.
  ///
  /// `nil` for a property that is not stored, and for one that does not exist.
  public func versionHash(of property: String, in entity: String) -> VersionHash? {
    guard let position = position(of: entity),
      let place = storage.index.property(property, of: position)
    else { return nil }
    return hashes.properties[place.entity][place.property]
  }

  /// One text for all hashes: SHA-512 over names and hashes, in base64 (spec §2.4.7). Stores keep it
  /// as `NSStoreModelVersionHashesDigest`.
  public var versionHashesDigest: String { Model.versionHashesDigest(of: versionHashes) }

  /// Another text for all hashes: SHA-256 over the hashes alone, in base64 (spec §2.4.7). Stores
  /// keep it as `NSStoreModelVersionChecksumKey`.
  public var versionChecksum: String { Model.versionChecksum(of: versionHashes) }

  /// Whether a recorded hash is that of the named entity, by the rules of Core Data or by the former
  /// rules of Quire.
  ///
  /// Stores and documents that Quire wrote before the rules were corrected have hashes by the former
  /// rules (spec §2.5.4, decision 0018).
  public func hasVersionHash(_ hash: VersionHash, of entity: String) -> Bool {
    guard let position = position(of: entity) else { return false }
    return hashes.entities[position] == hash || formerHashes.entities[position] == hash
  }

  /// Returns recorded hashes in which each hash by the former rules of Quire is replaced by the
  /// current hash of the same entity.
  ///
  /// Compare the result with ``versionHashes``. Hashes that this model does not have by either rules
  /// stay as they are.
  public func currentHashes(for recorded: [String: VersionHash]) -> [String: VersionHash] {
    if hasHashes(recorded) { return recorded }
    return Dictionary(
      uniqueKeysWithValues: recorded.map { name, hash in
        guard let position = position(of: name), hash == formerHashes.entities[position] else {
          return (name, hash)
        }
        return (name, hashes.entities[position])
      })
  }

  private var formerHashes: VersionHashes {
    storage.formerHashes { VersionHashes(storage, rules: .former) }
  }

  /// Whether the hashes are the current ones of all entities, as the hashes of most stores are.
  func hasHashes(_ recorded: [String: VersionHash]) -> Bool {
    recorded.count == entities.count
      && zip(entities, hashes.entities).allSatisfy { recorded[$0.name] == $1 }
  }

  /// Whether a store with the given hashes can be used with this model: it has the same entities, or
  /// those of one configuration, all in the same version.
  ///
  /// Use ``differences(from:configuration:)`` to hear what does not fit.
  public func isCompatible(
    with hashes: [String: VersionHash], configuration: String? = nil
  ) -> Bool {
    differences(from: hashes, configuration: configuration).isEmpty
  }
}

extension Model {
  /// What ``versionHashesDigest`` is for a model with the given hashes.
  public static func versionHashesDigest(of hashes: [String: VersionHash]) -> String {
    var all = SHA512()
    for (name, hash) in inNameOrder(hashes) {
      all.update(name)
      all.update(hash.bytes)
    }
    return all.digest().base64
  }

  /// What ``versionChecksum`` is for a model with the given hashes.
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
