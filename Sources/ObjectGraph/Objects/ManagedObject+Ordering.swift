import ObjectModel

// Places in ordered relationships.
extension ManagedObject {
  /// Inserts an object at a place of an ordered relationship. A member moves there.
  ///
  ///     trip.insert(porto, into: Trip.stops, at: 0)
  ///
  /// - Precondition: The relationship is ordered and has the place, or the place is behind the last one.
  public final func insert<D: ManagedObject>(
    _ other: D, into name: ToManyName<D>, at index: Int
  ) {
    insert(CollectionOfOne(other), into: name, at: index)
  }

  /// Inserts objects one behind another at a place of an ordered relationship. Members move there.
  ///
  /// - Precondition: As for ``insert(_:into:at:)-(D,_,_)``.
  public final func insert<D: ManagedObject>(
    _ others: some Sequence<D>, into name: ToManyName<D>, at index: Int
  ) {
    let others = Array(others)
    let edit = OrderedEdit(object: self, name: name)
    edit.change { objects in
      let arriving = Set(others)
      objects.removeAll { arriving.contains($0) }
      edit.requirePlace(index, within: 0..<objects.count + 1)
      objects.insert(contentsOf: others, at: index)
    }
  }

  /// Removes the object at a place from an ordered relationship.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public final func remove<D: ManagedObject>(at index: Int, from name: ToManyName<D>) {
    let objects = self[name]
    let edit = OrderedEdit(object: self, name: name)
    edit.requireOrder()
    edit.requirePlace(index, within: 0..<objects.count)
    remove(objects[index], from: name)
  }

  /// Moves the object at one place of an ordered relationship to another place, where it is afterwards.
  ///
  /// - Precondition: The relationship is ordered and has such places.
  public final func move<D: ManagedObject>(
    in name: ToManyName<D>, from index: Int, to target: Int
  ) {
    let edit = OrderedEdit(object: self, name: name)
    edit.change { objects in
      for place in [index, target] {
        edit.requirePlace(place, within: 0..<objects.count)
      }
      objects.insert(objects.remove(at: index), at: target)
    }
  }

  /// Replaces the object at a place of an ordered relationship. A member moves there.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public final func replace<D: ManagedObject>(
    at index: Int, in name: ToManyName<D>, with other: D
  ) {
    let edit = OrderedEdit(object: self, name: name)
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
private struct OrderedEdit<D: ManagedObject> {
  let object: ManagedObject
  let name: ToManyName<D>

  /// Changes the members of the relationship, which must be ordered.
  func change(_ body: (inout [D]) -> Void) {
    requireOrder()
    var objects = object[name].objects
    body(&objects)
    object[name] = RelatedObjects(objects)
  }

  /// Stops the program unless the relationship is ordered.
  func requireOrder() {
    let graph = object.source.entity.graph
    guard graph[name.name.description]?.relationship?.keepsOrder ?? false else {
      graph.refuse(name.name.description, as: "an ordered relationship")
    }
  }

  /// Stops the program unless a place is in a range.
  func requirePlace(_ index: Int, within places: Range<Int>) {
    require(
      places.contains(index),
      """
      "\(name.name)" of \(object) has no place \(index): it leads to \(object[name].count) objects.
      """)
  }
}
