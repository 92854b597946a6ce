import Archives
import CommandInterface
import Comparison
import Documents
import DurableFiles
import JSONText
import ModelNotations
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

extension StoreReader {
  /// The backends and the disk.
  var places: StorePlaces { StorePlaces(backends, on: disk) }

  /// Opens a document, or a head of it: `DOC@draft`. For exclusive access, waits for up to five seconds while another process
  /// has the document open. If programs share the document, the tool shares it too.
  func document(
    _ path: String, access: Document.Access, version: VersionReference? = nil,
    acceptsDamage: Bool = false
  ) throws -> Document {
    let place = try headPlace(path)
    let document: Document
    do {
      document = try places.openDocument(
        place.path, access: access, version: version ?? place.version, acceptsDamage: acceptsDamage)
    } catch let error as DocumentError where error.code == .notADocument {
      guard try disk.status(of: place.path).kind == .file else { throw error }
      throw CommandError.isNoDocument(place.path, isStore: try isStore(place.path))
    }
    if acceptsDamage { for store in document.stores { try recordDamage(of: store, at: path) } }
    return document
  }

  /// Opens the head `main` of a document, whose current head may be lost.
  func mainHead(_ path: String, access: Document.Access) throws -> Document {
    try document(
      headPlace(path).path, access: access, version: VersionReference(.head(HeadName.main)))
  }

  /// Returns the path that the command line names, of a document or of a store, and the head behind it.
  ///
  /// - Throws: ``CommandError`` for `DOC@VERSION`, which only commands with `--version` read.
  func headPlace(_ word: String) throws -> VersionedPath {
    let place = try VersionedPath(orHead: word, on: disk)
    if place.head == nil { try checkHasNoVersion(word) }
    return place
  }

  /// Parses the name of a version: its number, or a head with a number of steps back.
  static func versionReference(_ words: String) throws -> VersionReference {
    guard let reference = VersionReference(words) else {
      throw CommandError.wrongUsage(
        "'\(oneLine(words))' is not the number or date of a version, nor the name of a head.")
    }
    return reference
  }

  /// Returns the error for a version that a document or a store does not contain.
  static func noVersion(
    _ version: VersionReference, of path: String, known: [Int64]
  ) -> CommandError {
    // The exit code is not the code for a difference or for no result.
    CommandError(
      .inputOutput, "'\(oneLine(path))' does not contain version \(version).",
      hint: "It contains \(ranges(of: known)).")
  }

  /// Throws an error for `DOC@VERSION`, which only some commands read, if no file has this name.
  func checkHasNoVersion(_ path: String) throws {
    let place = try VersionedPath(path, on: disk)
    guard let version = place.version,
      try disk.exists(place.path)
    else { return }
    throw CommandError.wrongUsage(
      "'\(oneLine(path))' is not a file, and this command does not read versions by @.",
      hint: "Commands that read an earlier version take --version \(version) after "
        + "\(CommandError.quoted(place.path)).")
  }

  /// Returns whether there is a document at a path, as a folder or packed, and not a store. The path may name a head.
  ///
  /// - Throws: `DiskError` if a file or a folder is there and can't be read.
  func isDocument(_ path: String) throws -> Bool {
    try places.isDocument(VersionedPath(orHead: path, on: disk).path)
  }

  /// Returns the versions of a document's model; `nil` if there is no document at the path.
  ///
  /// A store of the document may be damaged, because its last save is not needed.
  func modelVersions(ofDocumentAt path: String) throws -> ModelVersions? {
    guard try isDocument(path) else { return nil }
    let folder = try headPlace(path).path
    let isFolder = try disk.status(of: folder).kind == .directory
    if isFolder, try !disk.exists(folder.trimmingSlashes + "/manifest.json") { return nil }
    let document = try places.openDocument(
      folder, access: .readOnly, version: headPlace(path).version, acceptsDamage: true)
    defer { try? document.close() }
    return ModelVersions(
      try document.modelVersions.map { ModelVersions.Version($0.name, model: $0.model) },
      currentName: document.manifest.model)
  }

  /// Returns the store of a document on which a command works: the store that the command line names, or the store for the
  /// command line's entity, or the only store.
  func store(
    ofDocument path: String, _ invocation: Invocation, _ access: Document.Access
  ) throws -> any Store {
    let document = try document(path, access, invocation)
    let stores = document.stores
    if let name = invocation.value(of: .storeName) {
      return StoreOfDocument(try Self.store(name, of: document, at: path), document)
    }
    if stores.count == 1 { return StoreOfDocument(stores[0], document) }
    let model = try document.model
    let names =
      if let list = invocation.value(of: ExportCommand.entities) {
        list.split(separator: ",").map(String.init)
      } else {
        [
          invocation.value(of: .entity) ?? invocation.value(of: TreeCommand.entity)
            ?? FetchCommand.entityName(invocation, model)
        ].compactMap { $0 }
      }
    let choice = stores.map(\.name).joined(separator: ", ")
    guard !names.isEmpty else {
      throw CommandError.wrongUsage(
        "'\(oneLine(path))' has several stores.", hint: "Choose one with --in: \(choice).")
    }
    for name in names { try FetchCommand.checkEntity(name, model, in: path) }
    let family = Set(names.flatMap { model.family(of: $0).map(\.name) })
    // Several stores may contain an entity. The answer of one of them would be a part of the answer.
    let holding = try stores.filter { try $0.holdsObjects(of: family) }
    guard holding.count < 2 else {
      throw CommandError.wrongUsage(
        "Several stores of '\(oneLine(path))' contain objects of '\(names.joined(separator: ","))': "
          + "\(holding.map(\.name).joined(separator: ", ")).",
        hint: "The command reads one store. Choose it with --in: \(choice).")
    }
    let configurations = model.description.configurations
    let meant = stores.first { store in
      configurations.first { $0.name == store.configuration }?.entities.contains(names[0]) ?? false
    }
    let store = holding.first ?? meant ?? stores.first { $0.configuration == nil }
    guard let store else {
      throw CommandError.wrongUsage(
        "No store of '\(oneLine(path))' is for objects of '\(oneLine(names[0]))'.",
        hint: "Choose one with --in: \(choice).")
    }
    return StoreOfDocument(store, document)
  }

  /// Returns a store of a document.
  static func store(
    _ name: String, of document: Document, at path: String
  ) throws(CommandError) -> DocumentStore {
    if let store = document[name] { return store }
    let names = document.stores.map(\.name)
    throw .unknown(
      "store", name, in: "in '\(oneLine(path))'", known: names,
      otherwise: "It has \(names.map { "'\($0)'" }.joined(separator: ", ")).")
  }

  /// Returns the document at a path, open for reading, with the version and the tolerance of the command line.
  func document(_ path: String, toRead invocation: Invocation) throws -> Document {
    try document(path, .readOnly, invocation)
  }

  private func document(
    _ path: String, _ access: Document.Access, _ invocation: Invocation
  ) throws -> Document {
    try Self.checkModelOption(ofDocument: path, invocation)
    let version = try invocation.value(of: .version).map(Self.versionReference)
    do {
      return try document(
        path, access: access, version: version, acceptsDamage: invocation.has(.damaged))
    } catch let error as DocumentError where error.code == .noVersion {
      guard let version, case .number = version.start, version.steps == 0 else {
        throw CommandError(.inputOutput, "\(error)")
      }
      let newest = try document(
        path, access: .readOnly, acceptsDamage: invocation.has(.damaged))
      defer { try? newest.close() }
      throw Self.noVersion(version, of: path, known: newest.versions.map(\.number))
    }
  }
}

extension DocumentStore {
  /// Returns whether the store contains an object of one of the entities, without their subentities.
  fileprivate func holdsObjects(of entities: Set<String>) throws -> Bool {
    let snapshot = try snapshot()
    return try entities.contains { entity in
      guard snapshot.schema[entity] != nil else { return false }
      var request = QueryRequest(entity)
      request.includesSubentities = false
      return try count(request, in: snapshot) > 0
    }
  }
}

extension Option {
  /// The option for the store of a document.
  static let storeName = Option(
    "in", value: "NAME", kind: .storeName,
    "The store of a document with several stores. The default is the only store that contains objects "
      + "of the entity, or else the first store for the entity.")
  /// The option for the version of a document or a store.
  static let version = Option(
    "version", value: "NUMBER", kind: .version,
    "The version to read: a number that 'quire history' lists, a date, the name of a head of a document, or 'draft~2', two "
      + "versions before the newest of the head 'draft'. The default is the newest. '@3' behind the path does the same "
      + "as '--version 3'."
  )
}

extension Wording {
  /// Returns the names and types of a document's stores as text.
  static func stores(of document: Document) -> String {
    document.stores.map { "\($0.name) (\($0.type.rawValue))" }.joined(separator: ", ")
  }

  /// Returns the names and types of a document's stores as JSON.
  static func storesJSON(of document: Document) -> JSON {
    .array(
      document.stores.map {
        JSON.object(["name": .string($0.name), "type": .string($0.type.rawValue)])
      })
  }
}
