import ObjectModel

// Positions in ordered relationships.
extension ManagedObject {
  /// Inserts an object at a position of an ordered relationship. An object that is a member already is moved there.
  ///
  /// - Precondition: The relationship is ordered, and the position is at most the number of members.
  public final func insert(_ other: ManagedObject, into key: String, at index: Int) {
    insert(CollectionOfOne(other), into: key, at: index)
  }

  /// Inserts objects one behind another at a position of an ordered relationship. Objects that are members already are
  /// moved there.
  ///
  /// - Precondition: As for ``insert(_:into:at:)-(ManagedObject,_,_)``.
  public final func insert(
    _ others: some Sequence<ManagedObject>, into key: String, at index: Int
  ) {
    let others = Array(others)
    let edit = OrderedEdit(object: self, key: key)
    edit.change { objects in
      let arriving = Set(others)
      objects.removeAll { arriving.contains($0) }
      edit.requirePlace(index, within: 0..<objects.count + 1)
      objects.insert(contentsOf: others, at: index)
    }
  }

  /// Removes the object at a position from an ordered relationship.
  ///
  /// - Precondition: The relationship is ordered and has a member at this position.
  public final func remove(at index: Int, from key: String) {
    let edit = OrderedEdit(object: self, key: key)
    edit.requireOrder()
    let objects = objects(forKey: key)
    edit.requirePlace(index, within: 0..<objects.count)
    remove(objects[index], from: key)
  }

  /// Moves the object at one position of an ordered relationship to another position.
  ///
  /// - Parameter target: The position of the object after the move.
  /// - Precondition: The relationship is ordered and has members at both positions.
  public final func move(in key: String, from index: Int, to target: Int) {
    let edit = OrderedEdit(object: self, key: key)
    edit.change { objects in
      for place in [index, target] {
        edit.requirePlace(place, within: 0..<objects.count)
      }
      objects.insert(objects.remove(at: index), at: target)
    }
  }

  /// Replaces the object at a position of an ordered relationship. A replacement that is a member already is moved
  /// there.
  ///
  /// - Precondition: The relationship is ordered and has a member at this position.
  public final func replace(at index: Int, in key: String, with other: ManagedObject) {
    let edit = OrderedEdit(object: self, key: key)
    edit.change { objects in
      edit.requirePlace(index, within: 0..<objects.count)
      let former = objects[index]
      if former === other { return }
      objects.removeAll { $0 === other }
      objects[objects.firstIndex(of: former)!] = other
    }
  }
}

/// A change of the order of one relationship.
private struct OrderedEdit {
  let object: ManagedObject
  let key: String

  /// Changes the members of the relationship, which must be ordered.
  func change(_ body: (inout [ManagedObject]) -> Void) {
    requireOrder()
    var objects = object.objects(forKey: key).objects
    body(&objects)
    object.setObjects(objects, forKey: key)
  }

  /// Stops the program unless the relationship is ordered.
  func requireOrder() {
    let graph = object.source.entity.graph
    guard graph[key]?.relationship?.keepsOrder ?? false else {
      graph.refuse(key, as: "an ordered relationship")
    }
  }

  /// Stops the program unless a position is in a range.
  func requirePlace(_ index: Int, within places: Range<Int>) {
    require(
      places.contains(index),
      """
      "\(key)" of \(object) has no index \(index): it refers to \(object.count(forKey: key)) objects.
      """)
  }
}
