// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

import Quire

/// An object of the entity `Type`.
///
/// The class is not called `Type`, since that name is taken.
nonisolated public final class TypeObject: Creature {
  /// The names of the properties, each with its type. Inherited ones are inherited here too.
  nonisolated public final class Keys: Creature.Keys {}

  /// The entity's name in the model.
  public override class var entityName: String { "Type" }
}
