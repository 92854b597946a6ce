import Comparison
import JSONText
import ObjectModel
import Rows
import StoreInterface

/// A transaction in a store's log of changes, as `quire history` prints it. The log has no values but those of deleted
/// objects that the model preserves.
struct LoggedVersion: ShownChange {
  private let changes: [LoggedChange]
  private let schema: Schema
  private let model: Model

  init(_ changes: [LoggedChange], _ schema: Schema, _ model: Model) {
    self.model = model
    self.changes = changes.sorted { $0.object < $1.object }
    self.schema = schema
  }

  var counts: VersionCounts? {
    var counts = VersionCounts()
    for change in changes { counts.add(change.kind) }
    return counts
  }

  /// None, because a log does not contain the models of its transactions.
  var modelChanges: [ModelDifference.Change] { [] }

  private func entity(_ change: LoggedChange) -> String {
    schema[change.object.entity]?.entity ?? ""
  }

  private func precision(of property: String, _ change: LoggedChange) -> Attribute.Precision? {
    model.precision(of: property, of: entity(change))
  }

  private func id(_ change: LoggedChange) -> Value {
    .object(change.object)
  }

  func forEachLine(_ text: DiffText, _ body: (String) throws -> Void) throws {
    for change in changes {
      let values = change.tombstone.sorted { $0.key < $1.key }
      try body(
        text.line(
          change.kind.shown, "\(entity(change)) \(Wording.text(id(change)))",
          values.isEmpty
            ? change.properties
            : values.map { "\($0.key) \(text.text($0.value, precision(of: $0.key, change)))" }))
    }
  }

  func forEachJSON(_ body: (JSON) throws -> Void) throws {
    for change in changes {
      let values = change.tombstone.sorted { $0.key < $1.key }
      try body(
        .object([
          "change": .string(change.kind.shown.rawValue), "entity": .string(entity(change)),
          "id": ValueText.exchange.json(id(change)),
          "changedProperties": change.kind == .update
            ? .array(change.properties.map(JSON.string)) : nil,
          "properties": .members(
            values.map {
              JSON.Member(
                name: $0.key,
                value: .object([
                  "old": ValueText.exchange.json($0.value, precision(of: $0.key, change))
                ]))
            }
          ),
        ]))
    }
  }
}

extension LoggedChange.Kind {
  /// The kind as `quire diff` names it.
  fileprivate var shown: ObjectChange.Kind {
    switch self {
    case .insert: .inserted
    case .update: .changed
    case .delete: .deleted
    }
  }
}
