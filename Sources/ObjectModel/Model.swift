/// The shape of a document's objects: entities with their properties, and what belongs to them.
///
///     let model = try Model(entities: [trip, stop])
///     model.properties(of: "Stop")        // its own and those of its superentities
///
/// A model is an immutable value, checked when it is made: every reference in it leads somewhere,
/// every inverse leads back, inheritance has no cycle. Making one from parts that do not fit throws
/// a ``ModelError`` that lists every fault found.
public struct Model: Sendable {
  let storage: Storage

  /// Whether another is a copy of this one, and not only equal to it.
  package func isSame(as other: Model) -> Bool { storage === other.storage }

  /// Everything a model is made of, before it has been checked.
  ///
  /// Readers of model files fill one of these; ``Model/init(_:)`` turns it into a model.
  public struct Description: Sendable, Hashable {
    /// The entities, in the order of their source.
    public var entities: [Entity]
    /// The groups of attributes that composite attributes refer to.
    public var composites: [CompositeType]
    /// Named subsets of the entities.
    public var configurations: [Configuration]
    /// The fetch requests that the model keeps under a name.
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// What the author calls this version. A hint only: hashes decide whether models are compatible.
    public var versionIdentifiers: [String]
    /// What the model's source file says beyond the model, kept so that writing it loses nothing.
    public var source: SourceDetails

    /// A description of a model with the given parts.
    public init(
      entities: [Entity] = [],
      composites: [CompositeType] = [],
      configurations: [Configuration] = [],
      fetchRequestTemplates: [FetchRequestTemplate] = [],
      versionIdentifiers: [String] = [],
      source: SourceDetails = SourceDetails()
    ) {
      self.entities = entities
      self.composites = composites
      self.configurations = configurations
      self.fetchRequestTemplates = fetchRequestTemplates
      self.versionIdentifiers = versionIdentifiers
      self.source = source
    }
  }
}

extension Model {
  /// Checks a description and makes a model of it.
  ///
  /// Every fault is found, not only the first. Those of the severity ``ModelFault/Severity/warning``
  /// are kept in ``warnings``, unless `strict` asks for them to be errors too.
  ///
  /// - Throws: ``ModelError`` with every fault found.
  public init(_ description: Description, strict: Bool = false) throws(ModelError) {
    let check = ModelCheck(description)
    let grave = strict ? check.faults : check.faults.filter { $0.severity == .error }
    guard grave.isEmpty else { throw ModelError(faults: grave) }
    storage = Storage(check.index, warnings: check.faults)
  }

  /// Checks the given entities and makes a model of them.
  ///
  /// - Throws: ``ModelError`` with every fault found.
  public init(entities: [Entity]) throws(ModelError) {
    try self.init(Description(entities: entities))
  }

  /// Everything that is wrong with a description or deserves a second look, in the order of its
  /// source.
  ///
  /// Takes any description, however broken, and time in proportion to its size.
  public static func faults(in description: Description) -> [ModelFault] {
    ModelCheck(description).faults
  }

  /// What deserves a second look in this model, such as relationships without inverses.
  public var warnings: [ModelFault] { storage.warnings }
}
