import BinaryStore
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Testing
import XMLStore

/// The stores of a document under test.
enum Mix: String, CaseIterable, CustomTestStringConvertible {
  case binary
  case compressed
  case xml
  case binaryAndXML
  case threeStores
  /// A store of a linked backend, a store of a library in Swift, and a store of a library in C.
  case plugins

  var stores: [DocumentStoreDescription] {
    switch self {
    case .binary: [.init(type: .binary)]
    case .compressed: [.init(type: .compressed)]
    case .xml: [.init(type: .xml)]
    case .binaryAndXML:
      [
        .init("trips", type: .binary, configuration: "Trips"),
        .init("people", type: .xml, configuration: "Others"),
      ]
    case .threeStores:
      [
        .init("trips", type: .xml, configuration: "Trips"),
        .init("people", type: .compressed, configuration: "People"),
        .init("notes", type: .binary, configuration: "Notes"),
      ]
    case .plugins:
      [
        .init("trips", type: .binary, configuration: "Trips"),
        .init("people", type: .xml, configuration: "People"),
        .init("notes", type: StoreType(rawValue: "Folder"), configuration: "Notes"),
      ]
    }
  }

  /// The mixes of stores that the specification describes.
  static let ours: [Mix] = [.binary, .compressed, .xml, .binaryAndXML, .threeStores]

  /// The mixes that this machine can build: the library in C needs a compiler.
  static let allCases: [Mix] =
    ours + (InstalledPlugins.compiler == nil ? [] : [.plugins])

  var testDescription: String { rawValue }

  /// The options of a document with these stores. It saves automatically only if delays of autosave are given.
  func options(autosave: AutosaveTiming? = nil) -> DocumentOptions {
    var options = DocumentOptions()
    options.autosave = autosave
    options.externalChangeInterval = nil
    options.hooks.stores = { _ in stores }
    return options
  }
}

/// A document on a simulated disk.
struct DocumentWorld {
  static let backends = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
  static let path = "/Trip.quire"
  /// A second process on the computer of the simulated disk.
  static let otherProcess = ProcessIdentity(
    hostName: "here", bootID: "boot-1", processID: 7, startTime: 9)
  static let model = try! Model(
    Model.Description(
      entities: [
        Entity("Trip", properties: [.attribute(Attribute("name", .string, isOptional: false))]),
        Entity("Person", properties: [.attribute(Attribute("name", .string))]),
        Entity("Note", properties: [.attribute(Attribute("name", .string))]),
      ],
      configurations: [
        Configuration("Trips", entities: ["Trip"]), Configuration("People", entities: ["Person"]),
        Configuration("Notes", entities: ["Note"]),
        Configuration("Others", entities: ["Person", "Note"]),
      ]))

  let disk: any Disk
  let mix: Mix
  var places: StorePlaces {
    StorePlaces(mix == .plugins ? DocumentWorld.loading : DocumentWorld.backends, on: disk)
  }

  /// The backends for ``Mix/plugins``: a loaded library replaces the linked XML backend, and another is added.
  private static let loading = try! InstalledPlugins.backends(
    backends.backends, loading: ["XML", "Folder"])

  init(_ mix: Mix, on disk: any Disk = SimulatedDisk()) {
    self.mix = mix
    self.disk = disk
  }

  func create() throws -> Document {
    try Document.create(
      DocumentWorld.path, model: DocumentWorld.model, stores: mix.stores, title: "A trip",
      in: places)
  }

  func open(
    _ access: Document.Access = .exclusive, whenHeld: Document.WhenHeld = .fail,
    version: Int64? = nil
  ) throws -> Document {
    try Document.open(
      DocumentWorld.path, in: places, access: access, whenHeld: whenHeld, version: version)
  }

  /// Returns a context over the document's stores.
  func context(_ document: Document) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: try document.model)
    for store in document.stores {
      try coordinator.add(
        store, configuration: store.configuration, readOnly: document.isReadOnly)
    }
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  /// Saves one object of each entity.
  func add(_ name: String, to document: Document) throws {
    let context = try context(document)
    for entity in ["Trip", "Person", "Note"] {
      try context.insert(entity)["name"] = .string(name)
    }
    try context.save()
  }

  /// Returns the names of the objects of each entity, in order.
  func names(in document: Document) throws -> [[String]] {
    let context = try context(document)
    return try ["Trip", "Person", "Note"].map { entity in
      try context.fetch(FetchRequest(entity)).map { object in
        guard case .string(let name) = object["name"] else { return "" }
        return name
      }.sorted()
    }
  }

  /// Opens the document like any reader, and returns the names of its objects.
  func names(version: Int64? = nil) throws -> [[String]] {
    let document = try open(.readOnly, version: version)
    defer { try? document.close() }
    return try names(in: document)
  }

  /// Returns the files in the document, by their paths within it.
  func files(in path: String = DocumentWorld.path) throws -> [String] {
    try disk.list(path).flatMap { entry -> [String] in
      guard entry.kind == .directory else { return [entry.name] }
      return try files(in: "\(path)/\(entry.name)").map { "\(entry.name)/\($0)" }
    }
  }

  func write(_ text: String, to name: String) throws {
    try disk.replace("\(DocumentWorld.path)/\(name)") { try $0.write(text) }
  }

  func text(of name: String) throws -> String {
    String(
      decoding: try disk.read("\(DocumentWorld.path)/\(name)", byteLimit: 1 << 24),
      as: UTF8.self)
  }
}

extension [[String]] {
  /// Returns the same names for each entity.
  static func each(_ names: String...) -> [[String]] {
    Array(repeating: names.sorted(), count: 3)
  }
}
