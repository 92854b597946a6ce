/// The objects that a relationship leads to: in their order where the relationship is ordered, and
/// otherwise in that of their identifiers.
///
///     for stop in trip.stops { … }
///     trip.stops = [lisbon, porto]
///
/// A value: it stays what it is when the relationship changes.
public struct RelatedObjects<Element: ManagedObject>: RandomAccessCollection {
  /// The objects.
  public let objects: [Element]

  /// The given objects.
  public init(_ objects: some Sequence<Element>) { self.objects = Array(objects) }

  /// The first place.
  public var startIndex: Int { 0 }
  /// The place behind the last.
  public var endIndex: Int { objects.count }
  /// The object at a place.
  public subscript(position: Int) -> Element { objects[position] }
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
