import Foundation
import JSONText
import ObjectModel
import Rows
import StoreInterface

extension Manifest {
  /// The greatest number of bytes of a manifest.
  package static let byteLimit = 64 << 20
  /// The greatest number of bytes of a model's file.
  package static let modelByteLimit = 64 << 20

  /// Reads a manifest's text and checks its members (spec §7.3).
  ///
  /// - Parameters:
  ///   - name: The head that the manifest must name as its own; `nil` for `main`.
  ///   - checksChecksum: Whether a wrong or missing checksum is an error.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/newerFormat`` or
  ///   ``DocumentError/Code/damaged``.
  package init(
    _ bytes: [UInt8], path: String, head name: String? = nil,
    checkingChecksum checksChecksum: Bool = true
  ) throws(DocumentError) {
    let json: JSON
    do { json = try JSON.read(bytes) } catch {
      throw DocumentError(.damaged, "The manifest is not JSON: \(error)", path: path)
    }
    let members = try ManifestMembers(json, at: "", path: path)
    guard try members.text("format") == Manifest.format else {
      throw members.error(
        "format", "is not \"\(Manifest.format)\": this is not the manifest of a document.")
    }
    let version = try members.integer("formatVersion", 1...Int64.max)
    guard version <= Int64(Manifest.formatVersion) else {
      throw DocumentError(
        .newerFormat,
        "The document has format version \(version), but this program reads version "
          + "\(Manifest.formatVersion).", path: path)
    }
    let checksum = try members.optionalText(Manifest.checksumName)
    if checksChecksum { try Manifest.check(checksum, inManifest: bytes, path: path) }
    features = try members.features()
    try Manifest.check(features, isReading: true, path: path)
    uuid = try members.uuid("uuid")
    title = try members.optionalText("title")
    created = try members.date("created")
    metadata = try members.texts("metadata")
    model = try members.text("model")
    models = try members.list("models").map(ModelVersion.init)
    stores = try members.list("stores").map(StoreEntry.init)
    log = try members.optionalText("log")
    heads = try members.textList("heads")
    head = try members.optionalText("head")
    guard head == name else {
      throw members.error(
        "head",
        "is \(head.map { "\"\($0.prefix(100))\"" } ?? "missing"): the manifest belongs to another head than its place."
      )
    }
    attachments = try members.list("attachments", mayLack: true).map(AttachmentEntry.init)
    versions = try members.list("versions").map(VersionEntry.init)
    others = members.others
    if head != nil, members.has("heads") {
      throw members.error("heads", "is in the manifest of a head besides \"\(HeadName.main)\".")
    }
    try check(path: path)
  }

  /// Throws ``DocumentError`` with code ``DocumentError/Code/newerFormat`` if a program that knows none of the features
  /// must not open the document.
  ///
  /// - Parameter isReading: Whether the document is only read.
  static func check(
    _ features: [FormatFeature], isReading: Bool, path: String
  ) throws(DocumentError) {
    if let objection = features.objection(isReading: isReading) {
      throw DocumentError(.newerFormat, objection, path: path)
    }
  }

  /// The names of members that this program does not know, each with the place of its object. Saves keep them.
  package var unknownNames: [String] {
    func names(_ place: String, _ members: [JSON.Member]) -> [String] {
      members.map { place.isEmpty ? $0.name : "\(place).\($0.name)" }
    }
    var all = names("", others)
    for (index, one) in models.enumerated() { all += names("models[\(index)]", one.others) }
    for (index, one) in stores.enumerated() {
      all += names("stores[\(index)]", one.others)
      for (place, earlier) in one.earlier.enumerated() {
        all += names("stores[\(index)].earlier[\(place)]", earlier.others)
      }
    }
    for (index, one) in attachments.enumerated() {
      all += names("attachments[\(index)]", one.others)
    }
    for (index, one) in versions.enumerated() { all += names("versions[\(index)]", one.others) }
    return all
  }
}

extension Manifest.ModelVersion {
  fileprivate init(_ members: ManifestMembers) throws(DocumentError) {
    name = try members.name("name")
    file = try members.file("file", in: Container.modelsFolder)
    hashes = [:]
    for (entity, text) in try members.texts("entities") {
      guard let hash = VersionHash(hex: text) else {
        throw members.error("entities", "does not contain a hash of 32 bytes for \"\(entity)\".")
      }
      hashes[entity] = hash
    }
    others = members.others
  }
}

extension Manifest.StoreEntry {
  fileprivate init(_ members: ManifestMembers) throws(DocumentError) {
    name = try members.name("name")
    type = StoreType(rawValue: try members.text("type"))
    file = try members.file("file", in: Container.storesFolder)
    uuid = try members.uuid("uuid")
    configuration = try members.optionalText("configuration")
    options = try members.texts("options")
    commit = try members.integer("commit", 1...Manifest.highestNumber)
    for one in try members.list("earlier", mayLack: true) {
      earlier.append(
        Manifest.EarlierFile(
          file: try one.file("file", in: Container.storesFolder),
          commit: try one.integer("commit", 1...Manifest.highestNumber),
          until: try one.integer("until", 1...Manifest.highestNumber),
          model: try one.text("model"), uuid: try one.optionalUUID("uuid"), others: one.others))
    }
    others = members.others
  }
}

extension Manifest.AttachmentEntry {
  fileprivate init(_ members: ManifestMembers) throws(DocumentError) {
    name = try members.name("name", byteLimit: Manifest.attachmentNameByteLimit)
    digest = try members.digest("digest")
    byteCount = Int(try members.integer("byteCount", 0...Int64.max))
    since = try members.integer("since", 1...Manifest.highestNumber)
    until = try members.optionalInteger("until", 1...Manifest.highestNumber)
    isContent = try members.flag("content")
    others = members.others
  }
}

extension Manifest.VersionEntry {
  fileprivate init(_ members: ManifestMembers) throws(DocumentError) {
    number = try members.integer("number", 1...Manifest.highestNumber)
    saved = try members.date("saved")
    model = try members.text("model")
    name = try members.optionalText("name")
    author = try members.optionalText("author")
    message = try members.optionalText("message")
    undoneTo = try members.optionalInteger("undoneTo", 1...Manifest.highestNumber)
    merged = try members.integerList("merged", 1...Manifest.highestNumber)
    received = try members.digestList("received")
    others = members.others
  }
}

extension Manifest {
  /// The highest number that a version may have (spec §4.8).
  package static let highestNumber: Int64 = 1 << 62
  /// The greatest number of bytes of the name of a model or a store.
  package static let nameByteLimit = 255
  /// The greatest number of bytes of the name of an attachment.
  package static let attachmentNameByteLimit = 1024
}
