public import ObjectModel

extension ManagedObject: Identifiable {}

extension Identifiable where Self: ManagedObject {
  /// The object's identifier, for lists of a user interface. A class may declare a property `id` of its own.
  public var id: ObjectID { objectID }
}
