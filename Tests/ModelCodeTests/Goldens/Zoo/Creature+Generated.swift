// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// What lives in the zoo.
///
/// Two animals may share a name, as long as they live in different enclosures; nobody has yet mixed
/// them up.
///
/// An object of the entity `Creature`.
///
/// The entity is abstract: only those that inherit from it have objects.
@Entity(.abstract)
nonisolated open class Creature: ManagedObject {
  /// The attribute `description`: text.
  ///
  /// It has another name here, since Swift or managed objects use `description` already.
  @Attribute("description") public final var description_: String?

  /// The attribute `id`: a UUID, required.
  public final var id: UUID

  /// The attribute `init`: text.
  ///
  /// It has another name here, since Swift or managed objects use `init` already.
  @Attribute("init") public final var init_: String?

  /// The attribute `name`: text of `1` to `50` characters, required, matching `\w+( \w+)*`.
  @Attribute(.length(1...50), .matches("\\w+( \\w+)*")) public final var name: String

  /// The attribute `self`: a whole number of 64 bits.
  ///
  /// It has another name here, since Swift or managed objects use `self` already.
  @Attribute("self") public final var self_: Int64?
}
