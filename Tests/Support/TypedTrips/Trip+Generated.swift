// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Trip`.
@Entity
nonisolated public final class Trip: ManagedObject {
  /// The attribute `budget`: a decimal number of at least `0`, `0` in a new object.
  @Attribute(.range(0...)) public var budget: Decimal? = 0

  /// The attribute `id`: a UUID.
  public var id: UUID?

  /// The attribute `name`: text of `1` to `100` characters, required, "Untitled" in a new object.
  @Attribute(.length(1...100)) public var name: String = "Untitled"

  /// The attribute `start`: a date.
  public var start: Date?

  /// The attribute `stopCount`: a whole number of 64 bits, computed by `stops.@count`.
  @Derived("stops.@count") public var stopCount: Int64?

  /// The relationship `stops`: any number of objects of `Stop`, in an order of their own. They are
  /// deleted with this object.
  @Relationship(.cascade, inverse: \Stop.trip, ordered: true) public var stops: RelatedObjects<Stop>

  /// The relationship `travellers`: any number of objects of `Person`.
  @Relationship public var travellers: RelatedObjects<Person>
}

extension Trip {
  /// The fetch request template `tripsAfter`: objects of `Trip` where `start >= $DATE`.
  public static func tripsAfter(date: Date) throws(QueryError) -> FetchRequest<Trip> {
    try FetchRequest<Trip>(template: "tripsAfter", in: TripsModel.model, variables: ["DATE": date])
  }
}
