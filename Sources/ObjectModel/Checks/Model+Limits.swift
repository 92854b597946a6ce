extension Model {
  /// The greatest number of entities in one model (spec §2.2.4).
  ///
  /// An object's key has 16 bits for the entity's number, and zero is not a number.
  public static let greatestEntityCount = 65_535

  /// The greatest number of properties of one entity, inherited ones included (spec §2.2.4).
  ///
  /// Blocks number columns with 16 bits and reserve some numbers.
  public static let greatestPropertyCount = 60_000

  /// The greatest number of entities above one entity (spec §2.2.4).
  public static let greatestInheritanceDepth = 100

  /// The greatest number of inherited properties, added up over all entities (spec §2.2.4).
  ///
  /// A version hash covers each inherited property. Without this limit, a model of a few megabytes could keep its
  /// reader busy for minutes: one entity of many properties above many entities.
  public static let greatestInheritedPropertyCount = 4_194_304

  /// The greatest length of the name of an entity, property or other part, in bytes of UTF-8
  /// (spec §2.2.4).
  public static let greatestNameByteCount = 1_000
}
