import JSONText
import ObjectModel
import StoreInterface

/// The first line of a patch (spec §13.1).
package enum PatchHeader {
  package static let format = "quire-patch"
  /// The version that is written, and the newest that is read.
  package static let version = 1

  /// Returns the header of a patch for stores with the given models.
  ///
  /// - Parameter lanes: The lanes of the identifiers of inserted objects.
  static func json(_ models: [Model], _ lanes: StoreLanes) -> JSON {
    .object([
      "format": .string(format), "version": .number(version),
      "entities": .members(
        hashes(models).sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key, value: .string($0.value))
        }),
      "lanes": lanes.replicas.isEmpty
        ? nil
        : .members(
          lanes.replicas.sorted { $0.key < $1.key }.map {
            JSON.Member(
              name: "\($0.key)", value: .string(StoreMetadata.text(ofReplica: $0.value)))
          }),
    ])
  }

  /// Returns the lanes in a header; `nil` if the member has another form.
  static func lanes(_ json: JSON?) -> StoreLanes? {
    guard let json else { return StoreLanes() }
    guard case .members(let members) = json else { return nil }
    var replicas: [UInt64: UInt64] = [:]
    for member in members {
      guard let start = StoreMetadata.start(member.name), case .string(let text) = member.value,
        let replica = StoreMetadata.replica(text)
      else { return nil }
      replicas[start] = replica
    }
    return StoreLanes(replicas, current: 0)
  }

  /// Returns the version hashes of all entities.
  static func hashes(_ models: [Model]) -> [String: String] {
    var hashes: [String: String] = [:]
    for model in models {
      for (name, hash) in model.versionHashes { hashes[name] = hash.description }
    }
    return hashes
  }
}
