import StoreInterface

// The rules of documents: the folder and its manifest.
extension Rule {
  static let manifests = [
    manifestForm, manifestFormat, manifestVersion, missingMember, memberType, memberRange,
    manifestDate, manifestUUID, hexadecimalDigits, nameLength, fileName, unknownMember,
    doubledModel, doubledStore, doubledFile, unknownModel, noStores, versionOrder, storeCommit,
    earlierOrder, attachmentSpan, doubledAttachment, digestSize, manifestChecksum,
  ]

  static let manifestForm = Rule(
    "MANI-001", "The manifest is JSON in UTF-8, and says nothing twice", "7.3.1")
  static let manifestFormat = Rule("MANI-002", "The manifest is that of a document", "7.3.3")
  static let manifestVersion = Rule(
    "MANI-003", "The manifest's format version is one that is known", "7.3.3")
  static let missingMember = Rule("MANI-004", "Members that must be there are", "7.3.3")
  static let memberType = Rule("MANI-005", "Members are of their type", "7.3.3")
  static let memberRange = Rule("MANI-006", "Numbers are in their range", "7.3.3")
  static let manifestDate = Rule(
    "MANI-007", "Dates are spelled in the one way there is", "7.3.2")
  static let manifestUUID = Rule("MANI-008", "UUIDs are spelled as such", "7.3.2")
  static let hexadecimalDigits = Rule(
    "MANI-009", "Digests and hashes have 64 hexadecimal digits", "7.3.2")
  static let nameLength = Rule("MANI-010", "Names are there, and not too long", "7.3.2")
  static let fileName = Rule(
    "MANI-011", "Files are named in their folder, by names that mean the same everywhere", "7.2.2")
  static let unknownMember = Rule(
    "MANI-012", .information, "There are no members but those that are known", "7.3.8")
  static let doubledModel = Rule("MANI-013", "No two models have the same name", "7.3.4")
  static let doubledStore = Rule(
    "MANI-014", "No two stores have the same name or UUID", "7.3.5")
  static let doubledFile = Rule("MANI-015", "No file is named twice", "7.2.2")
  static let unknownModel = Rule("MANI-016", "Every model that is spoken of is there", "7.3.4")
  static let noStores = Rule("MANI-017", "There is a store", "7.3.5")
  static let versionOrder = Rule(
    "MANI-018", "There is a version, and the numbers of versions ascend", "7.3.7")
  static let storeCommit = Rule(
    "MANI-019", "No store is at a commit above the newest version", "7.3.5")
  static let earlierOrder = Rule(
    "MANI-020",
    "Each of a store's files begins where the one before ends, up to the store's commit", "7.3.5")
  static let attachmentSpan = Rule(
    "MANI-021", "An attachment ends behind its beginning, and neither is above the newest version",
    "7.3.6")
  static let doubledAttachment = Rule(
    "MANI-022", "No version has two attachments of a name", "7.3.6")
  static let digestSize = Rule(
    "MANI-023", "Attachments of the same digest have as many bytes", "7.3.6")
  static let manifestChecksum = Rule(
    "MANI-024", "The manifest's checksum, if there is one, is that of its bytes", "7.3.9")

  static let containers = [
    noManifest, foreignPlace, missingStore, missingModel, missingAttachment, attachmentSize,
    attachmentDigest, modelFile, modelFileHashes, storeUUID, storeType, countedCommit, storeModel,
    versionCommits, unconfirmed, leftover, strangeFile, brokenRecovery, recoveryThere,
    archiveForm, packedBytes,
  ]

  static let noManifest = Rule("CONT-001", "A document's folder has a manifest", "7.2.1")
  static let foreignPlace = Rule(
    "CONT-002",
    "What a manifest names is a file, or a folder of a store that others bring, in the document's own folder, and no link",
    "7.2.3"
  )
  static let missingStore = Rule("CONT-003", "The files of stores are there", "7.3.5")
  static let missingModel = Rule("CONT-004", "The files of models are there", "7.3.4")
  static let missingAttachment = Rule("CONT-005", "The files of attachments are there", "7.3.6")
  static let attachmentSize = Rule(
    "CONT-006", "An attachment has as many bytes as the manifest says", "7.3.6")
  static let attachmentDigest = Rule(
    "CONT-007", "An attachment's bytes have the digest that they are named by", "7.3.6")
  static let modelFile = Rule("CONT-008", "The files of models can be read", "7.3.4")
  static let modelFileHashes = Rule(
    "CONT-009", "A model has the version hashes that the manifest says", "7.3.4")
  static let storeUUID = Rule("CONT-010", "A store has the UUID that the manifest says", "7.3.5")
  static let storeType = Rule("CONT-011", "A store is of the type that the manifest says", "7.3.5")
  static let countedCommit = Rule(
    "CONT-012", "A store's file holds the commit that counts", "7.4.4")
  static let storeModel = Rule("CONT-013", "Stores are of the document's model", "7.3.5")
  static let versionCommits = Rule(
    "CONT-014", "A store holds a commit for each version", "7.4.5")
  static let unconfirmed = Rule(
    "CONT-015", .information, "Nothing lies behind the commit that counts", "7.4.4")
  static let leftover = Rule(
    "CONT-016", .information, "No files are left of saves that came to no end", "7.2.4")
  static let strangeFile = Rule(
    "CONT-017", .warning, "The folder has nothing but the document", "7.2.4")
  static let brokenRecovery = Rule(
    "CONT-018", .warning, "A recovery can be read, and is the document's", "7.6.2")
  static let archiveForm = Rule(
    "CONT-020", "A packed document is an archive whose parts fit one another", "8.5.1")
  static let packedBytes = Rule(
    "CONT-021", "What a packed document holds matches its checksums", "8.5.3")
  static let recoveryThere = Rule("CONT-019", .information, "There is no recovery", "7.6.1")
}
