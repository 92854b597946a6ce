// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Quire

/// An object of the entity `Museum`.
nonisolated public final class Museum: Stop {
  /// The names of the properties, each with its type. Inherited ones are inherited here too.
  nonisolated public final class Keys: Stop.Keys {
    /// `isFree`
    public static let isFree = AttributeName<Bool>("isFree")
    /// `openingHours`
    public static let openingHours = AttributeName<String?>("openingHours")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Museum" }

  /// The attribute `isFree`: yes or no, required, `false` in a new object.
  public var isFree: Bool {
    get { self[Keys.isFree] }
    set { self[Keys.isFree] = newValue }
  }

  /// The attribute `openingHours`: text.
  public var openingHours: String? {
    get { self[Keys.openingHours] }
    set { self[Keys.openingHours] = newValue }
  }
}
