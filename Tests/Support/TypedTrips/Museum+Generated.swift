// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Quire

/// An object of the entity `Museum`.
@Entity
nonisolated public final class Museum: Stop {
  /// The attribute `isFree`: true or false, required, `false` in a new object.
  public var isFree: Bool = false

  /// The attribute `openingHours`: text.
  public var openingHours: String?
}
