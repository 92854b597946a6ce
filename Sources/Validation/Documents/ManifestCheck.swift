import Checksums
import Documents
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import Rows
import StoreInterface

/// The check of a manifest (spec §7.3): each member on its own, then the relations between members. The valid members
/// are kept for the check of the document.
///
/// The check shares no code with the opening of documents, except for the rules for paths and dates.
final class ManifestCheck {
  /// A version of the model. Invalid members are `nil`.
  struct ModelEntry {
    var index: Int
    var name: String?
    var file: String?
    /// The version hashes of the entities; `nil` if they can't be read.
    var hashes: [String: VersionHash]?
  }

  /// A store. Invalid members are `nil`.
  struct StoreEntry {
    var index: Int
    var name: String?
    var type: String?
    var file: String?
    var uuid: UUID?
    var configuration: String?
    var commit: Int64?
    var earlier: [EarlierFile] = []
  }

  /// An earlier file of a store.
  struct EarlierFile {
    var index: Int
    var file: String?
    var commit: Int64?
    var until: Int64?
    var model: String?
    var uuid: UUID?
  }

  /// An attachment. Invalid members are `nil`.
  struct AttachmentEntry {
    var index: Int
    var name: String?
    var isContent: Bool?
    var digest: String?
    var byteCount: Int64?
    var since: Int64?
    var until: Int64?
  }

  private let findings: Findings
  /// The name of the file in the document.
  let file: String
  /// The kind of the text, as far as it was read.
  private enum Kind {
    case unknown, newer, document
    case sound
  }
  private var kind = Kind.unknown
  private(set) var uuid: UUID?
  private(set) var model: String?
  private(set) var models: [ModelEntry] = []
  private(set) var stores: [StoreEntry] = []
  private(set) var attachments: [AttachmentEntry] = []
  private(set) var list = VersionList()
  /// The names of the other heads, if the manifest is that of `main`.
  private(set) var heads: [String] = []
  /// The name of the head; `nil` for `main`.
  private(set) var head: String?
  /// The name of the log; `nil` if the document has none.
  private(set) var log: String?
  /// Whether the versions of the log were added.
  var logIsRead = false
  /// Whether the names of all models could be read.
  private var knowsModels = false

  /// The versions of a manifest.
  struct VersionList {
    fileprivate(set) var numbers: [Int64] = []
    /// The highest number in the manifest; `nil` if a number can't be read.
    fileprivate(set) var newest: Int64?
    /// The names of the models.
    fileprivate var models: [String] = []
    /// For each version, the members that are equal in all heads with this version.
    fileprivate(set) var descriptions: [Int64: [String?]] = [:]
  }

  /// Whether the text is the manifest of a document, perhaps of a newer format.
  var isDocument: Bool { kind != .unknown }
  var isNewer: Bool { kind == .newer }
  /// Whether the manifest is valid.
  var isSound: Bool { kind == .sound }
  /// The numbers of the versions.
  var versions: [Int64] { list.numbers }

  /// Checks the bytes of a manifest.
  ///
  /// - Parameter file: The name of the file in the document.
  init(_ bytes: [UInt8], of file: String = Manifest.fileName, _ findings: Findings) {
    self.findings = findings
    self.file = file
    let before = findings.errorCount
    defer { if kind == .document, findings.errorCount == before { kind = .sound } }
    let json: JSON
    do { json = try JSON.read(bytes) } catch {
      findings.add(.manifestForm, .manifest(nil, in: file), "\(error)")
      return
    }
    guard let members = ManifestMembersCheck(json, at: "", in: file, findings) else { return }
    guard let format = members.text("format") else { return }
    guard format == Manifest.format else {
      members.add(.manifestFormat, "format", "The format is not \"\(Manifest.format)\".")
      return
    }
    kind = .document
    guard let version = members.integer("formatVersion", 1...Int64.max) else { return }
    guard version <= Int64(Manifest.formatVersion) else {
      kind = .newer
      members.add(
        .manifestVersion, "formatVersion",
        "The document has format version \(version), but this program knows version "
          + "\(Manifest.formatVersion).")
      return
    }
    checkChecksum(members, bytes)
    guard checkFeatures(members) else { return }
    read(members)
    checkModels(members)
    checkFiles(members)
    checkStores(members)
    checkLog(members)
    checkHeads(members)
    checkAttachments(members)
  }

  /// Adds a version that a commit of the log is on its own (spec §7.4.11).
  func add(_ version: VersionInLog) {
    list.numbers.append(version.number)
    list.descriptions[version.number] = [
      ManifestDate.text(version.saved), model, version.author, version.message,
    ]
    for index in stores.indices where stores[index].name == log {
      stores[index].commit = version.number
    }
  }

  /// Checks the checksum (spec §7.3.9).
  private func checkChecksum(_ members: ManifestMembersCheck, _ bytes: [UInt8]) {
    guard let text = members.text("checksum") else { return }
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    // The quotation mark of the value and the brace of the object follow the checksum.
    var rest = bytes[...]
    for mark in [UInt8(ascii: "}"), UInt8(ascii: "\"")] {
      while let last = rest.last, isSpace(last) { rest.removeLast() }
      guard rest.last == mark else {
        members.add(.manifestChecksum, "checksum", "The checksum is not the last member.")
        return
      }
      rest.removeLast()
    }
    guard rest.suffix(8).elementsEqual(text.utf8), rest.dropLast(8).last == UInt8(ascii: "\"")
    else {
      members.add(
        .manifestChecksum, "checksum",
        "The checksum is not the last member, or does not have 8 digits.")
      return
    }
    let computed = CRC32C.checksum(of: bytes.rawSpan.extracting(0..<rest.endIndex - 8))
    let digits = String(computed, radix: 16)
    let expected = String(repeating: "0", count: 8 - digits.count) + digits
    if text != expected {
      members.add(
        .manifestChecksum, "checksum",
        "The checksum is \(text), but the computed checksum is \(expected).")
    }
  }

  /// Checks the features (spec §7.3.10).
  ///
  /// - Returns: Whether a program that knows none of the features may read the document.
  private func checkFeatures(_ members: ManifestMembersCheck) -> Bool {
    var features: [FormatFeature] = []
    for (name, kind) in (members.texts("features") ?? [:]).sorted(by: { $0.key < $1.key }) {
      let place = "features.\(name.prefix(100))"
      guard let feature = FormatFeature(name, kind) else {
        members.add(.featureNames, place, "This is not a valid name of a feature.")
        continue
      }
      features.append(feature)
      if feature.class != .refuse {
        members.add(.unknownManifestFeature, place, feature.explanation)
      }
    }
    guard let objection = features.objection(isReading: true) else { return true }
    kind = .newer
    members.add(.manifestVersion, "features", objection)
    return false
  }

  // MARK: - Members

  private func read(_ members: ManifestMembersCheck) {
    uuid = members.uuid("uuid")
    _ = members.text("title", isNeeded: false)
    members.date("created")
    _ = members.texts("metadata")
    model = members.text("model")
    if let list = members.list("models") {
      models = list.objects.map(readModel)
      knowsModels = list.isWhole && models.allSatisfy { $0.name != nil }
    }
    let stores = members.list("stores")
    self.stores = stores?.objects.map(readStore) ?? []
    log = members.text("log", isNeeded: false)
    heads = members.textList("heads")
    head = members.text("head", isNeeded: false)
    attachments = members.list("attachments", isNeeded: false)?.objects.map(readAttachment) ?? []
    readVersions(members)
    members.finish()
    if stores?.isEmpty == true { members.add(.noStores, "stores", "The document has no store.") }
  }

  private func readModel(_ index: Int, _ members: ManifestMembersCheck) -> ModelEntry {
    defer { members.finish() }
    var entry = ModelEntry(
      index: index, name: members.name("name", byteLimit: Manifest.nameByteLimit),
      file: members.file("file", in: Container.modelsFolder))
    guard let texts = members.texts("entities") else { return entry }
    entry.hashes = [:]
    for (entity, text) in texts.sorted(by: { $0.key < $1.key }) {
      if let hash = VersionHash(hex: text) {
        entry.hashes?[entity] = hash
      } else {
        members.add(
          .hexadecimalDigits, "entities.\(entity.prefix(100))",
          "The value is not a hash of 32 bytes.")
        entry.hashes = nil
        break
      }
    }
    return entry
  }

  private func readStore(_ index: Int, _ members: ManifestMembersCheck) -> StoreEntry {
    defer { members.finish() }
    var entry = StoreEntry(
      index: index, name: members.name("name", byteLimit: Manifest.nameByteLimit),
      type: members.text("type"), file: members.file("file", in: Container.storesFolder),
      uuid: members.uuid("uuid"), configuration: members.text("configuration", isNeeded: false))
    _ = members.texts("options")
    entry.commit = members.integer("commit", 1...Manifest.highestNumber)
    for (index, earlier) in members.list("earlier", isNeeded: false)?.objects ?? [] {
      entry.earlier.append(
        EarlierFile(
          index: index, file: earlier.file("file", in: Container.storesFolder),
          commit: earlier.integer("commit", 1...Manifest.highestNumber),
          until: earlier.integer("until", 1...Manifest.highestNumber),
          model: earlier.text("model"), uuid: earlier.uuid("uuid", isNeeded: false)))
      earlier.finish()
    }
    return entry
  }

  private func readAttachment(
    _ index: Int, _ members: ManifestMembersCheck
  ) -> AttachmentEntry {
    defer { members.finish() }
    return AttachmentEntry(
      index: index, name: members.name("name", byteLimit: Manifest.attachmentNameByteLimit),
      isContent: members.flag("content"), digest: members.digest("digest"),
      byteCount: members.integer("byteCount", 0...Int64.max),
      since: members.integer("since", 1...Manifest.highestNumber),
      until: members.integer("until", 1...Manifest.highestNumber, isNeeded: false))
  }

  private func readVersions(_ members: ManifestMembersCheck) {
    guard let found = members.list("versions") else { return }
    for (_, version) in found.objects {
      let number = version.integer("number", 1...Manifest.highestNumber)
      let saved = version.date("saved")
      let model = version.text("model")
      if let model { list.models.append(model) }
      _ = version.text("name", isNeeded: false)
      let description = [
        saved, model, version.text("author", isNeeded: false),
        version.text("message", isNeeded: false),
      ]
      let undoneTo = version.integer("undoneTo", 1...Manifest.highestNumber, isNeeded: false)
      let merged = version.integerList("merged", 1...Manifest.highestNumber)
      let received = version.digestList("received")
      version.finish()
      guard let number else { continue }
      list.descriptions[number] = description
      if merged.contains(where: { $0 >= number }) || Set(merged).count < merged.count {
        version.add(
          .versionOrder, "merged",
          "The list has a number twice, or one that is not below the version's number \(number).")
      }
      if Set(received).count < received.count {
        version.add(.versionOrder, "received", "The list has an identity twice.")
      }
      if let last = list.numbers.last, last >= number {
        version.add(.versionOrder, "number", "The number is \(number), but it comes after \(last).")
      }
      if let undoneTo, undoneTo >= number {
        version.add(
          .versionOrder, "undoneTo",
          "The number is \(undoneTo), but the version has number \(number).")
      }
      list.numbers.append(number)
    }
    if found.isEmpty { members.add(.versionOrder, "versions", "The document has no version.") }
    if found.isWhole, list.numbers.count == found.objects.count { list.newest = list.numbers.max() }
  }

  // MARK: - Between members

  private func checkModels(_ members: ManifestMembersCheck) {
    var known: Set<String> = []
    for entry in models {
      if let name = entry.name, !known.insert(name).inserted {
        members.add(
          .doubledModel, "models[\(entry.index)]", "Another entry has the name \"\(name)\" too.")
      }
    }
    // An unreadable model may be the missing one.
    guard knowsModels else { return }
    let used =
      [model].compactMap { $0 } + list.models + stores.flatMap { $0.earlier.compactMap(\.model) }
    for name in Set(used).subtracting(known).sorted() {
      members.add(
        .unknownModel, "models",
        "The manifest refers to the model \"\(name)\", which does not exist.")
    }
  }

  private func checkFiles(_ members: ManifestMembersCheck) {
    var seen: Set<String> = []
    let files =
      models.map { ($0.file, "models[\($0.index)]") }
      + stores.flatMap { store in
        [(store.file, "stores[\(store.index)]")]
          + store.earlier.map { ($0.file, "stores[\(store.index)].earlier[\($0.index)]") }
      }
    for case (let file?, let place) in files
    where !seen.insert(ContainerPath.folded(file)).inserted {
      members.add(
        .doubledFile, "\(place).file", "Another member refers to the file \"\(file)\" too.")
    }
  }

  private func checkLog(_ members: ManifestMembersCheck) {
    guard let log, stores.allSatisfy({ $0.name != nil && $0.type != nil }) else { return }
    let types = stores.filter { $0.name == log }.compactMap(\.type)
    if !types.contains(where: { Manifest.typesOfLogs.contains(StoreType(rawValue: $0)) }) {
      members.add(.logStore, "log", "No store in a block file has the name \"\(log.prefix(100))\".")
    }
  }

  /// Checks the names of heads, and that the manifest is in the right place for its members.
  private func checkHeads(_ members: ManifestMembersCheck) {
    for name in heads {
      guard let objection = HeadName.objection(to: name) else { continue }
      members.add(.headNames, "heads", "The name \"\(name.prefix(100))\" \(objection).")
    }
    if Set(heads.map(ContainerPath.folded)).count < heads.count {
      members.add(.headNames, "heads", "Two heads have names that differ at most in case.")
    }
    let foreign = file == Manifest.fileName ? "head" : "heads"
    if members.has(foreign) {
      members.add(.headNames, foreign, "The member is in the manifest of another head.")
    }
  }

  private func checkStores(_ members: ManifestMembersCheck) {
    var names: Set<String> = []
    var uuids: Set<UUID> = []
    for store in stores {
      let place = "stores[\(store.index)]"
      if let name = store.name, !names.insert(name).inserted {
        members.add(.doubledStore, "\(place).name", "Another entry has the name \"\(name)\" too.")
      }
      if let uuid = store.uuid, !uuids.insert(uuid).inserted {
        members.add(.doubledStore, "\(place).uuid", "Another store has the same UUID.")
      }
      guard let commit = store.commit else { continue }
      if let newest = list.newest, commit > newest {
        members.add(
          .storeCommit, "\(place).commit",
          "The commit is \(commit), but the newest version is \(newest).")
      }
      checkEarlier(store, commit, members)
    }
  }

  /// Checks that each file of a store begins where the file before ends.
  private func checkEarlier(
    _ store: StoreEntry, _ commit: Int64, _ members: ManifestMembersCheck
  ) {
    guard !store.earlier.isEmpty,
      store.earlier.allSatisfy({ $0.commit != nil && $0.until != nil })
    else { return }
    var since: Int64 = 1
    for earlier in store.earlier {
      let (number, until) = (earlier.commit!, earlier.until!)
      if number < since || until <= number {
        members.add(
          .earlierOrder, "stores[\(store.index)].earlier[\(earlier.index)]",
          "The file covers the versions from \(since) until \(until), but its commit is \(number).")
      }
      since = max(since, until)
    }
    if since > commit {
      members.add(
        .earlierOrder, "stores[\(store.index)].earlier",
        "The earlier files end at \(since), but the store's commit is \(commit).")
    }
  }

  private func checkAttachments(_ members: ManifestMembersCheck) {
    var byteCounts: [String: Int64] = [:]
    struct Name: Hashable {
      var name: String
      var isContent: Bool
    }
    var ends: [Name: Int64] = [:]
    for one in attachments.sorted(by: { ($0.since ?? 0, $0.index) < ($1.since ?? 0, $1.index) }) {
      let place = "attachments[\(one.index)]"
      if let digest = one.digest, let count = one.byteCount,
        let known = byteCounts.updateValue(count, forKey: digest), known != count
      {
        members.add(
          .digestSize, place,
          "The attachment has \(count) bytes, but another attachment with the same digest has \(known) bytes."
        )
      }
      guard let since = one.since else { continue }
      let end = one.until ?? .max
      if since >= end {
        members.add(
          .attachmentSpan, place,
          "The attachment begins with version \(since) and ends with version \(end).")
      } else if let newest = list.newest, max(since, one.until ?? 0) > newest {
        members.add(
          .attachmentSpan, place,
          "The attachment begins or ends at version \(max(since, one.until ?? 0)), but the newest version is \(newest)."
        )
      } else if let name = one.name, let isContent = one.isContent {
        let before = ends.updateValue(end, forKey: Name(name: name, isContent: isContent)) ?? 0
        if before > since {
          members.add(
            .doubledAttachment, place,
            "\"\(name.prefix(100))\" is part of version \(since), and another attachment with this name is too."
          )
        }
      }
    }
  }
}
