// SAFETY: The storage retains the entity state that it refers to, and has an address for each number. An address is
// used only if no object has left the table since it was stored; `departures` tells that.

import ObjectModel

/// The objects that a relationship refers to, in the order of an ordered relationship, or else by their identifiers.
///
///     for stop in trip.stops { … }
///     print(trip.stops.count)
///     trip.stops = [lisbon, porto]
///     trip.stops.reverse()
///
/// Every to-many relationship has this type. The members are known from the start, and each object is made when it is
/// first read: `count`, `isEmpty` and `contains(_:)` make none, `first` makes one, and a loop makes each object when it
/// comes to it. The context keeps the list until the relationship changes, so the next access takes constant time.
/// ``objects`` is an array of all objects, for a function that needs one.
///
/// A value: later changes of the relationship do not change it. A change in place, such as `trip.stops.append(porto)`,
/// sets the whole relationship. To add one object to many, `trip.add(porto, to: \.stops)` writes only that object.
public struct RelatedObjects<Element: ManagedObject>: RandomAccessCollection, MutableCollection {
  @usableFromInline var storage: RelatedStorage

  /// Makes a list of the given objects.
  public init(_ objects: some Sequence<Element>) {
    storage = RelatedStorage(Array(objects))
  }

  init(_ storage: RelatedStorage) {
    storage.check(Element.self)
    self.storage = storage
  }

  /// The objects as an array.
  public var objects: [Element] { Array(self) }

  @inlinable public var startIndex: Int { 0 }
  /// The position behind the last object.
  @inlinable public var endIndex: Int { storage.count }
  /// The object at a position.
  @inlinable public subscript(position: Int) -> Element {
    // The initializer has checked that all objects are of this class.
    get { unsafe unsafeDowncast(storage.object(at: position), to: Element.self) }
    set { replaceSubrange(position..<position + 1, with: CollectionOfOne(newValue)) }
  }

  /// Returns whether an object is a member. Makes no object.
  public func contains(_ object: Element) -> Bool { storage.contains(object) }
}

extension RelatedObjects: RangeReplaceableCollection {
  public init() { self.init([]) }

  /// Replaces some of the objects.
  public mutating func replaceSubrange(
    _ range: Range<Int>, with others: some Collection<Element>
  ) {
    var objects =
      isKnownUniquelyReferenced(&storage) ? storage.takeMembers() : storage.members
    objects.replaceSubrange(range, with: others.map { $0 })
    storage = RelatedStorage(objects)
  }
}

// The names of Swift's sets. A member is in the list once.
extension RelatedObjects {
  /// Adds an object at the end, unless it is a member.
  public mutating func insert(_ object: Element) { formUnion(CollectionOfOne(object)) }

  /// Removes an object. Does nothing if the object is not a member.
  public mutating func remove(_ object: Element) { subtract(CollectionOfOne(object)) }

  /// Adds the objects that are not members yet, at the end and in their order.
  public mutating func formUnion(_ objects: some Sequence<Element>) {
    var known = Set(self)
    append(contentsOf: objects.filter { known.insert($0).inserted })
  }

  /// Removes objects. An object that is not a member is ignored.
  public mutating func subtract(_ objects: some Sequence<Element>) {
    let removed = Set(objects)
    removeAll { removed.contains($0) }
  }
}

extension RelatedObjects: ExpressibleByArrayLiteral {
  /// Makes a list of the given objects.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension RelatedObjects: Equatable, CustomStringConvertible {
  /// Returns whether both lists have the same objects in the same order.
  public static func == (left: RelatedObjects, right: RelatedObjects) -> Bool {
    left.storage === right.storage || left.count == right.count && left.elementsEqual(right)
  }

  /// The objects, as an array describes them.
  public var description: String { "\(objects)" }
}

/// The storage of a list of related objects: the objects, or their numbers in their entities.
@safe
@usableFromInline
final class RelatedStorage {
  /// The objects of a list that a program has made; empty if the list has numbers.
  private var array: [ManagedObject]
  private let numbers: [UInt64]
  private let entity: EntityState?
  /// The entity of each number, if they are of several entities.
  private let entities: [EntityState]
  /// The same entity state, for use without retaining it.
  private let entityReference: Unmanaged<EntityState>?
  /// The addresses of objects that were read before, which spare a second lookup in the table; 0 for an object not read
  /// yet. One for each number of ``entity``, and none for other lists.
  private let addresses: UnsafeMutablePointer<UInt>
  @exclusivity(unchecked) private var storedDepartures = 0
  @usableFromInline let count: Int

  init(_ objects: [ManagedObject]) {
    array = objects
    numbers = []
    entity = nil
    entities = []
    unsafe entityReference = nil
    unsafe addresses = .allocate(capacity: 0)
    count = objects.count
  }

  init(_ numbers: [UInt64], _ entity: EntityState) {
    array = []
    self.numbers = numbers
    self.entity = entity
    entities = []
    unsafe entityReference = Unmanaged.passUnretained(entity)
    unsafe addresses = .allocate(capacity: numbers.count)
    unsafe addresses.initialize(repeating: 0, count: numbers.count)
    count = numbers.count
    departures = entity.departures
  }

  /// Makes a list of objects of several entities.
  init(_ numbers: [UInt64], ofEach entities: [EntityState]) {
    array = []
    self.numbers = numbers
    entity = nil
    self.entities = entities
    unsafe entityReference = nil
    unsafe addresses = .allocate(capacity: 0)
    count = numbers.count
  }

  deinit { unsafe addresses.deallocate() }

  /// All objects, made if they are not registered.
  var members: [ManagedObject] { (0..<count).map { object(at: $0) } }

  /// Returns all objects, so that the caller can change their array without a copy. The list must not be used again.
  func takeMembers() -> [ManagedObject] {
    guard entity == nil, entities.isEmpty else { return members }
    defer { array = [] }
    return array
  }

  var keys: [ObjectKey] {
    if let entity { return numbers.map { ObjectKey(entity: entity.graph.number, number: $0) } }
    if entities.isEmpty { return array.map(\.key) }
    return zip(entities, numbers).map { ObjectKey(entity: $0.graph.number, number: $1) }
  }

  /// Whether the context has deleted an object of the list. An object that is not registered is not deleted.
  var hasDeleted: Bool {
    func isDeleted(_ number: UInt64, _ entity: EntityState) -> Bool {
      entity.known(number)?.state.contains(.deleted) ?? false
    }
    if let entity { return numbers.contains { isDeleted($0, entity) } }
    return zip(numbers, entities).contains { isDeleted($0, $1) }
      || array.contains { $0.state.contains(.deleted) }
  }

  func contains(_ object: ManagedObject) -> Bool {
    let (owner, number) = (object.source.entity, object.key.number)
    if let entity { return entity === owner && numbers.contains(number) }
    if entities.isEmpty { return array.contains { $0 === object } }
    return zip(entities, numbers).contains { $0 === owner && $1 == number }
  }

  /// The value of the entity's departure count when the first address was stored.
  @inline(__always)
  private var departures: Int {
    // SAFETY: No access overlaps another access to this field.
    get { unsafe storedDepartures }
    set { unsafe storedDepartures = newValue }
  }

  @usableFromInline
  func object(at position: Int) -> ManagedObject {
    guard let entity = unsafe entityReference else { return other(at: position) }
    require(position >= 0 && position < count, "The position is out of range.")
    return unsafe entity._withUnsafeGuaranteedRef { entity in
      if position.isMultiple(of: EntityState.nearStep) { lookAhead(entity, from: position) }
      if departures == entity.departures, let known = unsafe ObjectTable.unheld(addresses[position])
      {
        return unsafe known.takeUnretainedValue()
      }
      return find(position, entity)
    }
  }

  private func other(at position: Int) -> ManagedObject {
    if entities.isEmpty { return array[position] }
    checkPlace(entities[position])
    return entities[position].object(numbers[position])
  }

  private func lookAhead(_ entity: EntityState, from position: Int) {
    checkPlace(entity)
    if departures != entity.departures {
      unsafe addresses.update(repeating: 0, count: count)
      departures = entity.departures
    }
    unsafe entity.prefetch(numbers, addresses, from: position)
  }

  private func find(_ position: Int, _ entity: EntityState) -> ManagedObject {
    checkPlace(entity)
    let object = entity.object(numbers[position])
    if departures == entity.departures {
      unsafe addresses[position] = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }
    return object
  }

  private func checkPlace(_ entity: EntityState) {
    entity.place.check("A list of objects of \"\(entity.graph.name)\"")
  }

  /// Stops the program if an object is not of a class.
  func check<D: ManagedObject>(_ type: D.Type) {
    if count == 0 { return }
    for entity in entity.map({ [$0] }) ?? entities
    where entity.type != type && !(entity.type is D.Type) {
      RelatedStorage.refuse(entity.type, type)
    }
    for object in array where !(object is D) {
      RelatedStorage.refuse(Swift.type(of: object), type)
    }
  }

  private static func refuse(_ found: ManagedObject.Type, _ wanted: ManagedObject.Type) -> Never {
    misuse(
      """
      A relationship refers to objects of the class \(found), not \(wanted). Give the class to the \
      initializer of the coordinator.
      """)
  }
}
