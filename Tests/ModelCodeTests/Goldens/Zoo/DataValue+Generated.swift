// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

/// The composite type `Data`.
nonisolated public struct DataValue: Sendable, Hashable {
  /// The attribute `unused`: text.
  public var unused: String?

  /// The given parts.
  public init(unused: String? = nil) {
    self.unused = unused
  }
}
