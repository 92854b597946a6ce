// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Lion`.
@Entity
nonisolated public final class Lion: Animal {
  /// The attribute `roar`: a number.
  public var roar: Double?
}
