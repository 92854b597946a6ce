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
nonisolated open class Creature: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public class Keys {
    /// `description`
    public static let description = AttributeName<String?>("description")
    /// `id`
    public static let id = AttributeName<UUID>("id")
    /// `init`
    public static let init_ = AttributeName<String?>("init")
    /// `name`
    public static let name = AttributeName<String>("name")
    /// `self`
    public static let self_ = AttributeName<Int64?>("self")
  }

  /// The entity's name in the model.
  open override class var entityName: String { "Creature" }

  /// The attribute `description`: text.
  ///
  /// It has another name here, since Swift or managed objects use `description` already.
  public final var description_: String? {
    get { self[Keys.description] }
    set { self[Keys.description] = newValue }
  }

  /// The attribute `id`: a UUID, required.
  public final var id: UUID {
    get { self[Keys.id] }
    set { self[Keys.id] = newValue }
  }

  /// The attribute `init`: text.
  ///
  /// It has another name here, since Swift or managed objects use `init` already.
  public final var init_: String? {
    get { self[Keys.init_] }
    set { self[Keys.init_] = newValue }
  }

  /// The attribute `name`: text of `1` to `50` characters, required, matching `\w+( \w+)*`.
  public final var name: String {
    get { self[Keys.name] }
    set { self[Keys.name] = newValue }
  }

  /// The attribute `self`: a whole number of 64 bits.
  ///
  /// It has another name here, since Swift or managed objects use `self` already.
  public final var self_: Int64? {
    get { self[Keys.self_] }
    set { self[Keys.self_] = newValue }
  }
}
