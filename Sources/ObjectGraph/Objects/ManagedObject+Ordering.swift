import ObjectModel

// Places in ordered relationships.
extension ManagedObject {
  /// Puts an object at a place of an ordered relationship. One that is in it already moves there.
  ///
  ///     trip.insert(porto, into: Trip.stops, at: 0)
  ///
  /// - Precondition: The relationship is ordered, and the place is one of it, or the one behind the last.
  public final func insert<D: ManagedObject>(
    _ other: D, into name: ToManyName<D>, at index: Int
  ) {
    insert(CollectionOfOne(other), into: name, at: index)
  }

  /// Puts objects one behind another at a place of an ordered relationship. Those that are in it already
  /// move there.
  ///
  /// - Precondition: As for ``insert(_:into:at:)-(D,_,_)``.
  public final func insert<D: ManagedObject>(
    _ others: some Sequence<D>, into name: ToManyName<D>, at index: Int
  ) {
    let others = Array(others)
    change(name) { objects in
      let arriving = Set(others)
      objects.removeAll { arriving.contains($0) }
      requirePlace(index, within: 0..<objects.count + 1, of: name)
      objects.insert(contentsOf: others, at: index)
    }
  }

  /// Takes the object at a place out of an ordered relationship.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public final func remove<D: ManagedObject>(at index: Int, from name: ToManyName<D>) {
    let objects = self[name]
    requireOrder(of: name)
    requirePlace(index, within: 0..<objects.count, of: name)
    remove(objects[index], from: name)
  }

  /// Moves the object at one place of an ordered relationship to another: that is where it is then.
  ///
  /// - Precondition: The relationship is ordered and has such places.
  public final func move<D: ManagedObject>(
    in name: ToManyName<D>, from index: Int, to target: Int
  ) {
    change(name) { objects in
      for place in [index, target] {
        requirePlace(place, within: 0..<objects.count, of: name)
      }
      objects.insert(objects.remove(at: index), at: target)
    }
  }

  /// Puts an object in the place of the one that is there. One that is in the relationship already moves
  /// there.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public final func replace<D: ManagedObject>(
    at index: Int, in name: ToManyName<D>, with other: D
  ) {
    change(name) { objects in
      requirePlace(index, within: 0..<objects.count, of: name)
      let former = objects[index]
      if former === other { return }
      objects.removeAll { $0 === other }
      objects[objects.firstIndex(of: former)!] = other
    }
  }

  private final func change<D: ManagedObject>(
    _ name: ToManyName<D>, _ body: (inout [D]) -> Void
  ) {
    requireOrder(of: name)
    var objects = self[name].objects
    body(&objects)
    self[name] = RelatedObjects(objects)
  }

  private final func requireOrder<D: ManagedObject>(of name: ToManyName<D>) {
    let graph = source.entity.graph
    guard graph[name.name.description]?.relationship?.keepsOrder ?? false else {
      graph.refuse(name.name.description, as: "an ordered relationship")
    }
  }

  private final func requirePlace<D: ManagedObject>(
    _ index: Int, within places: Range<Int>, of name: ToManyName<D>
  ) {
    require(
      places.contains(index),
      """
      "\(name.name)" of \(self) has no place \(index): it leads to \(self[name].count) objects.
      """)
  }
}
