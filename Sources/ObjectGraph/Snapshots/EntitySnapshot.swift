public import ObjectModel

/// The values of an object at one moment, apart from its context: a value that any actor may use, and that becomes JSON.
///
///     let trips: [Trip.Snapshot] = try await container.read { try $0.fetchSnapshots(Trip.all) }
///     let json = try JSONEncoder().encode(trips)
///
/// Each class with `Entity(_:)` has a structure `Snapshot` with its attributes and relationships. Take a snapshot when
/// values leave the context: for another actor, for a client of a server, for a view. An object is the better form while
/// its context works on it, because it is read in place and its changes are saved.
///
/// - Attributes are there as they are in the class. Transient and fetched properties are left out.
/// - A relationship to one object has the identifier of that object, and its values if ``RelatedSnapshot/value`` was asked for.
/// - A relationship to many objects is `nil` unless it was asked for: the identifiers alone may be a million.
///
/// The keys of the JSON are the names of the properties in Swift. A missing key stands for the default value of the
/// property.
public protocol EntitySnapshot: Sendable, Hashable, Codable {
  associatedtype ManagedClass: ManagedObject

  /// The identifier of the object; `nil` if the values come from elsewhere, such as from JSON.
  var objectID: ObjectID? { get set }

  /// Reads all properties. `Entity(_:)` writes this initializer.
  init(reading source: SnapshotSource) throws
  /// Writes all properties. `Entity(_:)` writes this method.
  func write(to target: inout SnapshotTarget) throws
}

extension EntitySnapshot {
  /// Takes the values of an object, with its unsaved changes.
  ///
  ///     let value = Trip.Snapshot(trip, including: \.stops)
  ///
  /// - Parameter paths: The relationships whose objects the snapshot contains with their values.
  public init(_ object: ManagedClass, including paths: PartialKeyPath<ManagedClass>...) {
    self.init(object, including: SnapshotPaths(paths))
  }

  /// Takes the values of an object, and of related objects along paths.
  public init(_ object: ManagedClass, including paths: SnapshotPaths) {
    // Reading an object throws nothing: only decoding does.
    self = try! Self(reading: SnapshotSource(object, including: paths))
  }

  /// Reads the values from a decoder.
  public init(from decoder: any Decoder) throws {
    try self.init(reading: SnapshotSource(decoder))
  }

  /// Writes the values to an encoder.
  public func encode(to encoder: any Encoder) throws {
    var target = SnapshotTarget(encoder)
    try target.write(objectID)
    try write(to: &target)
  }

  /// The values of all properties in the order of the class.
  package var contents: [SnapshotContent] {
    var target = SnapshotTarget()
    // Only an encoder throws.
    try! write(to: &target)
    return target.contents
  }
}
