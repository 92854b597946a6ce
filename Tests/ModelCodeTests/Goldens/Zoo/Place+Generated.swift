// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// The composite type `Place`.
@Composite
nonisolated public struct Place: CompositeValue, Sendable, Hashable {
  /// The attribute `address`: text.
  public var address: String?
  /// The attribute `in`: true or false, required, `false` in a new object.
  public var `in`: Bool = false
  /// The attribute `point`: a group of values.
  @Attribute(.required)
  public var point: Point

  /// The given parts.
  public init(address: String? = nil, `in`: Bool = false, point: Point) {
    self.address = address
    self.`in` = `in`
    self.point = point
  }
}
