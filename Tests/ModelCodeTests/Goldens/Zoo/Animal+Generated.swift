// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Animal`.
///
/// `cache` has no type, and so has no accessor.
nonisolated open class Animal: Creature {
  /// The names of the properties, each with its type. Inherited ones are inherited here too.
  nonisolated public class Keys: Creature.Keys {
    /// `birthday`
    public static let birthday = AttributeName<Date>("birthday")
    /// `class`
    public static let `class` = AttributeName<String>("class")
    /// `colour`
    public static let colour = AttributeName<Foundation.Data?>("colour")
    /// `feedingCount`
    public static let feedingCount = AttributeName<Int64?>("feedingCount")
    /// The parts of `habitat`.
    nonisolated public enum Habitat {
      /// `habitat.address`
      public static let address = AttributeName<String?>("habitat.address")
      /// `habitat.in`
      public static let `in` = AttributeName<Bool>("habitat.in")
      /// The parts of `habitat.point`.
      nonisolated public enum Point {
        /// `habitat.point.latitude`
        public static let latitude = AttributeName<Double>("habitat.point.latitude")
        /// `habitat.point.longitude`
        public static let longitude = AttributeName<Double>("habitat.point.longitude")
        /// `habitat.point.measured`
        public static let measured = AttributeName<Date?>("habitat.point.measured")
      }
    }
    /// `isHungry`
    public static let isHungry = AttributeName<Bool>("isHungry")
    /// `legs`
    public static let legs = AttributeName<Int16>("legs")
    /// `notes`
    public static let notes = AttributeName<Foundation.Data?>("notes")
    /// `photo`
    public static let photo = AttributeName<Foundation.Data>("photo")
    /// `price`
    public static let price = AttributeName<Decimal?>("price")
    /// `tags`
    public static let tags = AttributeName<Foundation.Data?>("tags")
    /// `weight`
    public static let weight = AttributeName<Float?>("weight")
    /// `enclosure`
    public static let enclosure = ToOneName<Enclosure>("enclosure")
    /// `feedings`
    public static let feedings = ToManyName<Data>("feedings")
    /// `friends`
    public static let friends = ToManyName<Animal>("friends")
    /// `neighbours`
    public static let neighbours = FetchedName<Animal>("neighbours")
  }

  /// The entity's name in the model.
  open override class var entityName: String { "Animal" }

  /// The attribute `birthday`: a moment, required.
  public final var birthday: Date {
    get { self[Keys.birthday] }
    set { self[Keys.birthday] = newValue }
  }

  /// The attribute `class`: text, required, "Mammalia" in a new object.
  public final var `class`: String {
    get { self[Keys.`class`] }
    set { self[Keys.`class`] = newValue }
  }

  /// The attribute `colour`: bytes made by `ColourTransformer`.
  public final var colour: Colour? {
    get throws { try transformed(Keys.colour, as: Colour.self) }
  }

  /// Sets `colour` to a value, or to none.
  public final func setColour(_ value: Colour?) throws {
    try setTransformed(value, Keys.colour)
  }

  /// The attribute `feedingCount`: a whole number of 64 bits, computed by `feedings.@count`.
  public final var feedingCount: Int64? {
    self[Keys.feedingCount]
  }

  /// The attribute `habitat`: a group of values.
  public final var habitat: Place {
    get {
      let point = Point(
        latitude: self[Keys.Habitat.Point.latitude], longitude: self[Keys.Habitat.Point.longitude],
        measured: self[Keys.Habitat.Point.measured])
      return Place(address: self[Keys.Habitat.address], in: self[Keys.Habitat.`in`], point: point)
    }
    set {
      let old = self.habitat
      if newValue.address != old.address {
        self[Keys.Habitat.address] = newValue.address
      }
      if newValue.`in` != old.`in` {
        self[Keys.Habitat.`in`] = newValue.`in`
      }
      if newValue.point.latitude != old.point.latitude {
        self[Keys.Habitat.Point.latitude] = newValue.point.latitude
      }
      if newValue.point.longitude != old.point.longitude {
        self[Keys.Habitat.Point.longitude] = newValue.point.longitude
      }
      if newValue.point.measured != old.point.measured {
        self[Keys.Habitat.Point.measured] = newValue.point.measured
      }
    }
  }

  /// The attribute `isHungry`: yes or no, required, `true` in a new object.
  public final var isHungry: Bool {
    get { self[Keys.isHungry] }
    set { self[Keys.isHungry] = newValue }
  }

  /// The attribute `legs`: a whole number of 16 bits from `0` to `1000`, required, `4` in a new
  /// object.
  public final var legs: Int16 {
    get { self[Keys.legs] }
    set { self[Keys.legs] = newValue }
  }

  /// The attribute `notes`: bytes made by `NSSecureUnarchiveFromData`.
  public final var notes: Foundation.Data? {
    get { self[Keys.notes] }
    set { self[Keys.notes] = newValue }
  }

  /// The attribute `photo`: bytes, required.
  public final var photo: Foundation.Data {
    get { self[Keys.photo] }
    set { self[Keys.photo] = newValue }
  }

  /// The attribute `price`: a decimal number of at least `0`.
  public final var price: Decimal? {
    get { self[Keys.price] }
    set { self[Keys.price] = newValue }
  }

  /// The attribute `tags`: bytes made by `TagsTransformer`.
  public final var tags: [String: Set<Int>]? {
    get throws { try transformed(Keys.tags, as: [String: Set<Int>].self) }
  }

  /// Sets `tags` to a value, or to none.
  public final func setTags(_ value: [String: Set<Int>]?) throws {
    try setTransformed(value, Keys.tags)
  }

  /// The attribute `weight`: a number of 32 bits of at least `0.5`.
  public final var weight: Float? {
    get { self[Keys.weight] }
    set { self[Keys.weight] = newValue }
  }

  /// The relationship `enclosure`: one object of `Enclosure`, required.
  public final var enclosure: Enclosure? {
    get { self[Keys.enclosure] }
    set { self[Keys.enclosure] = newValue }
  }

  /// The relationship `feedings`: any number of objects of `Data`, in an order of their own. They
  /// are deleted with this object.
  public final var feedings: RelatedObjects<Data> {
    get { self[Keys.feedings] }
    set { self[Keys.feedings] = newValue }
  }

  /// Adds an object to `feedings`.
  public final func addToFeedings(_ object: Data) {
    add(object, to: Keys.feedings)
  }

  /// Adds each of the objects to `feedings`.
  public final func addToFeedings(_ objects: some Sequence<Data>) {
    for object in objects { add(object, to: Keys.feedings) }
  }

  /// Takes an object away from `feedings`.
  public final func removeFromFeedings(_ object: Data) {
    remove(object, from: Keys.feedings)
  }

  /// Takes each of the objects away from `feedings`.
  public final func removeFromFeedings(_ objects: some Sequence<Data>) {
    for object in objects { remove(object, from: Keys.feedings) }
  }

  /// Puts an object at a place of `feedings`. One that is in it already moves there.
  public final func insertIntoFeedings(_ object: Data, at index: Int) {
    insert(object, into: Keys.feedings, at: index)
  }

  /// Puts objects one behind another at a place of `feedings`.
  public final func insertIntoFeedings(_ objects: some Sequence<Data>, at index: Int) {
    insert(objects, into: Keys.feedings, at: index)
  }

  /// Takes the object at a place away from `feedings`.
  public final func removeFromFeedings(at index: Int) {
    remove(at: index, from: Keys.feedings)
  }

  /// Moves the object at one place of `feedings` to another.
  public final func moveInFeedings(from index: Int, to target: Int) {
    move(in: Keys.feedings, from: index, to: target)
  }

  /// Puts an object in the place of the one that is there in `feedings`.
  public final func replaceFeedings(at index: Int, with object: Data) {
    replace(at: index, in: Keys.feedings, with: object)
  }

  /// The relationship `friends`: at most 9 objects of `Animal`.
  public final var friends: RelatedObjects<Animal> {
    get { self[Keys.friends] }
    set { self[Keys.friends] = newValue }
  }

  /// Adds an object to `friends`.
  public final func addToFriends(_ object: Animal) {
    add(object, to: Keys.friends)
  }

  /// Adds each of the objects to `friends`.
  public final func addToFriends(_ objects: some Sequence<Animal>) {
    for object in objects { add(object, to: Keys.friends) }
  }

  /// Takes an object away from `friends`.
  public final func removeFromFriends(_ object: Animal) {
    remove(object, from: Keys.friends)
  }

  /// Takes each of the objects away from `friends`.
  public final func removeFromFriends(_ objects: some Sequence<Animal>) {
    for object in objects { remove(object, from: Keys.friends) }
  }

  /// The fetched property `neighbours`: objects of `Animal` where `enclosure ==
  /// $FETCH_SOURCE.enclosure`.
  public final var neighbours: [Animal] {
    get throws { try fetched(Keys.neighbours) }
  }
}

extension Animal {
  /// The fetch request template `all`: objects of `Animal`.
  public static func all() throws(QueryError) -> FetchRequest<Animal> {
    try FetchRequest<Animal>(template: "all", in: ZooModel.model)
  }

  /// The fetch request template `born between`: objects of `Animal` where `birthday BETWEEN $DATES
  /// AND enclosure == $ENCLOSURE AND weight != $WEIGHT`.
  public static func bornBetween(
    dates: ClosedRange<Date>, enclosure: Enclosure?, weight: Float?
  ) throws(QueryError) -> FetchRequest<Animal> {
    try FetchRequest<Animal>(
      template: "born between", in: ZooModel.model,
      variables: ["DATES": dates, "ENCLOSURE": enclosure?.objectID, "WEIGHT": weight])
  }

  /// The fetch request template `default`: objects of `Animal` where `legs IN $LEGS OR
  /// habitat.point.latitude > $LATITUDE OR name CONTAINS[cd] $NAME OR feedings.@count > $COUNT OR
  /// price * 2 < $PRICE OR price == $PRICE OR $FRIEND IN friends`, at most 10.
  public static func `default`(
    count: Int, friend: Animal?, latitude: Double, legs: [Int16], name: String,
    price: (any QueryArgument)?
  ) throws(QueryError) -> FetchRequest<Animal> {
    let variables: [String: (any QueryArgument)?] = [
      "COUNT": count,
      "FRIEND": friend?.objectID,
      "LATITUDE": latitude,
      "LEGS": legs,
      "NAME": name,
      "PRICE": price,
    ]
    return try FetchRequest<Animal>(template: "default", in: ZooModel.model, variables: variables)
  }
}
