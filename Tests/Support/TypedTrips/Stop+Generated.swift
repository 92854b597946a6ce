// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Stop`.
nonisolated open class Stop: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public class Keys {
    /// `arrival`
    public static let arrival = AttributeName<Date?>("arrival")
    /// `latitude`
    public static let latitude = AttributeName<Double>("latitude")
    /// `longitude`
    public static let longitude = AttributeName<Double>("longitude")
    /// `name`
    public static let name = AttributeName<String>("name")
    /// `nights`
    public static let nights = AttributeName<Int32>("nights")
    /// `website`
    public static let website = AttributeName<URL?>("website")
    /// `trip`
    public static let trip = ToOneName<Trip>("trip")
  }

  /// The entity's name in the model.
  open override class var entityName: String { "Stop" }

  /// The attribute `arrival`: a moment.
  public final var arrival: Date? {
    get { self[Keys.arrival] }
    set { self[Keys.arrival] = newValue }
  }

  /// The attribute `latitude`: a number from `-90.0` to `90.0`, required, `0.0` in a new object.
  public final var latitude: Double {
    get { self[Keys.latitude] }
    set { self[Keys.latitude] = newValue }
  }

  /// The attribute `longitude`: a number from `-180.0` to `180.0`, required, `0.0` in a new object.
  public final var longitude: Double {
    get { self[Keys.longitude] }
    set { self[Keys.longitude] = newValue }
  }

  /// The attribute `name`: text, required, empty in a new object.
  public final var name: String {
    get { self[Keys.name] }
    set { self[Keys.name] = newValue }
  }

  /// The attribute `nights`: a whole number of 32 bits from `0` to `365`, required, `1` in a new
  /// object.
  public final var nights: Int32 {
    get { self[Keys.nights] }
    set { self[Keys.nights] = newValue }
  }

  /// The attribute `website`: a URI.
  public final var website: URL? {
    get { self[Keys.website] }
    set { self[Keys.website] = newValue }
  }

  /// The relationship `trip`: one object of `Trip`, required.
  public final var trip: Trip? {
    get { self[Keys.trip] }
    set { self[Keys.trip] = newValue }
  }
}
