import ObjectModel
import Rows
import StoreInterface

/// The state that a workspace shows its children, and the pushes that it has not accepted yet.
struct PublishedState: Sendable {
  /// The state that children see, by store. Pushed changes are included from the moment of the push.
  var bases: [StoreTag: StoreBase] = [:]
  /// The pushes that the workspace has not accepted, the oldest first.
  var pushes: [Push] = []
  /// The generation to which the workspace and its children are pinned; `nil` if they are not pinned.
  var pinned: QueryGeneration?

  /// Publishes the state of the workspace, with the pushes on top that it has not accepted.
  mutating func publish(_ states: [StoreState]) {
    bases = Dictionary(states.map { ($0.tag, $0.shown) }, uniquingKeysWith: { $1 })
    for push in pushes { show(push) }
  }

  /// Adds the changes of a push on top of the published state.
  mutating func show(_ push: Push) {
    for part in push.parts where !part.changes.layer.isEmpty {
      bases[part.store.tag, default: part.changes.base].layers.append(part.changes.layer)
    }
  }
}

/// The changes that a child pushes to its parent.
final class Push: Sendable {
  struct Part: Sendable {
    let store: PersistentStore
    let changes: Changes
  }

  let parts: [Part]
  /// Whether the child has validated the changes.
  let isValidated: Bool
  /// The marks of the child.
  let marks: Marks

  init(_ parts: [Part], isValidated: Bool, marks: Marks) {
    self.parts = parts
    self.isValidated = isValidated
    self.marks = marks
  }
}
