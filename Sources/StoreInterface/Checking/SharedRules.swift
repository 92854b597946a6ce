// The rules that hold for stores in every format: for the file as a whole, and for the contents beside the rows
// (metadata, model, schema).
extension Rule {
  package static let files = [unknownFormat, newerFormat]

  package static let unknownFormat = Rule(
    "FILE-001", "The file begins with the mark of a known format", "6.2.1")
  package static let newerFormat = Rule(
    "FILE-002", "The version of the format and each feature of the class refuse are known", "4.2.2")

  package static let metadata = [
    metadataForm, metadataUUID, headerUUID, metadataType, headerType, hashForm, modelHashes,
    hashDigest, versionIdentifiers, lanes,
  ]

  package static let metadataForm = Rule(
    "META-001", "The metadata are a property list with names", "4.6.1")
  package static let metadataUUID = Rule(
    "META-002", "The metadata contain the UUID of the store", "4.6.1")
  package static let headerUUID = Rule(
    "META-003", "The UUID in the metadata equals the UUID in the header", "4.6.5")
  package static let metadataType = Rule(
    "META-004", "The metadata contain the type of the store", "4.6.1")
  package static let headerType = Rule(
    "META-005", .warning, "The type in the metadata agrees with the flags of the header", "4.6.5")
  package static let hashForm = Rule(
    "META-006", "The metadata contain a hash of 32 bytes for each entity", "4.6.1")
  package static let modelHashes = Rule(
    "META-007", "The hashes in the metadata equal the hashes of the model", "4.6.5")
  package static let hashDigest = Rule(
    "META-008", "The digest in the metadata equals the digest of their hashes", "4.6.5")
  package static let versionIdentifiers = Rule(
    "META-009", .warning, "The version identifiers in the metadata equal those of the model",
    "4.6.5")
  package static let lanes = Rule(
    "META-010",
    "The metadata list the lanes of object numbers, and the lane in which the file counts", "4.4.6")

  package static let models = [
    modelForm, modelFaults, schemaForm, schemaEntities, schemaColumns, schemaNumbers, schemaHighest,
    givenNumbers, columnKinds, givenModel, schemaLinks, modelOddities,
  ]

  package static let modelForm = Rule("MODL-001", "The model can be read", "4.6.2")
  package static let modelFaults = Rule("MODL-002", "The model is valid", "2.2.1")
  package static let schemaForm = Rule("MODL-003", "The schema can be read", "4.6.3")
  package static let schemaEntities = Rule(
    "MODL-004", "The schema has the entities of the model", "4.6.3")
  package static let schemaColumns = Rule(
    "MODL-005", "The schema has the stored properties of the model, with the same kinds", "4.6.3")
  package static let schemaNumbers = Rule(
    "MODL-006", "Each property of a family has one number, which its subentities inherit",
    "3.2.1")
  package static let schemaHighest = Rule(
    "MODL-007", "The schema states the highest numbers that were assigned", "4.6.3")
  package static let givenNumbers = Rule(
    "MODL-008", "Blocks use only numbers that were assigned", "3.2.1")
  package static let columnKinds = Rule(
    "MODL-009", "Columns of blocks can be read as the kind in the schema", "3.6")
  package static let givenModel = Rule(
    "MODL-010", "The given model fits the store", "2.5.2")
  package static let schemaLinks = Rule(
    "MODL-011", "The schema has the links of the relationships of the model", "3.2.4")
  package static let modelOddities = Rule(
    "MODL-012", .warning, "The model has no part that stores omit", "2.2.7")
}
