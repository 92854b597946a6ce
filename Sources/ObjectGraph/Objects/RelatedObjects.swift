// SAFETY: The storage keeps the entity state that it refers to.

import ObjectModel

/// The objects that a relationship leads to: in their order where the relationship is ordered, and
/// otherwise in that of their identifiers.
///
///     for stop in trip.stops { … }
///     trip.stops = [lisbon, porto]
///
/// A value: it stays what it is when the relationship changes. Which objects these are is known; each is
/// made when it is first asked for.
public struct RelatedObjects<Element: ManagedObject>: RandomAccessCollection {
  @usableFromInline let storage: RelatedStorage

  /// The given objects.
  public init(_ objects: some Sequence<Element>) {
    storage = RelatedStorage(Array(objects))
  }

  init(_ storage: RelatedStorage) {
    storage.check(Element.self)
    self.storage = storage
  }

  /// The objects.
  public var objects: [Element] { Array(self) }

  /// The first place.
  @inlinable public var startIndex: Int { 0 }
  /// The place behind the last.
  @inlinable public var endIndex: Int { storage.count }
  /// The object at a place.
  @inlinable public subscript(position: Int) -> Element {
    // What the storage has was checked to be of the class when this was made.
    unsafe unsafeDowncast(storage.object(at: position), to: Element.self)
  }
}

extension RelatedObjects: ExpressibleByArrayLiteral {
  /// The given objects.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension RelatedObjects: Equatable {
  /// Whether both lead to the same objects in the same order.
  public static func == (left: RelatedObjects, right: RelatedObjects) -> Bool {
    left.objects == right.objects
  }
}

/// What related objects are known by: the objects, or their numbers in one entity.
@safe
@usableFromInline
final class RelatedStorage {
  private let objects: [ManagedObject]
  private let numbers: [UInt64]
  private let entity: EntityState?
  /// The same, to be used without being counted.
  private let entityReference: Unmanaged<EntityState>?
  @usableFromInline let count: Int

  init(_ objects: [ManagedObject]) {
    self.objects = objects
    numbers = []
    entity = nil
    unsafe entityReference = nil
    count = objects.count
  }

  init(_ numbers: [UInt64], _ entity: EntityState) {
    objects = []
    self.numbers = numbers
    self.entity = entity
    unsafe entityReference = Unmanaged.passUnretained(entity)
    count = numbers.count
  }

  @usableFromInline
  func object(at position: Int) -> ManagedObject {
    if let entity = unsafe entityReference {
      return unsafe entity._withUnsafeGuaranteedRef { entity in
        if position.isMultiple(of: EntityState.nearStep) {
          entity.bringNear(numbers, from: position)
        }
        return entity.object(numbers[position])
      }
    }
    return objects[position]
  }

  /// Fails when an object is not of a class.
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
    preconditionFailure(
      """
      A relationship leads to objects of the class \(found), not \(wanted). Name the class when the \
      coordinator is made.
      """)
  }
}
