/// The differences between a model and a store's version hashes. A store's metadata contains the hashes, so they
/// are known before any row is read.
public struct HashDifferences: Sendable, Hashable {
  /// Entities that both have, in different versions.
  public var changed: [String] = []
  /// Entities of the store that the model does not have.
  public var missing: [String] = []
  /// Entities of the model that the store does not have.
  public var added: [String] = []

  /// Whether there are no differences.
  public var isEmpty: Bool { changed.isEmpty && missing.isEmpty && added.isEmpty }
}

extension HashDifferences: CustomStringConvertible {
  /// The differences in words: `changed: Stop, Trip; not in the model: Note`.
  public var description: String {
    let parts = [
      ("changed", changed), ("not in the model", missing), ("not in the store", added),
    ]
    let words = parts.filter { !$1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))" }
    return words.isEmpty ? "no differences" : words.joined(separator: "; ")
  }
}

extension Model {
  /// Returns the differences between this model, or one of its configurations, and a store with the given hashes.
  ///
  /// Names come in the order that hashes use. An unknown configuration counts as empty.
  public func differences(
    from hashes: [String: VersionHash], configuration: String? = nil
  ) -> HashDifferences {
    if configuration == nil, hasHashes(hashes) { return HashDifferences() }
    var own = versionHashes
    if let configuration {
      let members = Set(
        description.configurations.first { $0.name == configuration }?.entities ?? [])
      own = own.filter { members.contains($0.key) }
    }
    var differences = HashDifferences()
    for name in Set(own.keys).union(hashes.keys).sorted(by: { $0.precedesInHashes($1) }) {
      switch (own[name], hashes[name]) {
      case (let own?, let stored?) where own != stored: differences.changed.append(name)
      case (nil, _?): differences.missing.append(name)
      case (_?, nil): differences.added.append(name)
      default: break
      }
    }
    return differences
  }

  /// Returns whether the hashes are those of all entities, as in most stores.
  private func hasHashes(_ recorded: [String: VersionHash]) -> Bool {
    recorded.count == entities.count
      && zip(entities, hashes.entities).allSatisfy { recorded[$0.name] == $1 }
  }
}
