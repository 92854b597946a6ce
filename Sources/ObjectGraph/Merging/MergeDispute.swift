package import ObjectModel
import Synchronization

/// Changes of two copies of a store that can't both be kept.
package struct MergeDispute {
  package enum Kind: String {
    /// Both sides have set a value or a reference to different values.
    case value
    /// One side has deleted the object, and the other side has changed it or refers to it again.
    case deletion
    /// Both sides have changed the order of a relationship.
    case order
  }

  package let kind: Kind
  /// The object, with the key that it has in the copy that receives the changes.
  package let object: ObjectKey
  package let entity: String
  /// The property; `nil` for a deletion.
  package let property: String?
  package let base: State
  package let ours: State
  package let theirs: State

  /// The state of a property or an object on one side.
  package enum State {
    /// The object does not exist.
    case missing
    case value(Value)
    /// The members of an ordered relationship that both sides have.
    case order([ObjectKey])
    /// The object as a whole, with its changes since the base.
    case object(changes: [(property: String, base: Value, value: Value)], references: [Reference])
  }

  /// A new reference to the object.
  package struct Reference {
    /// The object with the reference.
    package let object: ObjectKey
    /// The relationship of that object.
    package let property: String
  }
}

/// The conflicts that a policy has been asked about.
final class FoundConflicts: Sendable {
  private let conflicts = Mutex<[MergeConflict]>([])

  var all: [MergeConflict] { conflicts.withLock { $0 } }

  func append(_ conflict: MergeConflict) { conflicts.withLock { $0.append(conflict) } }
}

/// The choices between the values of two sides, as a merge policy. The policy's stored values are the values of the copy
/// that receives the changes.
struct MergeChoice: Sendable {
  struct Place: Hashable {
    let object: ObjectKey
    let property: String

    init(_ object: ObjectKey, _ property: String) {
      (self.object, self.property) = (object, property)
    }
  }

  let sides: [Place: MergeSide]
  /// The names of the columns with places in ordered relationships, by entity.
  let orderKeys: [String: Set<String>]
  /// The objects that this copy has deleted and that are restored. Their references to objects that this copy has
  /// disconnected are cleared, which is not a change of its own.
  let restored: Set<ObjectKey>

  var policy: MergePolicy { .custom { resolution(of: $0) } }

  private func resolution(of conflict: MergeConflict) -> MergeResolution {
    guard let mine = conflict.mine else { return .delete }
    guard let stored = conflict.theirs else { return .keepStored }
    let contested = Set(MergeChoice.contestedKeys(conflict, orderKeys))
    var values: [String: Value] = [:]
    for (key, value) in mine where !conflict.derivedKeys.contains(key) {
      let before = conflict.base?[key]
      if contested.contains(key) {
        let isRestored = restored.contains(conflict.object.key)
        switch sides[Place(conflict.object.key, key)] ?? (isRestored ? .theirs : .ours) {
        case .theirs: values[key] = value
        case .base: if let before { values[key] = before }
        case .ours: continue
        }
      } else if let before {
        guard !value.isIdentical(to: before) else { continue }
        // Different places are merged with the whole list.
        let isOurs = stored[key].map { !$0.isIdentical(to: before) } ?? false
        if !isOurs { values[key] = value }
      } else if stored[key]?.isNull ?? true {
        values[key] = value
      }
    }
    return .save(values)
  }

  /// Returns the names of the values that both sides have set to different values, without places. If both sides have
  /// inserted the object, a missing value of one side is in no conflict.
  static func contestedKeys(
    _ conflict: MergeConflict, _ orderKeys: [String: Set<String>]
  ) -> [String] {
    conflict.contestedKeys.filter { key in
      if orderKeys[conflict.entity]?.contains(key) ?? false { return false }
      guard conflict.base == nil else { return true }
      return [conflict.mine, conflict.theirs].allSatisfy { $0?[key]?.isNull == false }
    }
  }
}
