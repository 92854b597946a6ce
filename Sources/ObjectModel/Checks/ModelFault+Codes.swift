// All kinds of faults that a check of a model can find. The names are stable: tools print them, and the validator's
// rules refer to them.

// MARK: Size

extension ModelFault.Code {
  /// The model has more entities than there are entity numbers.
  public static let tooManyEntities = ModelFault.Code(rawValue: "tooManyEntities")

  /// An entity has more properties, including inherited properties, than blocks can number.
  public static let tooManyProperties = ModelFault.Code(rawValue: "tooManyProperties")

  /// All entities together inherit more properties than a reader should have to process.
  public static let tooManyInheritedProperties = ModelFault.Code(
    rawValue: "tooManyInheritedProperties")

  /// An entity has too many superentities above it.
  public static let inheritanceTooDeep = ModelFault.Code(rawValue: "inheritanceTooDeep")
}

// MARK: Names

extension ModelFault.Code {
  /// A name is empty or is not an identifier.
  public static let invalidName = ModelFault.Code(rawValue: "invalidName")

  /// Two parts of one kind have the same name. A warning for the indexes of an entity, because Core Data accepts
  /// such indexes.
  public static let duplicateName = ModelFault.Code(rawValue: "duplicateName")

  /// A property has the name of an inherited property.
  public static let redeclaredProperty = ModelFault.Code(rawValue: "redeclaredProperty")

  /// Two names differ in case only, which XML and SQLite stores cannot distinguish. A warning.
  public static let namesDifferInCaseOnly = ModelFault.Code(rawValue: "namesDifferInCaseOnly")
}

// MARK: Inheritance

extension ModelFault.Code {
  /// The superentity of an entity does not exist in the model.
  public static let unknownSuperentity = ModelFault.Code(rawValue: "unknownSuperentity")

  /// An entity inherits from itself, directly or through other entities.
  public static let cyclicInheritance = ModelFault.Code(rawValue: "cyclicInheritance")
}

// MARK: Attributes

extension ModelFault.Code {
  /// A stored attribute has a type that only transient attributes may have.
  public static let typeNotStorable = ModelFault.Code(rawValue: "typeNotStorable")

  /// A default value has another type than the attribute, or is out of its range.
  public static let wrongDefault = ModelFault.Code(rawValue: "wrongDefault")

  /// A default value lies outside of the bounds for values. A warning.
  public static let defaultFailsValidation = ModelFault.Code(rawValue: "defaultFailsValidation")

  /// A bound has another type than the attribute, or the attribute's type has no bounds.
  public static let wrongBound = ModelFault.Code(rawValue: "wrongBound")

  /// No value lies within the bounds.
  public static let emptyBounds = ModelFault.Code(rawValue: "emptyBounds")

  /// The precision is for values of another type, or its number of decimal places is out of range.
  public static let wrongPrecision = ModelFault.Code(rawValue: "wrongPrecision")

  /// The pattern is not a regular expression, or the attribute is not text.
  public static let wrongPattern = ModelFault.Code(rawValue: "wrongPattern")

  /// A derived attribute cannot be derived with its expression.
  public static let wrongDerivation = ModelFault.Code(rawValue: "wrongDerivation")

  /// A composite attribute names no composite type, or an attribute of another type names one.
  public static let missingComposite = ModelFault.Code(rawValue: "missingComposite")

  /// The composite type of an attribute does not exist in the model.
  public static let unknownComposite = ModelFault.Code(rawValue: "unknownComposite")

  /// A composite type contains itself, directly or through other types.
  public static let recursiveComposite = ModelFault.Code(rawValue: "recursiveComposite")
}

// MARK: Relationships

extension ModelFault.Code {
  /// The destination of a relationship does not exist in the model.
  public static let unknownDestination = ModelFault.Code(rawValue: "unknownDestination")

  /// A relationship has no inverse. A warning, as in Core Data.
  public static let missingInverse = ModelFault.Code(rawValue: "missingInverse")

  /// A relationship's inverse does not exist at its destination.
  public static let unknownInverse = ModelFault.Code(rawValue: "unknownInverse")

  /// A relationship's inverse has no inverse itself.
  public static let oneSidedInverse = ModelFault.Code(rawValue: "oneSidedInverse")

  /// A relationship's inverse has another destination, or has another relationship as its inverse.
  public static let mismatchedInverse = ModelFault.Code(rawValue: "mismatchedInverse")

  /// The minimum and maximum number of objects are out of range or contradict each other.
  public static let wrongCount = ModelFault.Code(rawValue: "wrongCount")

  /// A to-one relationship is marked as ordered. A warning: stores ignore the mark.
  public static let orderedToOne = ModelFault.Code(rawValue: "orderedToOne")
}

// MARK: References between parts

extension ModelFault.Code {
  /// A uniqueness constraint or an index names a property that the entity does not have.
  public static let unknownProperty = ModelFault.Code(rawValue: "unknownProperty")

  /// A uniqueness constraint or an index names a property that stores cannot index. A warning for an index that
  /// stores leave out: over a to-many relationship, an expression, `self` or `entity`, or over the words of a property
  /// that is not a text.
  public static let propertyNotIndexable = ModelFault.Code(rawValue: "propertyNotIndexable")

  /// A uniqueness constraint or an index names no property.
  public static let emptyList = ModelFault.Code(rawValue: "emptyList")

  /// A configuration, a template or a fetched property names an entity that the model does not have.
  public static let unknownEntity = ModelFault.Code(rawValue: "unknownEntity")

  /// A caller requested a configuration that the model does not have.
  public static let unknownConfiguration = ModelFault.Code(rawValue: "unknownConfiguration")

  /// The source of a relationship lies in a configuration and the destination does not. A warning.
  public static let leavesConfiguration = ModelFault.Code(rawValue: "leavesConfiguration")

  /// A fetch request's limit, offset or batch size is negative.
  public static let negativeLimit = ModelFault.Code(rawValue: "negativeLimit")
}

// MARK: Merging

extension ModelFault.Code {
  /// Models that are merged have different parts with the same name.
  public static let conflictingParts = ModelFault.Code(rawValue: "conflictingParts")
}
