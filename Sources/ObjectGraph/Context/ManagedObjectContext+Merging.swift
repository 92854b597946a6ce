package import ObjectModel
package import StoreInterface

extension ManagedObjectContext {
  /// Puts the result of a merge on top of the context's changes. The next save validates and saves the result.
  ///
  /// - Parameter lanes: The lanes of the other copy, whose objects keep their numbers; `nil` if it has none.
  /// - Throws: The errors of a damaged store.
  package func take(
    _ merged: MergedChanges, of store: StoreTag, lanes: StoreLanes? = nil
  ) throws {
    try take([store: merged.layer])
    if let lanes { workspace.drafts.state(of: store)?.mergedLanes = lanes }
    func object(_ key: ObjectKey) -> ManagedObject? {
      let object = try? existingObject(with: ObjectID(store: store, key: key))
      return object?.isDeleted == true ? nil : object
    }
    for reference in merged.deleted {
      // If the object has another owner meanwhile, it stays.
      guard let object = object(reference.object), object.value(forKey: reference.property) == nil
      else { continue }
      delete(object)
    }
    for list in merged.lists {
      guard let owner = object(list.owner),
        let members = owner.value(forKey: list.relationship) as? [ManagedObject]
      else { continue }
      let keys = members.map(\.objectID.key)
      let arranged = list.arranged(keys)
      if arranged == keys { continue }
      let byKey = Dictionary(zip(keys, members)) { first, _ in first }
      owner.setObjects(arranged.compactMap { byKey[$0] }, forKey: list.relationship)
    }
  }
}
