// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Enclosure`.
nonisolated public final class Enclosure: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `capacity`
    public static let capacity = AttributeName<Int32>("capacity")
    /// `plan`
    public static let plan = AttributeName<URL?>("plan")
    /// `animals`
    public static let animals = ToManyName<Animal>("animals")
    /// `keeper`
    public static let keeper = ToOneName<ZooKeeper>("keeper")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Enclosure" }

  /// The attribute `capacity`: a whole number of 32 bits, required, `1` in a new object.
  public var capacity: Int32 {
    get { self[Keys.capacity] }
    set { self[Keys.capacity] = newValue }
  }

  /// The attribute `plan`: a URI.
  public var plan: URL? {
    get { self[Keys.plan] }
    set { self[Keys.plan] = newValue }
  }

  /// The relationship `animals`: 1 to 20 objects of `Animal`. This object can't be deleted while
  /// there is any.
  public var animals: RelatedObjects<Animal> {
    get { self[Keys.animals] }
    set { self[Keys.animals] = newValue }
  }

  /// Adds an object to `animals`.
  public func addToAnimals(_ object: Animal) {
    add(object, to: Keys.animals)
  }

  /// Adds each of the objects to `animals`.
  public func addToAnimals(_ objects: some Sequence<Animal>) {
    for object in objects { add(object, to: Keys.animals) }
  }

  /// Takes an object away from `animals`.
  public func removeFromAnimals(_ object: Animal) {
    remove(object, from: Keys.animals)
  }

  /// Takes each of the objects away from `animals`.
  public func removeFromAnimals(_ objects: some Sequence<Animal>) {
    for object in objects { remove(object, from: Keys.animals) }
  }

  /// The relationship `keeper`: one object of `Keeper` or none.
  public var keeper: ZooKeeper? {
    get { self[Keys.keeper] }
    set { self[Keys.keeper] = newValue }
  }
}
