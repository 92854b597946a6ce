/// The shape of a document's objects: entities with their properties, and the parts that belong to them.
///
///     let model = try Model(entities: [trip, stop])
///     model.properties(of: "Stop")        // its own and those of its superentities
///
/// A model is an immutable value that is checked when it is created. Every reference in it is valid, every inverse
/// is mutual, and inheritance has no cycle. If the parts contradict each other, the initializer throws a
/// ``ModelError`` with every fault found.
public struct Model: Sendable {
  let storage: Storage

  /// Returns whether another model is a copy of this model, and not only equal to it.
  package func isSame(as other: Model) -> Bool { storage === other.storage }

  /// All parts of a model before they are checked.
  ///
  /// Readers of model files create a description; ``Model/init(_:strict:)`` turns it into a model.
  public struct Description: Sendable, Hashable {
    /// The entities, in the order of their source.
    public var entities: [Entity]
    /// The groups of attributes that composite attributes refer to.
    public var composites: [CompositeType]
    /// Named subsets of the entities.
    public var configurations: [Configuration]
    /// The fetch requests that the model keeps under names.
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// The author's names of this version. Only a hint: hashes decide whether models are compatible.
    public var versionIdentifiers: [String]
    /// The details of the source file that the model has no property for, kept so that they are written again.
    public var source: SourceDetails

    /// Creates a description of a model with the given parts.
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
  /// Checks a description and creates a model from it.
  ///
  /// All faults are found, not only the first. Faults of the severity
  /// ``ModelFault/Severity/warning`` are kept in ``warnings``, unless `strict` turns them into errors.
  ///
  /// - Throws: ``ModelError`` with every fault found.
  public init(_ description: Description, strict: Bool = false) throws(ModelError) {
    let check = ModelCheck(description)
    let grave = strict ? check.faults : check.faults.filter { $0.severity == .error }
    guard grave.isEmpty else { throw ModelError(faults: grave) }
    storage = Storage(check.index, warnings: check.faults)
  }

  /// Checks the given entities and creates a model from them.
  ///
  /// - Throws: ``ModelError`` with every fault found.
  public init(entities: [Entity]) throws(ModelError) {
    try self.init(Description(entities: entities))
  }

  /// Returns all errors and warnings of a description, in the order of its source.
  ///
  /// Accepts any description, even a badly damaged one, and takes time in proportion to its size.
  public static func faults(in description: Description) -> [ModelFault] {
    ModelCheck(description).faults
  }

  /// The warnings about this model, such as relationships without inverses.
  public var warnings: [ModelFault] { storage.warnings }
}
