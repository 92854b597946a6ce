// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Person`.
nonisolated public final class Person: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `email`
    public static let email = AttributeName<String?>("email")
    /// `fullName`
    public static let fullName = AttributeName<String>("fullName")
    /// `portrait`
    public static let portrait = AttributeName<Data?>("portrait")
    /// `trips`
    public static let trips = ToManyName<Trip>("trips")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Person" }

  /// The attribute `email`: text, matching `.+@.+\..+`.
  public var email: String? {
    get { self[Keys.email] }
    set { self[Keys.email] = newValue }
  }

  /// The attribute `fullName`: text of at least `1` characters, required, empty in a new object.
  public var fullName: String {
    get { self[Keys.fullName] }
    set { self[Keys.fullName] = newValue }
  }

  /// The attribute `portrait`: bytes.
  public var portrait: Data? {
    get { self[Keys.portrait] }
    set { self[Keys.portrait] = newValue }
  }

  /// The relationship `trips`: any number of objects of `Trip`.
  public var trips: RelatedObjects<Trip> {
    get { self[Keys.trips] }
    set { self[Keys.trips] = newValue }
  }

  /// Adds an object to `trips`.
  public func addToTrips(_ object: Trip) {
    add(object, to: Keys.trips)
  }

  /// Adds each of the objects to `trips`.
  public func addToTrips(_ objects: some Sequence<Trip>) {
    for object in objects { add(object, to: Keys.trips) }
  }

  /// Takes an object away from `trips`.
  public func removeFromTrips(_ object: Trip) {
    remove(object, from: Keys.trips)
  }

  /// Takes each of the objects away from `trips`.
  public func removeFromTrips(_ objects: some Sequence<Trip>) {
    for object in objects { remove(object, from: Keys.trips) }
  }
}
