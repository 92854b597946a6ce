import ObjectModel
import Rows

/// An entity of the new side with the entity of the old side that it continues. At least one of them exists.
struct EntityPair {
  let old: ComparedEntity?
  let new: ComparedEntity?
  /// The positions of the properties that both sides have in the same form.
  let shared: [BothSides<Int>]

  /// The name of the entity on the new side, or its old name if it was removed.
  var name: String { (new ?? old)!.name }

  /// Returns whether the old or the new name of the entity is one of the given names; `true` without names.
  func isNamed(in names: Set<String>?) -> Bool {
    guard let names else { return true }
    return [old?.name, new?.name].contains { $0.map(names.contains) ?? false }
  }

  subscript(side: ComparedSide) -> ComparedEntity? { side == .old ? old : new }

  /// Returns the entities of two sides that can have objects: first the entities of the new side in the order of
  /// their numbers, then the removed ones.
  ///
  /// Renamed entities and properties are found by their renaming identifiers (spec §2.5.3).
  static func all(_ stores: BothSides<ComparedStore>) -> [EntityPair] {
    let continuation = ModelContinuation(from: stores.old.model, to: stores.new.model)
    func entity(_ name: String, _ store: ComparedStore) -> ComparedEntity? {
      guard let entity = store.model[name], !entity.isAbstract, let layout = store.schema[name]
      else { return nil }
      return ComparedEntity(entity, layout, of: store)
    }
    var paired: Set<String> = []
    var pairs = stores.new.schema.layouts.compactMap { layout -> EntityPair? in
      guard let new = entity(layout.entity, stores.new) else { return nil }
      let old = continuation.entity(before: new.name).flatMap { entity($0.name, stores.old) }
      guard let old else { return EntityPair(old: nil, new: new, shared: []) }
      paired.insert(old.name)
      return EntityPair(old: old, new: new, shared: shared(old, new, continuation))
    }
    for layout in stores.old.schema.layouts where !paired.contains(layout.entity) {
      guard let old = entity(layout.entity, stores.old) else { continue }
      pairs.append(EntityPair(old: old, new: nil, shared: []))
    }
    return pairs
  }

  private static func shared(
    _ old: ComparedEntity, _ new: ComparedEntity, _ continuation: ModelContinuation
  ) -> [BothSides<Int>] {
    let former = formerPaths(of: new.name, continuation)
    return new.properties.indices.compactMap { index in
      guard let path = former[new.properties[index].name], let before = old.index(of: path) else {
        return nil
      }
      switch (old.properties[before].content, new.properties[index].content) {
      case (.value, .value), (.reference, .reference), (.list, .list):
        return BothSides(old: before, new: index)
      default: return nil
      }
    }
  }

  /// Returns the old paths of the properties that a new entity's properties continue, by their new paths.
  private static func formerPaths(
    of entity: String, _ continuation: ModelContinuation
  ) -> [String: String] {
    var paths: [String: String] = [:]
    func addParts(_ new: Attribute, _ path: String, _ old: Attribute, _ oldPath: String) {
      guard let type = continuation.new.composite(of: new),
        let before = continuation.old.composite(of: old)
      else { return }
      let attributes = ModelContinuation.attributes(of: type, before: before)
      for part in type.attributes {
        guard let former = attributes[part.name] else { continue }
        let (path, oldPath) = ("\(path).\(part.name)", "\(oldPath).\(former.name)")
        paths[path] = oldPath
        addParts(part, path, former, oldPath)
      }
    }
    for (name, old) in continuation.properties(of: entity).before {
      paths[name] = old.name
      if case .attribute(let old) = old,
        case .attribute(let new)? = continuation.new.property(name, of: entity)
      {
        addParts(new, name, old, old.name)
      }
    }
    return paths
  }
}
