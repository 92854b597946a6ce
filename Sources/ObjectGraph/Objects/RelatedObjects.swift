// SAFETY: The storage retains the entity state that it refers to, and has an address for each number. An address is
// valid as long as the table retains the object, and the table retains every object until one leaves it.

import ObjectModel

/// The objects that a relationship leads to, in the order of an ordered relationship, or else by their identifiers.
///
///     for stop in trip.stops { … }
///     trip.stops = [lisbon, porto]
///
/// A value: later changes of the relationship do not change it. The members are known from the start; each object is
/// made when it is first read.
public struct RelatedObjects<Element: ManagedObject>: RandomAccessCollection {
  @usableFromInline let storage: RelatedStorage

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

  /// The first position.
  @inlinable public var startIndex: Int { 0 }
  /// The position behind the last object.
  @inlinable public var endIndex: Int { storage.count }
  /// The object at a position.
  @inlinable public subscript(position: Int) -> Element {
    // The initializer has checked that all objects are of this class.
    unsafe unsafeDowncast(storage.object(at: position), to: Element.self)
  }
}

extension RelatedObjects: ExpressibleByArrayLiteral {
  /// Makes a list of the given objects.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension RelatedObjects: Equatable {
  /// Returns whether both lists have the same objects in the same order.
  public static func == (left: RelatedObjects, right: RelatedObjects) -> Bool {
    left.objects == right.objects
  }
}

/// The storage of a list of related objects: the objects, or their numbers in one entity.
@safe
@usableFromInline
final class RelatedStorage {
  private let objects: [ManagedObject]
  private let numbers: [UInt64]
  private let entity: EntityState?
  /// The same entity state, for use without retaining it.
  private let entityReference: Unmanaged<EntityState>?
  /// The addresses of objects that were read before, which spare a second lookup in the table; 0 for an object not read
  /// yet.
  private let addresses: UnsafeMutablePointer<UInt>
  @exclusivity(unchecked) private var storedDepartures = 0
  @usableFromInline let count: Int

  init(_ objects: [ManagedObject]) {
    self.objects = objects
    numbers = []
    entity = nil
    unsafe entityReference = nil
    unsafe addresses = .allocate(capacity: 0)
    count = objects.count
  }

  init(_ numbers: [UInt64], _ entity: EntityState) {
    objects = []
    self.numbers = numbers
    self.entity = entity
    unsafe entityReference = Unmanaged.passUnretained(entity)
    unsafe addresses = .allocate(capacity: numbers.count)
    unsafe addresses.initialize(repeating: 0, count: numbers.count)
    count = numbers.count
    departures = entity.departures
  }

  deinit { unsafe addresses.deallocate() }

  /// The value of the entity's departure count when the first address was stored.
  @inline(__always)
  private var departures: Int {
    // SAFETY: No access overlaps another access to this field.
    get { unsafe storedDepartures }
    set { unsafe storedDepartures = newValue }
  }

  @usableFromInline
  func object(at position: Int) -> ManagedObject {
    guard let entity = unsafe entityReference else { return objects[position] }
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
    if let entity {
      if entity.type == type || entity.type is D.Type || numbers.isEmpty { return }
      RelatedStorage.refuse(entity.type, type)
    }
    for object in objects where !(object is D) {
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
