import BinaryStore
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

/// The stores that a document under test has.
enum Mix: String, CaseIterable, CustomTestStringConvertible {
  case binary
  case compressed
  case xml
  case binaryAndXML
  case threeStores
  /// One store that is linked in, one of a loaded library in Swift, and one of a loaded library in C.
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

  /// The mixes that can be had here: the library in C takes a compiler.
  static let allCases: [Mix] =
    ours + (InstalledPlugins.compiler == nil ? [] : [.plugins])

  var testDescription: String { rawValue }
}

/// A document on a disk that is not one.
struct DocumentWorld {
  static let backends = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
  static let path = "/Trip.quire"
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

  /// The backends with those of loaded libraries in the place of one, and beside the others.
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

  /// A context over the document's stores.
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

  /// The names of the objects of each entity, in order.
  func names(in document: Document) throws -> [[String]] {
    let context = try context(document)
    return try ["Trip", "Person", "Note"].map { entity in
      try context.fetch(FetchRequest(entity)).map { object in
        guard case .string(let name) = object["name"] else { return "" }
        return name
      }.sorted()
    }
  }

  /// What the document holds, opened as anybody would.
  func names(version: Int64? = nil) throws -> [[String]] {
    let document = try open(.readOnly, version: version)
    defer { try? document.close() }
    return try names(in: document)
  }

  /// The files in the document, by their paths in it.
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
  /// The same names in each entity.
  static func each(_ names: String...) -> [[String]] {
    Array(repeating: names.sorted(), count: 3)
  }
}
