/// A property that holds a value.
///
///     Attribute("age", .int32, isOptional: false, defaultValue: .integer(0))
public struct Attribute: Sendable, Hashable {
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether an object may lack a value.
  public var isOptional: Bool
  /// Whether the attribute is held in memory only.
  public var isTransient: Bool
  /// The value of a new object, and of a row written before the attribute existed.
  public var defaultValue: Value
  /// The rules that values must meet.
  public var validation: Validation
  /// The derivation of the value from other properties; `nil` for an ordinary attribute.
  public var derivation: Derivation?
  /// The name of the composite type, for a composite attribute.
  public var compositeName: String?
  /// The name of the transformer between a transformable attribute's values and bytes.
  public var valueTransformerName: String?
  /// The class of a transformable attribute's values, as the source names it.
  public var valueClassName: String?
  /// The options for storage and indexing.
  public var options: Options
  /// The name of the attribute in the previous version, for migration.
  public var renamingIdentifier: String?
  /// A text that changes the version hash, for a change that the hash does not otherwise cover.
  public var versionHashModifier: String?
  public var userInfo: [String: String]
  /// The details of the source that the attribute has no property for.
  public var source: SourceDetails

  /// Options for the storage of an attribute.
  public struct Options: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    /// Creates the options with the given bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Large values are stored apart from their rows.
    public static let allowsExternalStorage = Options(rawValue: 1 << 0)
    /// The value stays in the history after the object is deleted.
    public static let preservesValueOnDeletion = Options(rawValue: 1 << 1)
    /// The attribute has its own index, as in models from before fetch indexes.
    public static let isIndexed = Options(rawValue: 1 << 2)
    /// Apple's full-text indexer sees the attribute.
    public static let isIndexedBySpotlight = Options(rawValue: 1 << 3)
    /// Apple's truth file holds the attribute.
    public static let isStoredInTruthFile = Options(rawValue: 1 << 4)
    /// Apple's cloud store keeps the value encrypted.
    public static let allowsCloudEncryption = Options(rawValue: 1 << 5)
  }

  /// The rules for the values of an attribute. Not part of the version hash.
  public struct Validation: Sendable, Hashable {
    /// The least value, or for text the least number of characters, as ``Value/integer(_:)``.
    public var minimum: Value
    /// The greatest value, or for text the greatest number of characters, as ``Value/integer(_:)``.
    public var maximum: Value
    /// A regular expression that the whole text must match.
    public var pattern: String?
    /// The precision of values, which is their form in text too; `nil` for values of any precision.
    public var precision: Precision?
    /// Further predicates that the value must meet.
    public var predicates: [ValidationPredicate]

    /// Creates rules of the given bounds, pattern, precision and predicates; none by default.
    public init(
      minimum: Value = .null, maximum: Value = .null, pattern: String? = nil,
      precision: Precision? = nil, predicates: [ValidationPredicate] = []
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.pattern = pattern
      self.precision = precision
      self.predicates = predicates
    }
  }

  /// The derivation of an attribute from other properties.
  public struct Derivation: Sendable, Hashable {
    /// The expression, as the source spells it: `canonical:(name)`, `count:(stops)`, `now()`.
    public var expression: String
    /// A predicate in text form that restricts the objects of a to-many derivation.
    public var filter: String?

    /// Creates a derivation by the given expression.
    public init(_ expression: String, filter: String? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// Creates an attribute with the given name, type and parts.
  public init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true,
    isTransient: Bool = false,
    defaultValue: Value = .null,
    validation: Validation = Validation(),
    derivation: Derivation? = nil,
    compositeName: String? = nil,
    valueTransformerName: String? = nil,
    valueClassName: String? = nil,
    options: Options = [],
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:],
    source: SourceDetails = SourceDetails()
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.defaultValue = defaultValue
    self.validation = validation
    self.derivation = derivation
    self.compositeName = compositeName
    self.valueTransformerName = valueTransformerName
    self.valueClassName = valueClassName
    self.options = options
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.source = source
  }
}
