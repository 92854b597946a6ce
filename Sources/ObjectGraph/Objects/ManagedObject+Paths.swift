public import Foundation
public import ObjectQuery

// Relationships and transformable attributes by key paths.
extension EntityMapped where Self: ManagedObject {
  /// The name of the property that a path leads to. The object may be of a subclass of the class that the path begins at.
  private func name(_ path: AnyKeyPath) -> String { PropertyPaths.name(of: path, in: Self.self) }

  /// Adds an object to a relationship, at the end if the relationship is ordered. A member stays where it is.
  ///
  ///     trip.add(porto, to: \.stops)
  public func add<Many: RelatedCollection>(_ other: Many.Element, to path: KeyPath<Self, Many>) {
    add(other, to: name(path))
  }

  /// Adds objects to a relationship, one behind another. Members stay where they are.
  public func add<Many: RelatedCollection>(
    _ others: some Sequence<Many.Element>, to path: KeyPath<Self, Many>
  ) {
    let key = name(path)
    for other in others { add(other, to: key) }
  }

  /// Removes objects from a relationship.
  public func remove<Many: RelatedCollection>(
    _ others: some Sequence<Many.Element>, from path: KeyPath<Self, Many>
  ) {
    let key = name(path)
    for other in others { remove(other, from: key) }
  }

  /// Removes an object from a relationship. An object that is no member stays what it is.
  public func remove<Many: RelatedCollection>(
    _ other: Many.Element, from path: KeyPath<Self, Many>
  ) { remove(other, from: name(path)) }

  /// Inserts an object at a place of an ordered relationship. A member moves there.
  ///
  ///     trip.insert(porto, into: \.stops, at: 0)
  ///
  /// - Precondition: The relationship is ordered and has the place, or the place is behind the last one.
  public func insert<Many: RelatedCollection>(
    _ other: Many.Element, into path: KeyPath<Self, Many>, at index: Int
  ) { insert(other, into: name(path), at: index) }

  /// Inserts objects one behind another at a place of an ordered relationship. Members move there.
  ///
  /// - Precondition: The relationship is ordered and has the place, or the place is behind the last one.
  public func insert<Many: RelatedCollection>(
    _ others: some Sequence<Many.Element>, into path: KeyPath<Self, Many>, at index: Int
  ) { insert(others.map { $0 as ManagedObject }, into: name(path), at: index) }

  /// Removes the object at a place from an ordered relationship.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public func remove<Many: RelatedCollection>(at index: Int, from path: KeyPath<Self, Many>) {
    remove(at: index, from: name(path))
  }

  /// Moves the object at one place of an ordered relationship to another place, where it is afterwards.
  ///
  /// - Precondition: The relationship is ordered and has such places.
  public func move<Many: RelatedCollection>(
    in path: KeyPath<Self, Many>, from index: Int, to target: Int
  ) { move(in: name(path), from: index, to: target) }

  /// Replaces the object at a place of an ordered relationship. A member moves there.
  ///
  /// - Precondition: The relationship is ordered and has such a place.
  public func replace<Many: RelatedCollection>(
    at index: Int, in path: KeyPath<Self, Many>, with other: Many.Element
  ) { replace(at: index, in: name(path), with: other) }

  /// Returns the value that the transformer of a transformable attribute makes of the bytes.
  ///
  ///     var colour: Colour? { get throws { try transformed(\.colourData, as: Colour.self) } }
  ///
  /// - Throws: As ``ManagedObject/transformed(forKey:as:)``.
  public func transformed<T>(_ path: KeyPath<Self, Data?>, as type: T.Type) throws -> T? {
    try transformed(forKey: name(path), as: type)
  }

  /// Sets the bytes of a transformable attribute to those that its transformer makes of a value.
  ///
  /// - Throws: As ``ManagedObject/transformed(forKey:as:)``.
  public func setTransformed<T>(_ value: T?, _ path: KeyPath<Self, Data?>) throws {
    try setTransformed(value, forKey: name(path))
  }
}
