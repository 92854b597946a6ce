import ObjectModel
import Rows

/// The relationship under which links stand in the identity of a version (spec §7.7.9).
///
/// Which of two relationships leads from the source of a link to the target is a choice of the writer, and the identity must
/// not depend on it.
struct LinkName {
  /// The name of the entity that declares the relationship, a full stop, and the name of the relationship.
  let text: String
  private let isTurned: Bool
  private let isOwnInverse: Bool

  init(_ table: LinkTable, _ schema: Schema, _ model: Model) {
    let forward = LinkName.name(of: table.forward, schema, model) ?? table.layout.entity
    let backward = table.backward.flatMap { LinkName.name(of: $0, schema, model) }
    isOwnInverse = table.backward == table.forward
    isTurned = backward.map { $0.utf8 < forward.utf8 } ?? false
    text = isTurned ? backward ?? forward : forward
  }

  private static func name(
    of end: LinkTable.End, _ schema: Schema, _ model: Model
  ) -> String? {
    let entities = end.entities.compactMap { number in schema[number]?.entity }
    let declaring = entities.first { entity in
      model[entity]?.superentity.map { !entities.contains($0) } ?? true
    }
    guard let declaring,
      let name = schema.relationshipNumbers[declaring]?
        .first(where: { $0.value == end.relationship })?.key
    else { return nil }
    return "\(declaring).\(name)"
  }

  /// Returns the values of a link as the relationship sees them.
  func ends(_ words: [String: String]) -> [String: String] {
    var turns = isTurned
    if isOwnInverse, let source = words["source"], let target = words["target"] {
      turns = target.utf8 < source.utf8
    }
    guard turns else { return words }
    let others = [
      "source": "target", "target": "source", "source#order": "target#order",
      "target#order": "source#order",
    ]
    return Dictionary(
      words.map { (others[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { one, _ in one })
  }
}
