// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Foundation
public import Quire

/// An object of the entity `Trip`.
nonisolated public final class Trip: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `budget`
    public static let budget = AttributeName<Decimal?>("budget")
    /// `id`
    public static let id = AttributeName<UUID?>("id")
    /// `name`
    public static let name = AttributeName<String>("name")
    /// `start`
    public static let start = AttributeName<Date?>("start")
    /// `stopCount`
    public static let stopCount = AttributeName<Int64?>("stopCount")
    /// `stops`
    public static let stops = ToManyName<Stop>("stops")
    /// `travellers`
    public static let travellers = ToManyName<Person>("travellers")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Trip" }

  /// The attribute `budget`: a decimal number of at least `0`, `0` in a new object.
  public var budget: Decimal? {
    get { self[Keys.budget] }
    set { self[Keys.budget] = newValue }
  }

  /// The attribute `id`: a UUID.
  public var id: UUID? {
    get { self[Keys.id] }
    set { self[Keys.id] = newValue }
  }

  /// The attribute `name`: text of `1` to `100` characters, required, "Untitled" in a new object.
  public var name: String {
    get { self[Keys.name] }
    set { self[Keys.name] = newValue }
  }

  /// The attribute `start`: a moment.
  public var start: Date? {
    get { self[Keys.start] }
    set { self[Keys.start] = newValue }
  }

  /// The attribute `stopCount`: a whole number of 64 bits, computed by `stops.@count`.
  public var stopCount: Int64? {
    self[Keys.stopCount]
  }

  /// The relationship `stops`: any number of objects of `Stop`, in an order of their own. They are
  /// deleted with this object.
  public var stops: RelatedObjects<Stop> {
    get { self[Keys.stops] }
    set { self[Keys.stops] = newValue }
  }

  /// Adds an object to `stops`.
  public func addToStops(_ object: Stop) {
    add(object, to: Keys.stops)
  }

  /// Adds each of the objects to `stops`.
  public func addToStops(_ objects: some Sequence<Stop>) {
    for object in objects { add(object, to: Keys.stops) }
  }

  /// Takes an object away from `stops`.
  public func removeFromStops(_ object: Stop) {
    remove(object, from: Keys.stops)
  }

  /// Takes each of the objects away from `stops`.
  public func removeFromStops(_ objects: some Sequence<Stop>) {
    for object in objects { remove(object, from: Keys.stops) }
  }

  /// Puts an object at a place of `stops`. One that is in it already moves there.
  public func insertIntoStops(_ object: Stop, at index: Int) {
    insert(object, into: Keys.stops, at: index)
  }

  /// Puts objects one behind another at a place of `stops`.
  public func insertIntoStops(_ objects: some Sequence<Stop>, at index: Int) {
    insert(objects, into: Keys.stops, at: index)
  }

  /// Takes the object at a place away from `stops`.
  public func removeFromStops(at index: Int) {
    remove(at: index, from: Keys.stops)
  }

  /// Moves the object at one place of `stops` to another.
  public func moveInStops(from index: Int, to target: Int) {
    move(in: Keys.stops, from: index, to: target)
  }

  /// Puts an object in the place of the one that is there in `stops`.
  public func replaceStops(at index: Int, with object: Stop) {
    replace(at: index, in: Keys.stops, with: object)
  }

  /// The relationship `travellers`: any number of objects of `Person`.
  public var travellers: RelatedObjects<Person> {
    get { self[Keys.travellers] }
    set { self[Keys.travellers] = newValue }
  }

  /// Adds an object to `travellers`.
  public func addToTravellers(_ object: Person) {
    add(object, to: Keys.travellers)
  }

  /// Adds each of the objects to `travellers`.
  public func addToTravellers(_ objects: some Sequence<Person>) {
    for object in objects { add(object, to: Keys.travellers) }
  }

  /// Takes an object away from `travellers`.
  public func removeFromTravellers(_ object: Person) {
    remove(object, from: Keys.travellers)
  }

  /// Takes each of the objects away from `travellers`.
  public func removeFromTravellers(_ objects: some Sequence<Person>) {
    for object in objects { remove(object, from: Keys.travellers) }
  }
}

extension Trip {
  /// The fetch request template `tripsAfter`: objects of `Trip` where `start >= $DATE`.
  public static func tripsAfter(date: Date) throws(QueryError) -> FetchRequest<Trip> {
    try FetchRequest<Trip>(template: "tripsAfter", in: TripsModel.model, variables: ["DATE": date])
  }
}
