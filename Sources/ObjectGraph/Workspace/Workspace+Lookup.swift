import ObjectModel
import Rows
import StoreInterface

// Finding objects by their identifiers.
extension Workspace {
  /// Returns the object with an identifier, without looking for it in the store.
  func object(with id: ObjectID) -> ManagedObject {
    checkPlace()
    do {
      if let state = try state(of: id.store),
        let object = object(at: id.key, in: state)
      {
        return object
      }
    } catch {
      misuse("The store of \(id.uri) can't be read: \(error)")
    }
    misuse("No store of the coordinator can contain the object \(id.uri).")
  }

  /// Returns the object with an identifier, which must exist.
  func existingObject(with id: ObjectID) throws -> ManagedObject {
    checkPlace()
    let known = drafts.state(of: id.store)
    guard let state = try known ?? state(of: id.store, reading: id.key),
      let object = object(at: id.key, in: state)
    else {
      throw ContextError(
        .noObject, "No store of the coordinator can contain the object \(id.uri).")
    }
    if object.source.isUnresolved {
      // A store that is read for the first time already shows its newest commit.
      if known != nil { try advance(state, reading: id.key) }
      try resolve(object, in: state)
    }
    guard !object.state.contains(.missing), !object.isDeleted else {
      throw ContextError(.noObject, "The object \(id.uri) does not exist.")
    }
    return object
  }
}
