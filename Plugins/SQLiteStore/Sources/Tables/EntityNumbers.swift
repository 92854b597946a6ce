package import ObjectModel

/// The numbers of a model's entities in tables: the values of the column `Z_ENT` (spec §10.3.1).
package struct EntityNumbers: Sendable, Hashable {
  /// The number of each entity, by its name.
  package let byName: [String: Int64]

  /// Creates numbers that were stored before.
  package init(byName: [String: Int64]) { self.byName = byName }

  /// Numbers a model's entities from 1: depth first, siblings in the order of their names without regard to case.
  package init(_ model: Model) {
    byName = Dictionary(
      uniqueKeysWithValues: model.entitiesDepthFirst.enumerated().map { ($1.name, Int64($0 + 1)) })
  }

  package subscript(entity: String) -> Int64? { byName[entity] }

  /// The entities' names in the order of their numbers.
  package var names: [String] { byName.sorted { $0.value < $1.value }.map(\.key) }
}
