public import ObjectModel

/// The numbers that tables know a model's entities by: the column `Z_ENT` (spec §10.3.1).
public struct EntityNumbers: Sendable, Hashable {
  /// The number of each entity, by its name.
  public let byName: [String: Int64]

  /// Numbers that somebody kept.
  public init(byName: [String: Int64]) { self.byName = byName }

  /// The numbers that a model gives by itself: from 1, depth first, siblings in the order of their names, case aside.
  public init(_ model: Model) {
    var byName: [String: Int64] = [:]
    var waiting =
      EntityNumbers.sorted(model.entities.filter { $0.superentity == nil }).reversed()
      as [Entity]
    while let entity = waiting.popLast() {
      byName[entity.name] = Int64(byName.count + 1)
      waiting += EntityNumbers.sorted(model.subentities(of: entity.name)).reversed()
    }
    self.byName = byName
  }

  private static func sorted(_ entities: [Entity]) -> [Entity] {
    entities.map { ($0.name.lowercased(), $0) }
      .sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }
      .map(\.1)
  }

  /// The entity's number.
  public subscript(entity: String) -> Int64? { byName[entity] }

  /// The entities' names in the order of their numbers.
  public var names: [String] { byName.sorted { $0.value < $1.value }.map(\.key) }
}
