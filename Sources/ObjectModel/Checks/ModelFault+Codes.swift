// Every kind of fault that checking a model can find. The names are stable: tools print them and
// the validator's rules refer to them.

// MARK: Size

extension ModelFault.Code {
  /// The model has more entities than identifiers can number.
  public static let tooManyEntities = ModelFault.Code(rawValue: "tooManyEntities")

  /// An entity has more properties, inherited ones included, than blocks can number.
  public static let tooManyProperties = ModelFault.Code(rawValue: "tooManyProperties")

  /// The entities together inherit more properties than a reader should have to look at.
  public static let tooManyInheritedProperties = ModelFault.Code(
    rawValue: "tooManyInheritedProperties")

  /// An entity stands too far below the topmost one it inherits from.
  public static let inheritanceTooDeep = ModelFault.Code(rawValue: "inheritanceTooDeep")
}

// MARK: Names

extension ModelFault.Code {
  /// A name is empty or is no identifier.
  public static let invalidName = ModelFault.Code(rawValue: "invalidName")

  /// Two parts of one kind have the same name. A warning for the indexes of an entity, which Core Data
  /// does not tell apart by name either.
  public static let duplicateName = ModelFault.Code(rawValue: "duplicateName")

  /// A property has the name of one that its entity inherits.
  public static let redeclaredProperty = ModelFault.Code(rawValue: "redeclaredProperty")

  /// Two names differ in case only, which XML and SQLite stores do not see. A warning.
  public static let namesDifferInCaseOnly = ModelFault.Code(rawValue: "namesDifferInCaseOnly")
}

// MARK: Inheritance

extension ModelFault.Code {
  /// An entity inherits from one that the model does not have.
  public static let unknownSuperentity = ModelFault.Code(rawValue: "unknownSuperentity")

  /// An entity inherits from itself, through others or directly.
  public static let cyclicInheritance = ModelFault.Code(rawValue: "cyclicInheritance")
}

// MARK: Attributes

extension ModelFault.Code {
  /// An attribute that is stored has a type that only transient ones may have.
  public static let typeNotStorable = ModelFault.Code(rawValue: "typeNotStorable")

  /// A default value is of another type than the attribute, or outside its range.
  public static let wrongDefault = ModelFault.Code(rawValue: "wrongDefault")

  /// A default value is outside the bounds for values. A warning.
  public static let defaultFailsValidation = ModelFault.Code(rawValue: "defaultFailsValidation")

  /// A bound for values is of another type than the attribute, or the attribute's type has none.
  public static let wrongBound = ModelFault.Code(rawValue: "wrongBound")

  /// The bounds for values let nothing through.
  public static let emptyBounds = ModelFault.Code(rawValue: "emptyBounds")

  /// The pattern for values is no regular expression, or the attribute is no text.
  public static let wrongPattern = ModelFault.Code(rawValue: "wrongPattern")

  /// A derived attribute cannot be derived as its expression says.
  public static let wrongDerivation = ModelFault.Code(rawValue: "wrongDerivation")

  /// A composite attribute names no composite type, or another one names one.
  public static let missingComposite = ModelFault.Code(rawValue: "missingComposite")

  /// A composite attribute names a type that the model does not have.
  public static let unknownComposite = ModelFault.Code(rawValue: "unknownComposite")

  /// A composite type contains itself, through others or directly.
  public static let recursiveComposite = ModelFault.Code(rawValue: "recursiveComposite")
}

// MARK: Relationships

extension ModelFault.Code {
  /// A relationship leads to an entity that the model does not have.
  public static let unknownDestination = ModelFault.Code(rawValue: "unknownDestination")

  /// A relationship has no inverse. A warning, as it is in Core Data.
  public static let missingInverse = ModelFault.Code(rawValue: "missingInverse")

  /// A relationship's inverse does not exist at its destination.
  public static let unknownInverse = ModelFault.Code(rawValue: "unknownInverse")

  /// A relationship's inverse has no inverse itself.
  public static let oneSidedInverse = ModelFault.Code(rawValue: "oneSidedInverse")

  /// A relationship's inverse leads elsewhere, or has another relationship as its inverse.
  public static let mismatchedInverse = ModelFault.Code(rawValue: "mismatchedInverse")

  /// The least and greatest numbers of objects are out of range or contradict each other.
  public static let wrongCount = ModelFault.Code(rawValue: "wrongCount")

  /// A to-one relationship is marked as ordered. A warning: stores ignore the mark.
  public static let orderedToOne = ModelFault.Code(rawValue: "orderedToOne")
}

// MARK: References between parts

extension ModelFault.Code {
  /// A uniqueness constraint or an index names a property that the entity does not have.
  public static let unknownProperty = ModelFault.Code(rawValue: "unknownProperty")

  /// A uniqueness constraint or an index names a property that stores cannot index. A warning for an
  /// index that stores leave out: over a to-many relationship, an expression, `self` or `entity`.
  public static let propertyNotIndexable = ModelFault.Code(rawValue: "propertyNotIndexable")

  /// A uniqueness constraint or an index names no property at all.
  public static let emptyList = ModelFault.Code(rawValue: "emptyList")

  /// A configuration, a template or a fetched property names an entity the model does not have.
  public static let unknownEntity = ModelFault.Code(rawValue: "unknownEntity")

  /// A configuration was asked for that the model does not have.
  public static let unknownConfiguration = ModelFault.Code(rawValue: "unknownConfiguration")

  /// A relationship leads from an entity inside a configuration to one outside. A warning.
  public static let leavesConfiguration = ModelFault.Code(rawValue: "leavesConfiguration")

  /// A fetch request's limit, offset or batch size is negative.
  public static let negativeLimit = ModelFault.Code(rawValue: "negativeLimit")
}

// MARK: Merging

extension ModelFault.Code {
  /// Models to be merged have different parts under one name.
  public static let conflictingParts = ModelFault.Code(rawValue: "conflictingParts")
}
