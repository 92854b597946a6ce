package import JSONText
import ObjectModel
import Rows
import StoreInterface

/// Writes the changes from one document or store to another as a patch (spec §13).
package struct PatchWriter {
  private let writeLine: (JSON) throws -> Void

  /// - Parameter writeLine: Writes one line.
  package init(writeLine: @escaping (JSON) throws -> Void) { self.writeLine = writeLine }

  /// Writes a patch.
  ///
  /// - Parameter parts: The stores; the base of each is the side that receives the changes.
  /// - Returns: Whether the patch has any change.
  package func write(_ parts: [MergePart], _ choices: MatchChoices) throws -> Bool {
    try write(parts, parts.map { try MergeTranslation($0, choices, renumbers: true).layers() })
  }

  /// Writes a patch of changes that are known.
  ///
  /// - Parameters:
  ///   - parts: The stores; `ours` of each is the old state, and `theirs` the new one.
  ///   - layers: The changes of each store.
  /// - Returns: Whether the patch has any change.
  package func write(_ parts: [MergePart], _ layers: [MergeLayers]) throws -> Bool {
    try writeLine(PatchHeader.json(parts.map(\.ours.model), lanes(parts, layers)))
    var hasChanges = false
    for (part, layers) in zip(parts, layers) {
      for entity in PatchEntity.all(part.ours) {
        for one in try layers.theirs.entries(ofEntity: entity.layout.entityNumber) {
          guard let line = try line(one, entity, part) else { continue }
          try writeLine(line)
          hasChanges = true
        }
      }
    }
    return hasChanges
  }

  /// Returns the lanes of the identifiers of all inserted and deleted objects.
  private func lanes(_ parts: [MergePart], _ layers: [MergeLayers]) throws -> StoreLanes {
    var replicas: [UInt64: UInt64] = [:]
    for (part, layers) in zip(parts, layers) {
      for entity in PatchEntity.all(part.ours) where !entity.isLinks {
        for one in try layers.theirs.entries(ofEntity: entity.layout.entityNumber) {
          let store: ComparedStore
          switch one.entry {
          case .put: store = part.theirs
          case .removed: store = part.ours
          case .changed, .absent: continue
          }
          let lane = store.lanes.lane(of: one.key)
          if let replica = lane.replica { replicas[lane.start] = replica }
        }
      }
    }
    return StoreLanes(replicas, current: 0)
  }

  /// Returns the line of a row; `nil` if only derived values differ.
  private func line(
    _ one: KeyedEntry, _ entity: PatchEntity, _ part: MergePart
  ) throws -> JSON? {
    let key = ObjectKey(entity: entity.layout.entityNumber, number: one.key)
    let before = try part.ours.view.row(of: key)
    let change: String
    let after: RowLocation?
    switch one.entry {
    case .put(let location):
      (change, after) = (before == nil ? "inserted" : "changed", location)
    case .changed(let location): (change, after) = ("changed", location)
    case .removed where before != nil: (change, after) = ("deleted", nil)
    case .removed, .absent: return nil
    }
    var properties: [JSON.Member] = []
    var ends: [JSON] = []
    for property in entity.properties {
      let column = entity.layout.columns[property.column]
      let old = try before?.value(column)
      let new = try after?.block.value(column, row: after!.row)
      if entity.isLinks, property.column < 2 {
        ends.append(json(new ?? old ?? .null))
        continue
      }
      let values: JSON
      switch change {
      case "inserted":
        guard let new, !new.isNull else { continue }
        values = .object(["new": json(new)])
      case "changed":
        guard let new, !new.isIdentical(to: old ?? .null) else { continue }
        values = .object(["old": json(old ?? .null), "new": json(new)])
      default:
        guard let old, !old.isNull else { continue }
        values = .object(["old": json(old)])
      }
      properties.append(JSON.Member(name: property.name, value: values))
    }
    if change == "changed", properties.isEmpty { return nil }
    return .object([
      "change": .string(change), "store": part.name.map(JSON.string),
      entity.isLinks ? "links" : "entity": .string(entity.name),
      "id": entity.isLinks ? nil : .string(ValueText.text(key)),
      "ends": entity.isLinks ? .array(ends) : nil,
      "properties": entity.isLinks && properties.isEmpty ? nil : .members(properties),
    ])
  }

  private func json(_ value: Value) -> JSON { ValueText.exchange.json(value) }
}
