// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Enclosure`.
@Entity
nonisolated public final class Enclosure: ManagedObject {
  /// The attribute `capacity`: a whole number of 32 bits, required, `1` in a new object.
  public var capacity: Int32 = 1

  /// The attribute `plan`: a URI.
  public var plan: URL?

  /// The relationship `animals`: 1 to 20 objects of `Animal`. This object can't be deleted while
  /// there is any.
  @Relationship(.deny, inverse: \Animal.enclosure, minimum: 1, maximum: 20, optional: true)
  public var animals: RelatedObjects<Animal>

  /// The relationship `keeper`: one object of `Keeper` or none.
  public var keeper: ZooKeeper?
}
