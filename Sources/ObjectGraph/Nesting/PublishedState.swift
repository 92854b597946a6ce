import ObjectModel
import Rows
import StoreInterface

/// The state that a workspace shows its children, and the pushes of children that it has not taken yet.
struct PublishedState: Sendable {
  /// The state that children see, by store: pushed changes included, from the moment they are pushed.
  var bases: [StoreTag: StoreBase] = [:]
  /// The pushes that the workspace has not taken, the oldest first.
  var pushes: [Push] = []
  /// The generation that the workspace is pinned to, and its children with it.
  var pinned: QueryGeneration?

  /// Shows the state of the workspace. Pushes that it has not taken stay on top.
  mutating func publish(_ own: [StoreTag: StoreBase]) {
    bases = own
    for push in pushes { show(push) }
  }

  /// Shows a push on top.
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
  /// The transient values that the child has set; `nil` for a value that it has forgotten.
  let transients: [(ObjectID, [Int: TransientValue?])]
  /// Whether the child has checked the changes.
  let isValidated: Bool

  init(_ parts: [Part], transients: [(ObjectID, [Int: TransientValue?])], isValidated: Bool) {
    self.parts = parts
    self.transients = transients
    self.isValidated = isValidated
  }
}
