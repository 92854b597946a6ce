/// A fetch request that a model keeps under a name, or that a fetched property evaluates.
///
/// Its predicate is text, which is parsed when the request is executed.
public struct FetchRequestTemplate: Sendable, Hashable {
  /// The template's name in its model.
  public var name: String
  /// The name of the entity to fetch.
  public var entity: String
  /// The predicate as text, which may use `$variables`.
  public var predicate: String?
  /// The sort keys, the most significant first.
  public var sortKeys: [SortKey]
  /// The kind of result for each object found.
  public var resultType: ResultType
  /// The maximum number of results; 0 for no limit.
  public var fetchLimit: Int
  /// The number of results to skip.
  public var fetchOffset: Int
  /// The number of objects to load at a time; 0 for all at once.
  public var fetchBatchSize: Int
  /// The flags of the request.
  public var flags: Flags
  /// The details of the source that the request has no property for.
  public var source: SourceDetails

  /// A key path and a direction to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The key path of the value.
    public var keyPath: String
    /// Whether the least value comes first.
    public var isAscending: Bool
    /// The name of the comparison, as archives spell it; `nil` for the usual comparison.
    public var selector: String?

    /// Creates a sort key over the given path.
    public init(_ keyPath: String, isAscending: Bool = true, selector: String? = nil) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }

  /// The kind of result that a request returns for each object found.
  public enum ResultType: Int, Sendable, Hashable {
    case objects = 0
    case identifiers = 1
    case dictionaries = 2
    /// Only the number of objects.
    case count = 4
  }

  /// The flags of a request.
  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    /// Creates the flags with the given bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The request finds objects of subentities too.
    public static let includesSubentities = Flags(rawValue: 1 << 0)
    /// The request reads values together with the identifiers.
    public static let includesPropertyValues = Flags(rawValue: 1 << 1)
    /// The request considers unsaved changes.
    public static let includesPendingChanges = Flags(rawValue: 1 << 2)
    /// The request returns objects as faults.
    public static let returnsObjectsAsFaults = Flags(rawValue: 1 << 3)
    /// The request returns equal dictionaries once.
    public static let returnsDistinctResults = Flags(rawValue: 1 << 4)

    /// The default flags of a request.
    public static let usual: Flags = [
      .includesSubentities, .includesPropertyValues, .includesPendingChanges,
      .returnsObjectsAsFaults,
    ]
  }

  /// Creates a request for the objects of the given entity.
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

/// A property whose value is the result of a fetch request, evaluated when the property is read.
///
/// The request may use `$FETCH_SOURCE`, the object that has the property. Unlike a relationship, the request may
/// find objects of another store. The value is never stored.
public struct FetchedProperty: Sendable, Hashable {
  public var name: String
  public var request: FetchRequestTemplate
  /// Whether the request may find nothing.
  public var isOptional: Bool
  /// The name of the property in the previous version, for migration.
  public var renamingIdentifier: String?
  /// The modifier from the source. No version hash covers it, because fetched properties are not stored.
  public var versionHashModifier: String?
  public var userInfo: [String: String]
  /// The details of the source that the property has no part for.
  public var source: SourceDetails

  /// Creates a property that evaluates the given request.
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
