import StoreInterface

// The rules of XML stores.
extension Rule {
  static let xmlStores = [
    xmlForm, xmlElements, xmlWhiteSpace, xmlInfo, xmlNumbers, xmlUUID, xmlHighest, xmlMetadata,
    xmlMetadataParts, xmlIdentifier, xmlDoubledObject, xmlEntity, xmlProperty, xmlDoubledProperty,
    xmlPropertyRole, xmlValue, xmlEscapes, xmlReferences, xmlDoubledReference, xmlLostReference,
    xmlForeignReference, xmlManyReferences, xmlSides, xmlTwoLists, xmlOneEnd,
  ]

  static let xmlForm = Rule("XMLS-001", "The document is well-formed, without entities", "5.2.1")
  static let xmlElements = Rule(
    "XMLS-002", "Elements and their attributes are those of the grammar", "5.2.2")
  static let xmlWhiteSpace = Rule(
    "XMLS-003", "Between elements stands white space alone", "5.2.2")
  static let xmlInfo = Rule(
    "XMLS-004", "There is one databaseInfo, before all objects, with each part at most once",
    "5.2.3")
  static let xmlNumbers = Rule("XMLS-005", "The version and nextObjectID are numbers", "5.2.3")
  static let xmlUUID = Rule("XMLS-006", "There is the store's UUID", "5.2.3")
  static let xmlHighest = Rule(
    "XMLS-007", .warning, "No object has a number above nextObjectID", "5.2.3")
  static let xmlMetadata = Rule("XMLS-008", "The metadata are a property list with names", "5.5.1")
  static let xmlMetadataParts = Rule(
    "XMLS-009", "Quire's own parts of the metadata are what they should be", "5.5.2")
  static let xmlIdentifier = Rule(
    "XMLS-010", "An object has an identifier: the letter z and a number", "5.3.2")
  static let xmlDoubledObject = Rule("XMLS-011", "No two objects have the same number", "5.3.2")
  static let xmlEntity = Rule("XMLS-012", "An object's type is an entity of the model", "5.3.2")
  static let xmlProperty = Rule(
    "XMLS-013", "A property's name is that of one of its entity's", "5.3.1")
  static let xmlDoubledProperty = Rule(
    "XMLS-014", "No property of an object is there twice", "5.3.3")
  static let xmlPropertyRole = Rule(
    "XMLS-015", "What the model has as a relationship is no attribute, and the other way round",
    "5.3.3")
  static let xmlValue = Rule("XMLS-016", "A value is spelled as its type asks", "5.4.2")
  static let xmlEscapes = Rule("XMLS-017", "Escapes in texts are whole characters", "5.4.1")
  static let xmlReferences = Rule("XMLS-018", "idrefs is a list of identifiers", "5.3.5")
  static let xmlDoubledReference = Rule("XMLS-019", "idrefs names no object twice", "5.3.5")
  static let xmlLostReference = Rule("XMLS-020", "idrefs names objects that are there", "5.3.5")
  static let xmlForeignReference = Rule(
    "XMLS-021", "idrefs names objects of the destination's family", "5.3.5")
  static let xmlManyReferences = Rule(
    "XMLS-022", "A to-one relationship names one object at most", "5.3.5")
  static let xmlSides = Rule(
    "XMLS-023", .warning, "The two sides of a relationship name each other",
    "5.3.6")
  static let xmlTwoLists = Rule(
    "XMLS-024", "No two lists name an object whose to-one relationship leads nowhere", "5.3.6")
  static let xmlOneEnd = Rule(
    "XMLS-025", .warning, "A link is written at both of its ends", "5.3.7")
}
