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
    "XMLS-002", "Elements and their attributes conform to the grammar", "5.2.2")
  static let xmlWhiteSpace = Rule(
    "XMLS-003", "Only white space is between elements", "5.2.2")
  static let xmlInfo = Rule(
    "XMLS-004",
    "The document has one databaseInfo, before all objects, with each part at most once",
    "5.2.3")
  static let xmlNumbers = Rule("XMLS-005", "The version and nextObjectID are numbers", "5.2.3")
  static let xmlUUID = Rule("XMLS-006", "The document has the store's UUID", "5.2.3")
  static let xmlHighest = Rule(
    "XMLS-007", .warning, "No object has a number above nextObjectID in the lane of the document",
    "5.2.3")
  static let xmlMetadata = Rule("XMLS-008", "The metadata are a dictionary", "5.5.1")
  static let xmlMetadataParts = Rule(
    "XMLS-009", "Quire's own entries of the metadata are valid", "5.5.2")
  static let xmlIdentifier = Rule(
    "XMLS-010", "An object has an identifier: the letter z and a number", "5.3.2")
  static let xmlDoubledObject = Rule("XMLS-011", "No two objects have the same number", "5.3.2")
  static let xmlEntity = Rule("XMLS-012", "An object's type is an entity of the model", "5.3.2")
  static let xmlProperty = Rule(
    "XMLS-013", "A property's name is the name of a property of the entity", "5.3.1")
  static let xmlDoubledProperty = Rule(
    "XMLS-014", "No property of an object occurs twice", "5.3.3")
  static let xmlPropertyRole = Rule(
    "XMLS-015", "Attributes and relationships of objects have the same kind as in the model",
    "5.3.3")
  static let xmlValue = Rule("XMLS-016", "A value has the form of its type", "5.4.2")
  static let xmlEscapes = Rule("XMLS-017", "Escapes in texts are whole characters", "5.4.1")
  static let xmlReferences = Rule("XMLS-018", "idrefs is a list of identifiers", "5.3.5")
  static let xmlDoubledReference = Rule("XMLS-019", "idrefs lists no object twice", "5.3.5")
  static let xmlLostReference = Rule("XMLS-020", "idrefs lists existing objects", "5.3.5")
  static let xmlForeignReference = Rule(
    "XMLS-021", "idrefs lists objects of the destination's family", "5.3.5")
  static let xmlManyReferences = Rule(
    "XMLS-022", "A to-one relationship lists at most one object", "5.3.5")
  static let xmlSides = Rule(
    "XMLS-023", .warning, "The two sides of a relationship agree",
    "5.3.6")
  static let xmlTwoLists = Rule(
    "XMLS-024", "No two lists contain an object whose to-one relationship is empty", "5.3.6")
  static let xmlOneEnd = Rule(
    "XMLS-025", .warning, "A link is written at both of its ends", "5.3.7")
}
