// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Größe`.
@Entity
nonisolated public final class Größe: ManagedObject {
  /// The attribute `höhe_in_m`: a number, required.
  public var höhe_in_m: Double

  /// The attribute `名前`: text.
  public var 名前: String?
}
