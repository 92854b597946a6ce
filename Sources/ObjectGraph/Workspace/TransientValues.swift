import ObjectModel

/// The value of a transient property.
enum TransientValue: Sendable, Equatable {
  /// The value of an attribute.
  case value(Value)
  /// The objects that a relationship leads to, in order.
  case objects([ObjectID])
}

/// Changed values of transient properties, by object and by the position of the property in the entity; `nil` for a value
/// that was removed.
typealias TransientChanges = [ObjectKey: [Int: TransientValue?]]

/// The values of transient properties in one context, by object. No store contains them.
struct TransientValues {
  /// The values, by object and by the position of the property in the entity.
  var values: [ObjectID: [Int: TransientValue]] = [:]
  /// The objects whose values are kept when the object is evicted.
  ///
  /// Values set in `awakeFromFetch()` are not kept: the next fault sets them again.
  var retainedOwners: Set<ObjectID> = []
  /// The properties that were set since the last push to the parent context, by object.
  var unpushed: [ObjectID: Set<Int>] = [:]

  /// Drops the values of an object.
  mutating func remove(_ id: ObjectID) {
    values[id] = nil
    retainedOwners.remove(id)
    unpushed[id] = nil
  }

  /// Drops the values of evicted objects, except the values that must be kept.
  mutating func evict(unless isKnown: (ObjectID) -> Bool) {
    if values.isEmpty { return }
    values = values.filter { retainedOwners.contains($0.key) || isKnown($0.key) }
  }
}

extension Workspace {
  // These accessors yield, so that values are changed in place.

  /// The values of transient properties.
  var transientValues: [ObjectID: [Int: TransientValue]] {
    _read { yield transients.values }
    _modify { yield &transients.values }
  }
  /// The objects whose transient values are kept when the object is evicted.
  var lastingTransients: Set<ObjectID> {
    _read { yield transients.retainedOwners }
    _modify { yield &transients.retainedOwners }
  }
  /// The transient properties that were set since the last push to the parent context, by object.
  var freshTransients: [ObjectID: Set<Int>] {
    _read { yield transients.unpushed }
    _modify { yield &transients.unpushed }
  }

  /// Returns the value of a transient property; `nil` if it was not set.
  func transientValue(of object: ManagedObject, _ property: Int) -> TransientValue? {
    transients.values[object.objectID]?[property]
  }

  /// Sets a transient property of an object.
  func setTransientValue(_ value: TransientValue, of object: ManagedObject, _ property: Int) {
    // A value set in `awakeFromFetch()` is no change: the next fault sets it again.
    restoreTransientValue(
      value, of: object.objectID, property, isLasting: !object.state.contains(.awaking))
  }

  /// Drops the transient values of an object.
  func forgetTransientValues(of id: ObjectID) { transients.remove(id) }
}
