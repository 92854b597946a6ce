// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Person`.
@Entity
nonisolated public final class Person: ManagedObject {
  /// The attribute `email`: text, matching `.+@.+\..+`.
  @Unique @Attribute(.matches(".+@.+\\..+")) public var email: String?

  /// The attribute `fullName`: text of at least `1` characters, required, empty in a new object.
  @Attribute(.length(1...), .originalName("name")) public var fullName: String = ""

  /// The attribute `portrait`: bytes.
  @Attribute(.externalStorage) public var portrait: Data?

  /// The relationship `trips`: any number of objects of `Trip`.
  @Relationship(inverse: \Trip.travellers) public var trips: RelatedObjects<Trip>
}
