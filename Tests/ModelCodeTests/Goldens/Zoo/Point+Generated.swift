// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// The composite type `Point`.
@Composite
nonisolated public struct Point: CompositeValue, Sendable, Hashable {
  /// The attribute `latitude`: a number, required, `0.0` in a new object.
  public var latitude: Double = 0.0
  /// The attribute `longitude`: a number, required, `0.0` in a new object.
  public var longitude: Double = 0.0
  /// The attribute `measured`: a date.
  public var measured: Date?

  /// The given parts.
  public init(latitude: Double = 0.0, longitude: Double = 0.0, measured: Date? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.measured = measured
  }
}
