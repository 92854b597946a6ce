import ObjectModel
public import Observation

/// Swift's Observation tracks the properties that a program reads of the objects of a main-actor context:
/// `withObservationTracking`, `Observations`, and the toolkits above them see each change.
///
/// A property that the program sets is announced at once. A property that changes for another reason is announced when the
/// context processes its changes: the other end of a relationship, an undo, a rollback, the save of another context.
extension ManagedObject: Observable {}

/// The properties of one context's objects that Swift's Observation tracks, each with the value that was read.
///
/// A context has one registrar for all its objects. The registrar tells properties apart by key paths, so a key path names
/// the object too: `\TrackedProperties[property]`.
final class TrackedProperties: Observable {
  /// A property of an object.
  struct Property: Hashable {
    let object: ObjectID
    /// The hash of the name.
    let hash: UInt64
  }

  /// The result of reading a property.
  private enum Reading: Equatable {
    case value(Value)
    case members([ObjectKey])
    case objects([ObjectID])
    /// The object no longer exists.
    case nothing
    /// A value that can't be compared without a fetch.
    case unknown
  }

  private struct Entry {
    weak var object: ManagedObject?
    /// The readings by the hashes of the properties.
    var readings: [UInt64: Reading] = [:]

    mutating func record(_ object: ManagedObject, _ hash: UInt64, _ reading: Reading) {
      // The former object may have ended, and a new object may have the same address.
      if self.object !== object { readings = [:] }
      self.object = object
      readings[hash] = reading
    }
  }

  private let registrar = ObservationRegistrar()
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The number of objects with tracked properties, some of which may be gone.
  var objectCount: Int { entries.count }
  private let probe = Probe()
  private let probePath: KeyPath<TrackedProperties, Bool>

  init() { probePath = \TrackedProperties[probe] }

  /// An accessor for key paths only. No code reads its value.
  private subscript(property: Property) -> Bool { false }
  private subscript(probe: Probe) -> Bool { false }

  // MARK: Reading

  /// Records that the program reads a property, if Observation tracks reads at present.
  func recordRead(_ object: ManagedObject, _ hash: UInt64) {
    guard isTracking else { return }
    entries[ObjectIdentifier(object), default: Entry()].record(object, hash, reading(object, hash))
    object.state.insert(.tracked)
    registrar.access(self, keyPath: path(object, hash))
  }

  private func path(_ object: ManagedObject, _ hash: UInt64) -> KeyPath<TrackedProperties, Bool> {
    \TrackedProperties[Property(object: object.objectID, hash: hash)]
  }

  /// Whether the program is in the body of a `withObservationTracking`.
  ///
  /// Observation has no interface for that. But it hashes each key path that it records, and ``Probe`` records the
  /// hashing.
  private var isTracking: Bool {
    probe.wasHashed = false
    registrar.access(self, keyPath: probePath)
    return probe.wasHashed
  }

  /// A key path argument that records whether the key path is hashed.
  private final class Probe: Hashable {
    var wasHashed = false
    static func == (left: Probe, right: Probe) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { wasHashed = true }
  }

  // MARK: Changing

  /// Announces that the program is about to set a property.
  ///
  /// - Returns: Whether the property was tracked, so that ``didSet(_:_:)`` is to follow.
  func willSet(_ object: ManagedObject, _ hash: UInt64) -> Bool {
    guard let index = entries.index(forKey: ObjectIdentifier(object)),
      entries.values[index].readings.removeValue(forKey: hash) != nil
    else { return false }
    if entries.values[index].readings.isEmpty {
      entries.remove(at: index)
      object.state.remove(.tracked)
    }
    registrar.willSet(self, keyPath: path(object, hash))
    return true
  }

  /// Announces that the program has set a property.
  func didSet(_ object: ManagedObject, _ hash: UInt64) {
    registrar.didSet(self, keyPath: path(object, hash))
  }

  /// Announces each property whose value differs from the value that was read.
  func announceDifferences() {
    for (id, entry) in entries {
      guard let object = entry.object else {
        entries[id] = nil
        continue
      }
      for (hash, read) in entry.readings {
        let now = reading(object, hash)
        if (now != read || now == .unknown) && willSet(object, hash) { didSet(object, hash) }
      }
    }
  }

  /// Returns the value of a property, without a call of the object's hooks.
  private func reading(_ object: ManagedObject, _ hash: UInt64) -> Reading {
    guard !object.state.contains(.detached), let workspace = object.source.entity.workspace,
      workspace.exists(object)
    else { return .nothing }
    let (source, row) = (object.source, Int(object.row))
    let graph = source.entity.graph
    let code = graph.code(hash)
    guard code.form != .none else { return .nothing }
    let property = graph.properties[Int(code.property)]
    switch property.place {
    case .attribute(_, let column): return .value(source.value(column, row))
    case .transient: return .value(object.otherValue(property.name, code))
    case .toOne(let toOne):
      guard let key = object.reference(column: toOne.column),
        let other = source.entity.destination(key), workspace.isAlive(other)
      else { return .value(.null) }
      return .value(.object(key))
    case .toMany(let toMany):
      return .members(RelationshipReader(workspace).keys(of: object, toMany))
    case .transientRelationship:
      return .objects(
        TransientRelationship(code, of: object)?.objects.map(\.objectID) ?? [])
    case .composite, .fetched: return .unknown
    }
  }
}

// The entry points for the accessors of objects.
extension TrackedProperties {
  /// Records that the program reads a property.
  @inline(never)
  static func recordRead(_ object: ManagedObject, _ hash: UInt64) {
    guard let workspace = object.source.entity.workspace else { return }
    workspace.observation.track().recordRead(object, hash)
  }

  /// Announces that the program is about to set a property, if it is tracked.
  @inline(never)
  static func willSet(_ object: ManagedObject, _ hash: UInt64) -> Bool {
    object.source.entity.workspace?.observation.tracked?.willSet(object, hash) ?? false
  }

  /// Announces that the program has set a property.
  @inline(never)
  static func didSet(_ object: ManagedObject, _ hash: UInt64) {
    object.source.entity.workspace?.observation.tracked?.didSet(object, hash)
  }
}

extension ManagedObject {
  /// Notes that the program reads a property, if the object may be tracked.
  @inline(__always)
  final func recordRead(_ hash: UInt64) {
    if state.contains(.trackable) { TrackedProperties.recordRead(self, hash) }
  }

  /// Runs `body`, which sets a property, and announces that if the property is tracked.
  final func setting<R>(_ hash: UInt64, _ body: () throws -> R) rethrows -> R {
    let isTracked = state.contains(.tracked) && TrackedProperties.willSet(self, hash)
    defer { if isTracked { TrackedProperties.didSet(self, hash) } }
    return try body()
  }
}
