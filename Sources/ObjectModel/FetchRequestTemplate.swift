/// A fetch request that a model keeps under a name, or that a fetched property evaluates.
///
/// Its predicate is text here; it is parsed where requests are run.
public struct FetchRequestTemplate: Sendable, Hashable {
  /// The template's name in its model.
  public var name: String
  /// The name of the entity to fetch.
  public var entity: String
  /// The predicate as text, which may use `$variables`.
  public var predicate: String?
  /// What to sort by, most significant first.
  public var sortKeys: [SortKey]
  /// What to give for each object found.
  public var resultType: ResultType
  /// The greatest number of results; 0 for all.
  public var fetchLimit: Int
  /// How many results to pass over first.
  public var fetchOffset: Int
  /// How many objects to load at a time; 0 for all at once.
  public var fetchBatchSize: Int
  /// Choices that are either on or off.
  public var flags: Flags
  /// What the source says beyond the request.
  public var source: SourceDetails

  /// One thing to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The path to the value.
    public var keyPath: String
    /// Whether the least comes first.
    public var isAscending: Bool
    /// The name of the comparison, as archives spell it; `nil` for the usual one.
    public var selector: String?

    /// A key over the given path.
    public init(_ keyPath: String, isAscending: Bool = true, selector: String? = nil) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }

  /// What a request gives for each object found.
  public enum ResultType: Int, Sendable, Hashable {
    /// The object.
    case objects = 0
    /// Its identifier.
    case identifiers = 1
    /// A dictionary of values.
    case dictionaries = 2
    /// The number of objects alone.
    case count = 4
  }

  /// Choices of a request that are either on or off.
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// The flags with the given bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Objects of subentities are found too.
    public static let includesSubentities = Flags(rawValue: 1 << 0)
    /// Values are read with the identifiers.
    public static let includesPropertyValues = Flags(rawValue: 1 << 1)
    /// Changes not yet saved are seen.
    public static let includesPendingChanges = Flags(rawValue: 1 << 2)
    /// Objects come as faults.
    public static let returnsObjectsAsFaults = Flags(rawValue: 1 << 3)
    /// Equal dictionaries are given once.
    public static let returnsDistinctResults = Flags(rawValue: 1 << 4)

    /// What a request has unless it says otherwise.
    public static let usual: Flags = [
      .includesSubentities, .includesPropertyValues, .includesPendingChanges,
      .returnsObjectsAsFaults,
    ]
  }

  /// A request for the objects of the given entity.
  public init(
    _ name: String,
    entity: String,
    predicate: String? = nil,
    sortKeys: [SortKey] = [],
    resultType: ResultType = .objects,
    fetchLimit: Int = 0,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 0,
    flags: Flags = .usual,
    source: SourceDetails = SourceDetails()
  ) {
    self.name = name
    self.entity = entity
    self.predicate = predicate
    self.sortKeys = sortKeys
    self.resultType = resultType
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
    self.flags = flags
    self.source = source
  }
}

/// A property whose value is what a fetch request finds when it is asked for.
///
/// The request may use `$FETCH_SOURCE`, the object that has the property. It may reach into other
/// stores, where a relationship may not. Never stored.
public struct FetchedProperty: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The request to evaluate.
  public var request: FetchRequestTemplate
  /// Whether it may find nothing.
  public var isOptional: Bool
  /// The name the property had in the version before, for migration.
  public var renamingIdentifier: String?
  /// Kept from the source. Fetched properties are not stored, so no version hash sees it.
  public var versionHashModifier: String?
  /// Notes of the application's own.
  public var userInfo: [String: String]
  /// What the source says beyond the property.
  public var source: SourceDetails

  /// A property that evaluates the given request.
  public init(
    _ name: String,
    request: FetchRequestTemplate,
    isOptional: Bool = true,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:],
    source: SourceDetails = SourceDetails()
  ) {
    self.name = name
    self.request = request
    self.isOptional = isOptional
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.source = source
  }
}
