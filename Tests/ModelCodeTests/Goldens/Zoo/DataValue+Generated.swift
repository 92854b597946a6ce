// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// The composite type `Data`.
@Composite
nonisolated public struct DataValue: CompositeValue, Sendable, Hashable {
  /// The attribute `unused`: text.
  public var unused: String?

  /// The name of the type in the model.
  public static var compositeName: String { "Data" }

  /// The given parts.
  public init(unused: String? = nil) {
    self.unused = unused
  }
}
