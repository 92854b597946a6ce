public import Foundation
import ObjectModel
public import ObjectQuery

// Access to relationships and transformable attributes by key paths.
extension EntityMapped where Self: ManagedObject {
  /// Removes the value of an attribute or of a to-one relationship.
  ///
  /// - Precondition: The entity has such a property with this name.
  public func setValue(_ nothing: Never?, forKey key: String) { self[key] = .null }

  /// Returns the name of the property that a key path leads to. The object may be of a subclass of the path's root
  /// class.
  private func name(_ path: AnyKeyPath) -> String { PropertyPaths.name(of: path, in: Self.self) }

  /// Adds an object to a relationship, at the end if the relationship is ordered. A member stays where it is.
  ///
  ///     trip.add(porto, to: \.stops)
  public func add<Many: RelatedCollection>(_ other: Many.Element, to path: KeyPath<Self, Many>) {
    add(other, to: name(path))
  }

  /// Adds objects to a relationship, one behind another. Objects that are members already stay where they are.
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

  /// Removes an object from a relationship. Does nothing if the object is not a member.
  public func remove<Many: RelatedCollection>(
    _ other: Many.Element, from path: KeyPath<Self, Many>
  ) { remove(other, from: name(path)) }

  /// Inserts an object at a position of an ordered relationship. An object that is a member already is moved there.
  ///
  ///     trip.insert(porto, into: \.stops, at: 0)
  ///
  /// - Precondition: The relationship is ordered, and the position is at most the number of members.
  public func insert<Many: RelatedCollection>(
    _ other: Many.Element, into path: KeyPath<Self, Many>, at index: Int
  ) { insert(other, into: name(path), at: index) }

  /// Inserts objects one behind another at a position of an ordered relationship. Objects that are members already are
  /// moved there.
  ///
  /// - Precondition: The relationship is ordered, and the position is at most the number of members.
  public func insert<Many: RelatedCollection>(
    _ others: some Sequence<Many.Element>, into path: KeyPath<Self, Many>, at index: Int
  ) { insert(others.map { $0 as ManagedObject }, into: name(path), at: index) }

  /// Removes the object at a position from an ordered relationship.
  ///
  /// - Precondition: The relationship is ordered and has a member at this position.
  public func remove<Many: RelatedCollection>(at index: Int, from path: KeyPath<Self, Many>) {
    remove(at: index, from: name(path))
  }

  /// Moves the object at one position of an ordered relationship to another position.
  ///
  /// - Parameter target: The position of the object after the move.
  /// - Precondition: The relationship is ordered and has members at both positions.
  public func move<Many: RelatedCollection>(
    in path: KeyPath<Self, Many>, from index: Int, to target: Int
  ) { move(in: name(path), from: index, to: target) }

  /// Replaces the object at a position of an ordered relationship. A replacement that is a member already is moved
  /// there.
  ///
  /// - Precondition: The relationship is ordered and has a member at this position.
  public func replace<Many: RelatedCollection>(
    at index: Int, in path: KeyPath<Self, Many>, with other: Many.Element
  ) { replace(at: index, in: name(path), with: other) }

  /// Returns the value that the transformer of a transformable attribute makes from the bytes.
  ///
  ///     var colour: Colour? { get throws { try transformed(\.colourData, as: Colour.self) } }
  ///
  /// - Throws: As ``ManagedObject/transformed(forKey:as:)``.
  public func transformed<T>(_ path: KeyPath<Self, Data?>, as type: T.Type) throws -> T? {
    try transformed(forKey: name(path), as: type)
  }

  /// Sets the bytes of a transformable attribute to the bytes that its transformer makes from a value.
  ///
  /// - Throws: As ``ManagedObject/transformed(forKey:as:)``.
  public func setTransformed<T>(_ value: T?, _ path: KeyPath<Self, Data?>) throws {
    try setTransformed(value, forKey: name(path))
  }
}
