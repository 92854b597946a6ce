// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

/// The composite type `Place`.
nonisolated public struct Place: Sendable, Hashable {
  /// The attribute `address`: text.
  public var address: String?
  /// The attribute `in`: yes or no, required, `false` in a new object.
  public var `in`: Bool
  /// The attribute `point`: a group of values.
  public var point: Point

  /// The given parts.
  public init(address: String? = nil, `in`: Bool = false, point: Point) {
    self.address = address
    self.`in` = `in`
    self.point = point
  }
}
