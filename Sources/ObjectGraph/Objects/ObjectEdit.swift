package import ObjectModel

/// An edit of one object that changes only what differs.
///
/// An object that gets the values that it has is not changed, so a save does not write it.
package struct ObjectEdit {
  private let object: ManagedObject

  /// Creates an edit of an object.
  package init(_ object: ManagedObject) { self.object = object }

  /// Sets a value that many objects get, unless the object has it already.
  ///
  /// - Returns: Whether the value has changed.
  package func set(_ shared: SharedValue) throws -> Bool {
    guard object.storedValue(shared.hash, { shared.name }) != shared.value else { return false }
    try object.set(shared)
    return true
  }

  /// Sets the values of some attributes that differ from the object's values.
  ///
  /// - Returns: Whether a value has changed.
  package func set(_ values: [String: Value]) throws -> Bool {
    let different = values.filter { name, value in
      object.storedValue(PropertyHash.of(name), { name }) != value
    }
    guard !different.isEmpty else { return false }
    try object.setValues(different)
    return true
  }

  /// Replaces the members of a relationship, unless it has the same members, in the same order if it is ordered.
  ///
  /// - Returns: Whether the relationship has changed.
  package func set(_ members: [ManagedObject], forKey key: String) -> Bool {
    let present: [ManagedObject]
    switch object.value(forKey: key) {
    case let one as ManagedObject: present = [one]
    case let many as [ManagedObject]: present = many
    default: present = []
    }
    let isOrdered = object.source.entity.graph[key]?.relationship?.isOrdered ?? false
    let isSame = isOrdered ? present == members : Set(present) == Set(members)
    guard !isSame else { return false }
    object.setObjects(members, forKey: key)
    return true
  }
}
