import Rows

/// The base and the frozen changes of each store at one moment.
///
/// A step that calls code of the program compares them with the present ones afterwards. So it finds changes that were
/// frozen meanwhile, whoever froze them.
struct FrozenChanges {
  private struct Part {
    let state: StoreState
    let base: StoreBase
    let layers: [Layer]
  }

  private let parts: [Part]

  /// Records the present changes. Drafts that are not frozen are left out.
  init(_ states: [StoreState]) {
    parts = states.map { Part(state: $0, base: $0.base, layers: $0.pending) }
  }

  /// Whether each store still has the same base.
  var haveSameBases: Bool { parts.allSatisfy { $0.state.base.isSame(as: $0.base) } }

  /// Whether the stores still have the same frozen changes.
  ///
  /// - Parameter states: All stores that the context has read by now.
  func areSame(in states: [StoreState]) -> Bool {
    for part in parts where !part.state.pending.elementsEqual(part.layers, by: { $0.equals($1) }) {
      return false
    }
    if states.count <= parts.count { return true }
    return states.allSatisfy { state in
      state.pending.isEmpty || parts.contains { $0.state === state }
    }
  }
}

extension Layer {
  /// Whether another layer has the same blocks. Each save asks this several times, so no array is made.
  fileprivate func equals(_ other: Layer) -> Bool {
    entities.elementsEqual(other.entities) { one, another in
      one.put.blocks.elementsEqual(another.put.blocks, by: ===)
        && one.changed.blocks.elementsEqual(another.changed.blocks, by: ===)
        && one.removed.blocks.elementsEqual(another.removed.blocks, by: ===)
    }
  }
}
