// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Lion`.
nonisolated public final class Lion: Animal {
  /// The names of the properties, each with its type. Inherited ones are inherited here too.
  nonisolated public final class Keys: Animal.Keys {
    /// `roar`
    public static let roar = AttributeName<Double?>("roar")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Lion" }

  /// The attribute `roar`: a number.
  public var roar: Double? {
    get { self[Keys.roar] }
    set { self[Keys.roar] = newValue }
  }
}
