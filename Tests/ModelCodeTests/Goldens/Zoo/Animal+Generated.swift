// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Animal`.
///
/// `cache` has no type, and so has no accessor.
@Entity
nonisolated open class Animal: Creature {
  /// The attribute `birthday`: a date, required.
  public final var birthday: Date

  /// The attribute `class`: text, required, "Mammalia" in a new object.
  public final var `class`: String = "Mammalia"

  /// The attribute `colour`: bytes made by `ColourTransformer`.
  public final var colour: Colour? {
    get throws { try transformed(forKey: "colour", as: Colour.self) }
  }

  /// Sets `colour` to a value, or to none.
  public final func setColour(_ value: Colour?) throws {
    try setTransformed(value, forKey: "colour")
  }

  /// The bytes of `colour`.
  @Attribute("colour", .transformable(by: "ColourTransformer", of: "Colour"))
  public final var colourData: Foundation.Data?

  /// The attribute `feedingCount`: a whole number of 64 bits, computed by `feedings.@count`.
  @Derived("feedings.@count") public final var feedingCount: Int64?

  /// The attribute `habitat`: a group of values.
  @Attribute(.required) public final var habitat: Place

  /// The attribute `isHungry`: true or false, required, `true` in a new object.
  public final var isHungry: Bool = true

  /// The attribute `legs`: a whole number of 16 bits from `0` to `1000`, required, `4` in a new
  /// object.
  @Attribute(.range(0...1000)) public final var legs: Int16 = 4

  /// The attribute `notes`: bytes made by `NSSecureUnarchiveFromData`.
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData"))
  public final var notes: Foundation.Data?

  /// The attribute `photo`: bytes, required.
  @Attribute(.externalStorage) public final var photo: Foundation.Data

  /// The attribute `price`: a decimal number of at least `0`.
  @Attribute(.range(0...)) public final var price: Decimal?

  /// The attribute `tags`: bytes made by `TagsTransformer`.
  public final var tags: [String: Set<Int>]? {
    get throws { try transformed(forKey: "tags", as: [String: Set<Int>].self) }
  }

  /// Sets `tags` to a value, or to none.
  public final func setTags(_ value: [String: Set<Int>]?) throws {
    try setTransformed(value, forKey: "tags")
  }

  /// The bytes of `tags`.
  @Attribute("tags", .transformable(by: "TagsTransformer", of: "[String:Set<Int>]"))
  public final var tagsData: Foundation.Data?

  /// The attribute `weight`: a number of 32 bits of at least `0.5`.
  @Attribute(.range(Float(0.5)...)) public final var weight: Float?

  /// The relationship `enclosure`: one object of `Enclosure`, required.
  @Relationship(optional: false) public final var enclosure: Enclosure?

  /// The relationship `feedings`: any number of objects of `Data`, in an order of their own. They
  /// are deleted with this object.
  @Relationship(.cascade, inverse: \Data.animal, ordered: true)
  public final var feedings: RelatedObjects<`Data`>

  /// The relationship `friends`: at most 9 objects of `Animal`.
  @Relationship(maximum: 9) public final var friends: RelatedObjects<Animal>

  /// The fetched property `neighbours`: objects of `Animal` where `enclosure ==
  /// $FETCH_SOURCE.enclosure`.
  @Fetched(where: "enclosure == $FETCH_SOURCE.enclosure") public final var neighbours: [Animal]

  #Index<Animal>(words: \.`class`, \.name)

  #Inverse<Animal>(\.friends, \.friends)
}

extension Animal {
  /// The fetch request template `all`: objects of `Animal`.
  public static func all_() throws(QueryError) -> FetchRequest<Animal> {
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
