import ObjectModel
public import ObjectQuery

// Snapshots in the turn of the context.
extension ManagedObjectContext {
  /// Returns the snapshots of the objects that a request finds, in its order, and makes no objects.
  ///
  ///     let trips: [Trip.Snapshot] = try context.fetchSnapshots(Trip.where { $0.start > .now })
  ///     let full = try context.fetchSnapshots(Trip.all, as: Trip.Snapshot.self, including: \.stops)
  ///
  /// Unsaved changes are included unless the request excludes them. Use it for values that leave the context, as the
  /// answers of a server do; fetch objects to change them.
  ///
  /// - Parameters:
  ///   - type: The type of the snapshots.
  ///   - paths: The relationships whose objects the snapshots contain with their values.
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  @inlinable
  public func fetchSnapshots<S: EntitySnapshot>(
    _ request: FetchRequest<S.ManagedClass>, as type: S.Type = S.self,
    including paths: PartialKeyPath<S.ManagedClass>...
  ) throws -> [S] {
    try fetchSnapshots(request, as: type, including: SnapshotPaths(paths))
  }

  /// Returns the snapshots of the objects that a request finds, with related objects along paths of names.
  ///
  ///     let trips: [Trip.Snapshot] = try context.fetchSnapshots(Trip.all, including: SnapshotPaths(["stops.pictures"]))
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  @inlinable
  public func fetchSnapshots<S: EntitySnapshot>(
    _ request: FetchRequest<S.ManagedClass>, as type: S.Type = S.self,
    including paths: SnapshotPaths
  ) throws -> [S] {
    // The loop is compiled with the program, so that it knows the layout of the structure.
    var found: [S] = []
    try forEachSnapshot(
      of: request.query, S.ManagedClass.self, including: paths,
      reserve: { found.reserveCapacity($0) }, { found.append(try S(reading: $0)) })
    return found
  }

  @usableFromInline
  func forEachSnapshot<T: ManagedObject>(
    of request: QueryRequest, _ type: T.Type, including paths: SnapshotPaths,
    reserve: (Int) -> Void, _ body: (SnapshotSource) throws -> Void
  ) throws {
    var fetcher = SnapshotFetcher(workspace, including: paths)
    try fetcher.forEach(request, as: type, reserve: reserve, body)
  }

  /// Makes objects of snapshots, or changes the objects that are there already.
  ///
  ///     let json = Data(#"[{"name": "Lisbon", "cost": 100}]"#.utf8)
  ///     let trips = try JSONDecoder().decode([Trip.Snapshot].self, from: json)
  ///     try context.upsert(Trip.self, from: trips, matching: \.name)
  ///
  /// An object is the one of a snapshot if it has the same value for `path`. Without a path, and for related
  /// snapshots: if it has the snapshot's identifier, or else the same value for an attribute that is unique on its own. Each attribute
  /// and each relationship that the snapshot contains is set; derived attributes are not. A relationship to many
  /// objects gets exactly the objects of its list. A member that leaves it, and that must have an owner, is deleted.
  ///
  /// - Returns: The objects in the order of the snapshots.
  /// - Throws: ``ContextError`` if a snapshot names an object that does not exist, or has a value that the model refuses;
  ///   `StoreError`. The changes made so far stay unsaved: call ``rollback()``.
  @discardableResult
  public func upsert<S: EntitySnapshot>(
    _ type: S.ManagedClass.Type, from snapshots: [S],
    matching path: PartialKeyPath<S.ManagedClass>? = nil
  ) throws -> [S.ManagedClass] {
    try SnapshotUpsert(workspace).objects(
      from: snapshots, matching: path.map { PropertyPaths.name(of: $0, in: S.ManagedClass.self) })
  }
}

extension ManagedObject {
  /// Takes the object's values, in the type of snapshot that the caller asks for.
  ///
  ///     let value: Trip.Snapshot = trip.snapshot()
  ///
  /// - Parameter paths: The relationships whose objects the snapshot contains with their values.
  public final func snapshot<S: EntitySnapshot>(including paths: SnapshotPaths = SnapshotPaths())
    -> S
  {
    guard let object = self as? S.ManagedClass else {
      misuse("\(self) is not of the class \(S.ManagedClass.self), which \(S.self) belongs to.")
    }
    return S(object, including: paths)
  }
}
