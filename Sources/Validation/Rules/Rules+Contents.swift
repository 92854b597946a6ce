// The rules of the contents beside the rows: metadata, model, schema.
extension Rule {
  static let metadata = [
    metadataForm, metadataUUID, headerUUID, metadataType, headerType, hashForm, modelHashes,
    hashDigest, versionIdentifiers,
  ]

  static let metadataForm = Rule("META-001", "The metadata are a property list with names", "4.6.1")
  static let metadataUUID = Rule("META-002", "The metadata have the store's UUID", "4.6.1")
  static let headerUUID = Rule("META-003", "The metadata's UUID is that of the header", "4.6.5")
  static let metadataType = Rule("META-004", "The metadata have the store's type", "4.6.1")
  static let headerType = Rule(
    "META-005", .warning, "The metadata's type is the one that the header's flags make it", "4.6.5")
  static let hashForm = Rule(
    "META-006", "The metadata have a hash of 32 bytes for each entity", "4.6.1")
  static let modelHashes = Rule("META-007", "The metadata's hashes are those of the model", "4.6.5")
  static let hashDigest = Rule("META-008", "The metadata's digest is that of their hashes", "4.6.5")
  static let versionIdentifiers = Rule(
    "META-009", .warning, "The metadata's version identifiers are the model's", "4.6.5")

  static let models = [
    modelForm, modelFaults, schemaForm, schemaEntities, schemaColumns, schemaNumbers, schemaHighest,
    givenNumbers, columnKinds, givenModel, schemaLinks, modelOddities,
  ]

  static let modelForm = Rule("MODL-001", "The model can be read", "4.6.2")
  static let modelFaults = Rule("MODL-002", "The model holds together", "2.2.1")
  static let schemaForm = Rule("MODL-003", "The schema can be read", "4.6.3")
  static let schemaEntities = Rule("MODL-004", "The schema has the model's entities", "4.6.3")
  static let schemaColumns = Rule(
    "MODL-005", "The schema has the model's stored properties, as the model has them", "4.6.3")
  static let schemaNumbers = Rule(
    "MODL-006", "Properties of a family have a number each, the same wherever it is inherited",
    "3.2.1")
  static let schemaHighest = Rule(
    "MODL-007", "The schema knows the highest numbers that were given", "4.6.3")
  static let givenNumbers = Rule("MODL-008", "Blocks use only numbers that were given", "3.2.1")
  static let columnKinds = Rule(
    "MODL-009", "Columns of blocks can be read as the schema's kind", "3.6")
  static let givenModel = Rule("MODL-010", "The model that was given fits the store", "2.5.2")
  static let schemaLinks = Rule(
    "MODL-011", "The schema has the links of the model's relationships", "3.2.4")
  static let modelOddities = Rule(
    "MODL-012", .warning, "The model has nothing that stores leave out", "2.2.7")
}
