// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Keeper`.
///
/// The class is written by hand. Its `entityName` must be "Keeper".
extension ZooKeeper {
  /// The attribute `phone`: text.
  @StoredProperty public var phone: String?

  /// The relationship `enclosures`: any number of objects of `Enclosure`.
  @StoredProperty @Relationship public var enclosures: RelatedObjects<Enclosure>

  /// The relationship `visitors`: any number of objects of `Visitor`.
  @StoredProperty @Relationship(.noAction) public var visitors: RelatedObjects<Visitor>
}
