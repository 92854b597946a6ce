public import ObjectModel

/// The layouts of all entities of a store, with their numbers in the store.
///
///     let schema = try Schema(model)
///     let layout = schema["Trip"]!
///
/// A store keeps its schema beside its rows. When the model changes, the next schema is derived from the model
/// *and* the previous schema. So unchanged parts keep their numbers, and no number is ever reused for another part.
public struct Schema: Sendable, Hashable {
  /// The layouts, in the order of their entity numbers. Abstract entities have layouts too.
  public let layouts: [Layout]
  /// The numbers of relationships without their own column, by entity and name. Such relationships follow from
  /// their inverse or are kept as links.
  public let relationshipNumbers: [String: [String: UInt16]]
  /// The link tables of relationships that are to-many on both sides or have no inverse, in the order of their
  /// numbers.
  public let linkTables: [LinkTable]
  /// The indexes of rows and links, in the order of their numbers.
  public let indexes: [IndexLayout]
  /// The highest number ever assigned to an entity, a link table or an index.
  public let highestEntityNumber: UInt16
  /// The highest property number ever assigned, by the number of the family's root entity.
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
  /// Creates a schema of layouts in the order of their numbers, without duplicates; `nil` when a name occurs twice.
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
  /// Returns whether another schema has the same entities under the same numbers.
  package func numbersEntities(as other: Schema) -> Bool {
    layouts.count == other.layouts.count
      && zip(layouts, other.layouts).allSatisfy {
        $0.entity == $1.entity && $0.entityNumber == $1.entityNumber
      }
  }
}

/// An error that explains why no schema can be derived from a model.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that says what is wrong.
  public let description: String
}

extension Schema {
  /// Numbers the entities and properties of a model, and keeps the numbers of `previous`.
  ///
  /// Entities are numbered depth first, with siblings in the order of their names. Properties are numbered within a
  /// family of entities that inherit from one another. An entity or property keeps the number of the one that it
  /// continues (spec §2.5.3). A property gets a new number when its new kind can't represent all old values.
  ///
  /// - Parameter before: The model of the previous schema. Without the model, an entity or property continues the
  ///   one with its name or its renaming identifier.
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
