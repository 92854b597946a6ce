public import ObjectModel

/// The layouts of all entities of a store, with the numbers the store knows them by.
///
///     let schema = try Schema(model)
///     let layout = schema["Trip"]!
///
/// A store keeps its schema beside its rows. When the model changes, the next schema is made from
/// the model *and* the schema before, so that what stayed keeps its number and no number is ever
/// used for something else.
public struct Schema: Sendable, Hashable {
  /// The layouts, in the order of their entity numbers. Abstract entities have one too.
  public let layouts: [Layout]
  /// The numbers of relationships that have no column of their own, because they follow from their
  /// inverse or are kept as links, by entity and name.
  public let relationshipNumbers: [String: [String: UInt16]]
  /// The links of relationships that lead to many on both sides, in the order of their numbers.
  public let linkTables: [LinkTable]
  /// What rows and links are sorted by, in the order of their numbers.
  public let indexes: [IndexLayout]
  /// The highest number ever given to an entity, a link table or an index.
  public let highestEntityNumber: UInt16
  /// The highest property number ever given, by the number of the family's root entity.
  public let highestPropertyNumbers: [UInt16: UInt16]

  private let names: KnownPositions<String>

  /// The layout of the named entity.
  public subscript(entity: String) -> Layout? {
    names.position(of: entity, among: layouts.count) { layouts[$0].entity }.map { layouts[$0] }
  }

  /// The layout of the entity, or of the links, with the given number.
  public subscript(number: UInt16) -> Layout? {
    let layout = layouts.firstPosition { $0.entityNumber >= number }
    if layout < layouts.count, layouts[layout].entityNumber == number { return layouts[layout] }
    let table = linkTables.firstPosition { $0.layout.entityNumber >= number }
    guard table < linkTables.count, linkTables[table].layout.entityNumber == number else {
      return nil
    }
    return linkTables[table].layout
  }
}

extension Schema {
  /// A schema of layouts in the order of their numbers, none of which is there twice; `nil` when a name
  /// is.
  init?(
    known layouts: [Layout], _ relationshipNumbers: [String: [String: UInt16]],
    _ linkTables: [LinkTable], _ indexes: [IndexLayout],
    _ highestEntityNumber: UInt16, _ highestPropertyNumbers: [UInt16: UInt16]
  ) {
    self.layouts = layouts
    self.linkTables = linkTables
    self.indexes = indexes
    self.relationshipNumbers = relationshipNumbers
    self.highestEntityNumber = highestEntityNumber
    self.highestPropertyNumbers = highestPropertyNumbers
    guard let names = KnownPositions(layouts.count, { layouts[$0].entity }) else { return nil }
    self.names = names
  }
}

extension Schema {
  /// Whether another schema has the same entities under the same numbers.
  package func numbersEntities(as other: Schema) -> Bool {
    layouts.count == other.layouts.count
      && zip(layouts, other.layouts).allSatisfy {
        $0.entity == $1.entity && $0.entityNumber == $1.entityNumber
      }
  }
}

/// Why a schema can't be made of a model.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in a sentence.
  public let description: String
}

extension Schema {
  /// Numbers the entities and properties of a model, keeping what `previous` already numbered.
  ///
  /// Entities are numbered depth first with siblings in the order of their names, properties within
  /// a family of entities that inherit from one another. An entity or property is the same as one
  /// before when it continues it (spec §2.5.3); a property whose values the new kind can't hold gets a
  /// new number.
  ///
  /// - Parameter before: The model of the schema before. Without it what has the name, or is named by a
  ///   renaming identifier, is taken for the same.
  /// - Throws: ``SchemaError`` when the model has more entities or properties than there are numbers.
  public init(
    _ model: Model, evolving previous: Schema? = nil, of before: Model? = nil
  ) throws(SchemaError) {
    var numbering = Numbering(model: model, previous: previous, of: before)
    try numbering.run()
    try self.init(
      layouts: numbering.layouts, relationshipNumbers: numbering.relationshipNumbers,
      linkTables: numbering.linkTables, indexes: numbering.indexes,
      highestEntityNumber: numbering.highestEntity,
      highestPropertyNumbers: numbering.highestProperty)
  }
}
