// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Größe`.
nonisolated public final class Größe: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `höhe_in_m`
    public static let höhe_in_m = AttributeName<Double>("höhe_in_m")
    /// `名前`
    public static let 名前 = AttributeName<String?>("名前")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Größe" }

  /// The attribute `höhe_in_m`: a number, required.
  public var höhe_in_m: Double {
    get { self[Keys.höhe_in_m] }
    set { self[Keys.höhe_in_m] = newValue }
  }

  /// The attribute `名前`: text.
  public var 名前: String? {
    get { self[Keys.名前] }
    set { self[Keys.名前] = newValue }
  }
}
