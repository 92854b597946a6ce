import StoreInterface

// The rules of documents: the folder and its manifest.
extension Rule {
  static let manifests = [
    manifestForm, manifestFormat, manifestVersion, missingMember, memberType, memberRange,
    manifestDate, manifestUUID, hexadecimalDigits, nameLength, fileName, unknownMember,
    doubledModel, doubledStore, doubledFile, unknownModel, noStores, versionOrder, storeCommit,
    earlierOrder, attachmentSpan, doubledAttachment, digestSize, manifestChecksum,
    logStore, featureNames, unknownManifestFeature, headNames,
  ]

  static let manifestForm = Rule(
    "MANI-001", "The manifest is JSON in UTF-8 without duplicate members", "7.3.1")
  static let manifestFormat = Rule("MANI-002", "The manifest has the format of a document", "7.3.3")
  static let manifestVersion = Rule(
    "MANI-003", "The manifest's format version and each feature of the class refuse are known",
    "7.3.3")
  static let missingMember = Rule("MANI-004", "Required members exist", "7.3.3")
  static let memberType = Rule("MANI-005", "Members have the correct type", "7.3.3")
  static let memberRange = Rule("MANI-006", "Numbers are in range", "7.3.3")
  static let manifestDate = Rule(
    "MANI-007", "Dates have the required form", "7.3.2")
  static let manifestUUID = Rule("MANI-008", "UUIDs have the required form", "7.3.2")
  static let hexadecimalDigits = Rule(
    "MANI-009", "Digests and hashes have 64 hexadecimal digits", "7.3.2")
  static let nameLength = Rule("MANI-010", "Names are not empty, and not too long", "7.3.2")
  static let fileName = Rule(
    "MANI-011", "Names of files are in the correct folder and portable", "7.2.2")
  static let unknownMember = Rule(
    "MANI-012", .information, "All members are known", "7.3.8")
  static let doubledModel = Rule("MANI-013", "No two models have the same name", "7.3.4")
  static let doubledStore = Rule(
    "MANI-014", "No two stores have the same name or UUID", "7.3.5")
  static let doubledFile = Rule("MANI-015", "No file name occurs twice", "7.2.2")
  static let unknownModel = Rule(
    "MANI-016", "Each model that the manifest refers to exists", "7.3.4")
  static let noStores = Rule("MANI-017", "The document has a store", "7.3.5")
  static let versionOrder = Rule(
    "MANI-018",
    "The document has a version, the numbers of versions ascend, and undo and merges refer to earlier ones",
    "7.3.7")
  static let storeCommit = Rule(
    "MANI-019", "No store is at a commit above the newest version", "7.3.5")
  static let earlierOrder = Rule(
    "MANI-020",
    "Each of a store's files begins where the previous file ends, up to the store's commit", "7.3.5"
  )
  static let attachmentSpan = Rule(
    "MANI-021",
    "An attachment ends after its first version, and neither version is above the newest",
    "7.3.6")
  static let doubledAttachment = Rule(
    "MANI-022", "No version has two attachments with the same name", "7.3.6")
  static let digestSize = Rule(
    "MANI-023", "Attachments with the same digest have the same number of bytes", "7.3.6")
  static let manifestChecksum = Rule(
    "MANI-024", "The manifest's checksum matches its bytes", "7.3.9")
  static let logStore = Rule("MANI-025", "The log is a store in a block file", "7.3.3")
  static let featureNames = Rule("MANI-026", "The names of features are valid", "7.3.10")
  static let headNames = Rule(
    "MANI-028", "The names of heads are valid, and are in the right manifest", "7.7.2")
  static let unknownManifestFeature = Rule(
    "MANI-027", .information, "Each feature of the manifest is known", "7.3.10")

  static let containers = [
    noManifest, foreignPlace, missingStore, missingModel, missingAttachment, attachmentSize,
    attachmentDigest, modelFile, modelFileHashes, storeUUID, storeType, countedCommit, storeModel,
    versionCommits, unconfirmed, leftover, strangeFile, brokenRecovery, recoveryThere,
    archiveForm, packedBytes, loggedVersion, storeAddress, headManifest, headVersion, headFile,
    currentHead,
  ]

  static let noManifest = Rule("CONT-001", "A document's folder has a manifest", "7.2.1")
  static let foreignPlace = Rule(
    "CONT-002",
    "Each name in a manifest is a file, or the folder of a plug-in's store, inside the document's folder, and not a link",
    "7.2.3"
  )
  static let missingStore = Rule("CONT-003", "The files of stores exist", "7.3.5")
  static let missingModel = Rule("CONT-004", "The files of models exist", "7.3.4")
  static let missingAttachment = Rule("CONT-005", "The files of attachments exist", "7.3.6")
  static let attachmentSize = Rule(
    "CONT-006", "An attachment has the number of bytes that the manifest gives", "7.3.6")
  static let attachmentDigest = Rule(
    "CONT-007", "An attachment's bytes match the digest in their file name", "7.3.6")
  static let modelFile = Rule("CONT-008", "The files of models can be read", "7.3.4")
  static let modelFileHashes = Rule(
    "CONT-009", "A model has the version hashes that the manifest gives", "7.3.4")
  static let storeUUID = Rule("CONT-010", "A store has the UUID that the manifest gives", "7.3.5")
  static let storeType = Rule("CONT-011", "A store has the type that the manifest gives", "7.3.5")
  static let countedCommit = Rule(
    "CONT-012", "A store's file contains the commit that counts", "7.4.4")
  static let storeModel = Rule("CONT-013", "Stores have the document's model", "7.3.5")
  static let versionCommits = Rule(
    "CONT-014", "A store contains a commit for each version", "7.4.5")
  static let unconfirmed = Rule(
    "CONT-015", .information, "No commit comes after the commit that counts", "7.4.4")
  static let leftover = Rule(
    "CONT-016", .information, "No files of interrupted saves are left", "7.2.4")
  static let strangeFile = Rule(
    "CONT-017", .warning, "The folder contains only the document", "7.2.4")
  static let brokenRecovery = Rule(
    "CONT-018", .warning, "A recovery can be read, and belongs to the document", "7.6.2")
  static let archiveForm = Rule(
    "CONT-020", "A packed document is a consistent archive", "8.5.1")
  static let packedBytes = Rule(
    "CONT-021", "The entries of a packed document match their checksums", "8.5.3")
  static let loggedVersion = Rule(
    "CONT-022",
    "The versions of the log follow the newest version of the manifest one by one",
    "7.4.11")
  static let storeAddress = Rule(
    "CONT-023", "A file with the name of an address contains the address of a store", "7.2.5")
  static let headManifest = Rule(
    "CONT-024", "Each head has a manifest with its name and the UUID of the document", "7.7.2")
  static let headVersion = Rule(
    "CONT-025", "A number stands for one version in all heads", "7.7.3")
  static let headFile = Rule("CONT-026", "No file is the file of a store in two heads", "7.7.4")
  static let currentHead = Rule("CONT-027", "The current head is a head of the document", "7.7.10")
  static let recoveryThere = Rule("CONT-019", .information, "The document has no recovery", "7.6.1")
}
