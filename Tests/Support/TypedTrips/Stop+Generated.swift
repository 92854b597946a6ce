// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Stop`.
@Entity
nonisolated open class Stop: ManagedObject {
  /// The attribute `arrival`: a date.
  public final var arrival: Date?

  /// The attribute `latitude`: a number from `-90.0` to `90.0`, required, `0.0` in a new object.
  @Attribute(.range(-90.0...90.0)) public final var latitude: Double = 0.0

  /// The attribute `longitude`: a number from `-180.0` to `180.0`, required, `0.0` in a new object.
  @Attribute(.range(-180.0...180.0)) public final var longitude: Double = 0.0

  /// The attribute `name`: text, required, empty in a new object.
  public final var name: String = ""

  /// The attribute `nights`: a whole number of 32 bits from `0` to `365`, required, `1` in a new
  /// object.
  @Attribute(.range(0...365)) public final var nights: Int32 = 1

  /// The attribute `website`: a URI.
  public final var website: URL?

  /// The relationship `trip`: one object of `Trip`, required.
  @Relationship(optional: false) public final var trip: Trip?

  #Index<Stop>([\.arrival])
}
