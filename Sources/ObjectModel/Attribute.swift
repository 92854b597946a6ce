/// A property that holds a value.
///
///     Attribute("age", .int32, isOptional: false, defaultValue: .integer(0))
public struct Attribute: Sendable, Hashable {
  /// The attribute's name.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether it may have no value.
  public var isOptional: Bool
  /// Whether it lives in memory only.
  public var isTransient: Bool
  /// The value of a new object, and of a row written before the attribute existed.
  public var defaultValue: Value
  /// What values are allowed.
  public var validation: Validation
  /// How the value follows from others; `nil` for an ordinary attribute.
  public var derivation: Derivation?
  /// The name of the composite type, for a composite attribute.
  public var compositeName: String?
  /// The name of the transformer between a transformable attribute's values and bytes.
  public var valueTransformerName: String?
  /// The class of a transformable attribute's values, as the source names it.
  public var valueClassName: String?
  /// Storage and indexing choices.
  public var options: Options
  /// The name the attribute had in the version before, for migration.
  public var renamingIdentifier: String?
  /// Text that changes the version hash when nothing else does.
  public var versionHashModifier: String?
  /// Notes of the application's own.
  public var userInfo: [String: String]
  /// What the source says beyond the attribute.
  public var source: SourceDetails

  /// Choices about how an attribute is stored.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// The options with the given bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Large values are kept apart from their rows.
    public static let allowsExternalStorage = Options(rawValue: 1 << 0)
    /// The value is kept in the history after the object is deleted.
    public static let preservesValueOnDeletion = Options(rawValue: 1 << 1)
    /// The attribute has an index of its own, in the manner of models before fetch indexes.
    public static let isIndexed = Options(rawValue: 1 << 2)
    /// Apple's full-text indexer sees the attribute.
    public static let isIndexedBySpotlight = Options(rawValue: 1 << 3)
    /// Apple's truth file holds the attribute.
    public static let isStoredInTruthFile = Options(rawValue: 1 << 4)
    /// Apple's cloud store keeps the value encrypted.
    public static let allowsCloudEncryption = Options(rawValue: 1 << 5)
  }

  /// What values an attribute accepts. Not part of the version hash.
  public struct Validation: Sendable, Hashable {
    /// The least value, or for text the least number of characters, as ``Value/integer(_:)``.
    public var minimum: Value
    /// The greatest value, or for text the greatest number of characters, as ``Value/integer(_:)``.
    public var maximum: Value
    /// A regular expression that the whole text must match.
    public var pattern: String?
    /// Predicates that the value must meet besides.
    public var predicates: [ValidationPredicate]

    /// The given bounds, pattern and predicates; none by default.
    public init(
      minimum: Value = .null, maximum: Value = .null, pattern: String? = nil,
      predicates: [ValidationPredicate] = []
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.pattern = pattern
      self.predicates = predicates
    }
  }

  /// How a derived attribute follows from other properties.
  public struct Derivation: Sendable, Hashable {
    /// The expression, as its source spells it: `canonical:(name)`, `count:(stops)`, `now()`.
    public var expression: String
    /// A predicate in text form that restricts what a to-many derivation counts.
    public var filter: String?

    /// The derivation by the given expression.
    public init(_ expression: String, filter: String? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// An attribute with the given name, type and parts.
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
