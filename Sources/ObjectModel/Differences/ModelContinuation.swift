/// The continuation of an older model's parts by a newer model's parts (spec §2.5.3). It is needed to migrate
/// objects from one model to the other.
///
///     let continuation = ModelContinuation(from: old, to: new)
///     continuation.entity(before: "Journey")?.name            // Trip
///     continuation.properties(of: "Journey").before["title"]  // the attribute that was called name
public struct ModelContinuation: Sendable {
  public let old: Model
  public let new: Model
  /// The entities of the older model that no entity of the newer model continues, in the order of its source.
  public let removedEntities: [String]
  private let oldNames: [String: String]
  private let newNames: [String: String]

  public init(from old: Model, to new: Model) {
    self.old = old
    self.new = new
    let match = RenamingMatch(
      old: old.entities.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) },
      new: new.entities.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    var oldNames: [String: String] = [:]
    var newNames: [String: String] = [:]
    for (index, position) in match.oldPositions.enumerated() {
      guard let position else { continue }
      oldNames[new.entities[index].name] = old.entities[position].name
      newNames[old.entities[position].name] = new.entities[index].name
    }
    self.oldNames = oldNames
    self.newNames = newNames
    removedEntities = match.removed.map { old.entities[$0].name }
  }

  /// Returns the old entity that a new entity continues.
  public func entity(before name: String) -> Entity? { oldNames[name].flatMap { old[$0] } }

  /// Returns the new entity that continues an old entity.
  public func entity(after name: String) -> Entity? { newNames[name].flatMap { new[$0] } }

  /// The continuation of an entity's properties.
  public struct Properties: Sendable {
    /// The old properties that the new entity's properties continue, by the new names.
    public var before: [String: Property] = [:]
    /// The old properties that no new property continues.
    public var removed: [Property] = []
  }

  /// Returns the continuation of all properties of a new entity's objects, at any level of inheritance in either
  /// model. If the entity itself is new, so are all of its properties.
  public func properties(of name: String) -> Properties {
    guard let before = entity(before: name) else { return Properties() }
    let old = old.properties(of: before.name)
    let new = new.properties(of: name)
    let match = RenamingMatch(
      old: old.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) },
      new: new.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    var properties = Properties()
    for (index, position) in match.oldPositions.enumerated() {
      if let position { properties.before[new[index].name] = old[position] }
    }
    properties.removed = match.removed.map { old[$0] }
    return properties
  }

  /// Returns the attributes of the older type that a composite type's attributes continue, by the new names.
  public static func attributes(
    of type: CompositeType, before: CompositeType
  ) -> [String: Attribute] {
    let match = RenamingMatch(
      old: before.attributes.map {
        .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
      },
      new: type.attributes.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    var attributes: [String: Attribute] = [:]
    for (index, position) in match.oldPositions.enumerated() {
      if let position { attributes[type.attributes[index].name] = before.attributes[position] }
    }
    return attributes
  }
}
