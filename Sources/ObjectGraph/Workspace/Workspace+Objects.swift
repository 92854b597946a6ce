import ObjectModel
import Rows
import StoreInterface

// Finding objects.
extension Workspace {
  /// Returns the object with a key; `nil` if the store has no such entity.
  func object(at key: ObjectKey, in state: StoreState) -> ManagedObject? {
    guard let entity = state.entity(key.entity, self), key.number > 0 else { return nil }
    return entity.object(key.number)
  }

  /// Returns whether an object is neither deleted nor known to be missing. Does not look up the row of a fault.
  func isThere(_ object: ManagedObject) -> Bool {
    if !relationships.deletionsToPropagate.isEmpty { propagateDeletions() }
    return object.state.isDisjoint(with: [.deleted, .missing])
  }

  /// Returns the store state of an object's store.
  func state(of object: ManagedObject) -> StoreState? {
    drafts.state(of: object.source.entity.store)
  }

  /// Returns the objects with the given keys, made if they are not registered.
  func objects(at keys: [ObjectKey], in state: StoreState) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(keys.count)
    var entity: EntityState?
    for key in keys {
      if entity?.graph.number != key.entity { entity = state.entity(key.entity, self) }
      guard let entity else { continue }
      objects.append(entity.object(key.number))
    }
    return objects
  }

  /// Returns the entity state of a key, in the store of another entity state.
  func entityState(of key: ObjectKey, beside entity: EntityState) -> EntityState? {
    drafts.state(of: entity.store)?.entity(key.entity, self)
  }

  /// Returns the object with a key, if the context has read the store before.
  func object(at key: ObjectKey, in store: PersistentStore) -> ManagedObject? {
    drafts.state(of: store).flatMap { object(at: key, in: $0) }
  }

  /// Stops the program if an object belongs to another context.
  func requireOwn(_ object: ManagedObject) {
    require(
      !object.state.contains(.loose),
      "\(object) was given to \(label). Insert it first: context.insert(object).")
    guard object.withEntity({ $0.belongs(to: self) }) else {
      misuse(
        """
        \(object) belongs to \(object.source.entity.workspace?.label ?? "a deallocated context") but was \
        given to \(label). Ask this context for its own object: context.object(with: object.objectID).
        """)
    }
  }

  /// The name of the context in messages.
  var label: String { settings.name.map { "the context \"\($0)\"" } ?? "a context without a name" }
}

// Reading and changing one object.
extension Workspace {
  /// Looks up the row of a fault, and calls `awakeFromFetch()` before the first use.
  func realize(_ object: ManagedObject) {
    lookUp(object)
    if !object.state.contains(.realized) { object.awake() }
  }

  /// Returns whether an object exists. Looks up the row of a fault.
  func exists(_ object: ManagedObject) -> Bool {
    lookUp(object)
    return isAlive(object)
  }

  /// Looks up the row of an object that was not looked up yet.
  func lookUp(_ object: ManagedObject) {
    guard object.source.isUnresolved, let state = state(of: object) else { return }
    do { try resolve(object, in: state) } catch { record(error) }
  }

  /// Looks up an object's row and points the object to it.
  func resolve(_ object: ManagedObject, in state: StoreState) throws {
    let entity = object.source.entity
    // For most objects, no table above the row has an entry.
    let tables = state.tables
    for index in tables.indices.reversed() {
      switch try tables[index].entry(of: object.key) {
      case .absent: continue
      case .put(let location):
        recordFound(object)
        return object.point(
          to: try entity.source(of: location.block, index, in: tables), row: location.row)
      case .changed, .removed: break
      }
      break
    }
    let found = try View(tables).rows(of: [object.key.number], entity.graph.layout)
    guard let place = found.rows.first else {
      object.state.insert(.missing)
      return
    }
    recordFound(object)
    object.point(to: entity.source(of: found.blocks[place.block]), row: place.row)
  }

  /// Clears the missing state of an object that another context has restored, unless the object has left this context.
  func recordFound(_ object: ManagedObject) {
    if object.state.contains(.missing), !object.state.contains(.detached) {
      object.state.subtract([.missing, .deleted])
    }
  }

  /// Returns a source with a writable row of the object; `nil` if the object is deleted or missing.
  func beginChange(of object: ManagedObject) -> RowSource? {
    if object.source.isOpen { return object.source }
    realize(object)
    guard object.state.isDisjoint(with: [.missing, .deleted]) else { return nil }
    // `awakeFromFetch()` may have changed the object.
    if object.source.isOpen { return object.source }
    do {
      // After many saves of an object its values are in many sources. A new look-up finds them in one row.
      if object.source.depth > Workspace.mostSources, !object.source.isPending,
        let state = state(of: object)
      {
        try resolve(object, in: state)
      }
      let source = try object.source.entity.beginChange(of: object)
      drafts.recordTouched(object)
      return source
    } catch {
      record(error)
      return nil
    }
  }

  /// The most sources that the values of an object may be in. A read walks through all of them, and a look-up takes as
  /// long as several saves of one object.
  private static let mostSources = 12

  /// Points an object to the values that it showed before it was changed.
  func leadBack(_ object: ManagedObject) {
    if let place = object.committedPlace {
      object.point(to: place.source, row: place.row)
    } else {
      object.point(to: object.source.entity.unresolved, row: 0)
    }
    // Another save may have deleted the object meanwhile.
    if object.source.isUnresolved, !exists(object) { object.state.insert(.deleted) }
  }
}

extension ManagedObject {
  /// The place of the object's values that were saved last; `nil` if none were saved.
  final var committedPlace: (source: RowSource, row: Int)? {
    var source = source
    var row = Int(row)
    while source.isPending {
      guard let below = source.below(row) else { return nil }
      (source, row) = below
    }
    return source.isUnresolved ? nil : (source, row)
  }
}
