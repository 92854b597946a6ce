import ObjectModel

/// The value of a transient property.
enum TransientValue: Sendable, Equatable {
  /// The value of an attribute.
  case value(Value)
  /// The objects that a relationship refers to, in order.
  case objects([ObjectID])
}

/// Changed values of transient properties, by object and by the position of the property in the entity; `nil` for a value
/// that was removed.
typealias TransientChanges = [ObjectKey: [Int: TransientValue?]]

/// The values of transient properties in one context. No store contains them.
struct TransientValues {
  private struct Values {
    /// The values, by the position of the property in the entity.
    var values: [Int: TransientValue] = [:]
    /// Whether the values are kept when the object is evicted.
    ///
    /// Values set in `awakeFromFetch()` are not kept: the next fault sets them again.
    var isRetained = false
    /// The properties that were set since the last push to the parent context.
    var unpushed: Set<Int> = []
  }

  private var objects: [ObjectID: Values] = [:]

  /// The number of objects with values.
  var count: Int { objects.count }

  /// The value of a property; `nil` if it was not set.
  subscript(id: ObjectID, property: Int) -> TransientValue? { objects[id]?.values[property] }

  /// Returns the values of an object, by the position of the property in the entity.
  func values(of id: ObjectID) -> [Int: TransientValue] { objects[id]?.values ?? [:] }

  /// Sets or removes a value.
  ///
  /// - Parameters:
  ///   - isRetained: Whether the object's values are kept from now on when the object is evicted.
  ///   - isPushed: Whether the next push to the parent context contains the value.
  mutating func set(
    _ value: TransientValue?, of id: ObjectID, _ property: Int, isRetained: Bool, isPushed: Bool
  ) {
    func change(_ values: inout Values) {
      values.values[property] = value
      if isRetained { values.isRetained = true }
      if isPushed { values.unpushed.insert(property) }
    }
    change(&objects[id, default: Values()])
  }

  /// Returns the values that an object has received since the last push to the parent context, `nil` for a value that
  /// was removed.
  func unpushed(of id: ObjectID) -> [Int: TransientValue?] {
    guard let values = objects[id] else { return [:] }
    return Dictionary(uniqueKeysWithValues: values.unpushed.map { ($0, values.values[$0]) })
  }

  /// Records that the parent context has the values of some objects.
  mutating func recordPushed(_ pushed: [ManagedObject]) {
    if objects.isEmpty { return }
    for object in pushed { objects[object.objectID]?.unpushed = [] }
  }

  /// Drops the values of an object.
  mutating func remove(_ id: ObjectID) {
    if !objects.isEmpty { objects[id] = nil }
  }

  mutating func removeAll() { objects = [:] }

  /// Drops the values of evicted objects, except the values that must be kept.
  mutating func evict(unless isKnown: (ObjectID) -> Bool) {
    if objects.isEmpty { return }
    objects = objects.filter { $0.value.isRetained || isKnown($0.key) }
  }
}

extension Workspace {
  /// Returns the value of a transient property; `nil` if it was not set.
  func transientValue(of object: ManagedObject, _ property: Int) -> TransientValue? {
    transients[object.objectID, property]
  }

  func setTransientValue(_ value: TransientValue, of object: ManagedObject, _ property: Int) {
    // A value set in `awakeFromFetch()` is not a change: the next fault sets it again.
    restoreTransientValue(
      value, of: object.objectID, property, isLasting: !object.state.contains(.awaking))
  }
}
