import ObjectModel

/// The values and the related objects of a loose object: one that no context has inserted yet.
///
/// They are kept by the hashes of the properties' names, because a loose object has neither a store nor a row. An object
/// that is inserted gets a row with these values. Related objects retain one another until they are inserted.
final class LooseValues {
  private var values: [UInt64: Value] = [:]
  private var related: [UInt64: [ManagedObject]] = [:]

  var neighbors: [ManagedObject] { related.values.flatMap(\.self) }

  // MARK: Values

  /// Returns the value that was set for a property; `nil` if none was.
  func given(_ hash: UInt64) -> Value? { values[hash] }

  /// Returns the value of an attribute: the default if none was set.
  func value(_ hash: UInt64, of object: ManagedObject) -> Value {
    if let value = values[hash] { return value }
    let graph = object.source.entity.graph
    let code = graph.code(hash)
    guard code.form != .none else { return .null }
    switch graph.properties[Int(code.property)].place {
    case .attribute(let attribute, _), .transient(let attribute): return attribute.defaultValue
    default: return .null
    }
  }

  /// Sets the value of an attribute, or clears a relationship to one object.
  func set(
    _ value: Value, _ hash: UInt64, _ name: String, of object: ManagedObject
  ) -> ContextError? {
    let graph = object.source.entity.graph
    let code = graph.code(hash)
    guard code.form != .none else { return .unknownProperty(name, of: graph) }
    switch graph.properties[Int(code.property)].place {
    case .attribute(let attribute, _), .transient(let attribute):
      if attribute.derivation != nil { return .derived(name, of: graph) }
      guard attribute.type.accepts(value) else { return .wrongType(value, attribute, of: graph) }
      values[hash] = value
    case .toOne, .transientRelationship:
      guard value.isNull else { return .wrongDestination(name, of: graph) }
      relate([], hash, name, of: object)
    case .composite, .toMany, .fetched: return .notSingle(name, of: graph)
    }
    return nil
  }

  // MARK: Relationships

  /// Returns the objects that a relationship refers to.
  func objects(_ hash: UInt64) -> [ManagedObject] { related[hash] ?? [] }

  /// Replaces the members of a relationship among loose objects, and updates the inverse.
  func relate(_ others: [ManagedObject], _ hash: UInt64, _ name: String, of object: ManagedObject) {
    guard let relationship = object.source.entity.graph[name]?.relationship else {
      object.source.entity.graph.refuse(name, as: "a relationship")
    }
    var known: Set<ObjectIdentifier> = []
    let others = others.filter { known.insert(ObjectIdentifier($0)).inserted }
    let before = objects(hash)
    related[hash] = others.isEmpty ? nil : others
    guard let inverse = relationship.inverse else { return }
    let back = PropertyHash.of(inverse)
    for other in before where !known.contains(ObjectIdentifier(other)) {
      other.loose?.drop(object, back)
    }
    for other in others where !before.contains(where: { $0 === other }) {
      guard let values = other.loose else { continue }
      if other.source.entity.graph[inverse]?.relationship?.isToMany ?? false {
        values.related[back, default: []].append(object)
      } else {
        for former in values.objects(back) where former !== object {
          former.loose?.drop(other, hash)
        }
        values.related[back] = [object]
      }
    }
  }

  private func drop(_ object: ManagedObject, _ hash: UInt64) {
    related[hash]?.removeAll { $0 === object }
    if related[hash]?.isEmpty ?? false { related[hash] = nil }
  }

  /// Forgets the related objects, so that they do not retain one another any more.
  func forgetRelated() { related = [:] }
}
