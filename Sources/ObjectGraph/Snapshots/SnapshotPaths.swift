/// The relationships that a snapshot contains with the values of their objects, and for each of them the relationships of
/// these objects.
///
/// Paths are finite, so a snapshot ends where they end: objects that lead back to each other make no cycle.
public struct SnapshotPaths: Sendable, Hashable {
  private(set) var names: [String: SnapshotPaths] = [:]

  public init() {}

  /// Includes the objects along paths of names, such as `stops.pictures`.
  public init(_ paths: [String]) {
    for path in paths { add(path.split(separator: ".").map(String.init)) }
  }

  /// Includes the objects of relationships.
  public init<Object: ManagedObject>(_ paths: [PartialKeyPath<Object>]) {
    self.init(paths.map { PropertyPaths.name(of: $0, in: Object.self) })
  }

  private mutating func add(_ path: some Collection<String>) {
    guard let name = path.first else { return }
    names[name, default: SnapshotPaths()].add(path.dropFirst())
  }

  /// The paths as texts, for prefetching.
  var all: [String] {
    names.flatMap { name, inner in inner.names.isEmpty ? [name] : inner.all.map { "\(name).\($0)" }
    }
  }
}
