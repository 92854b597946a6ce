import BinaryStore
import Documents
import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

/// A folder and a schema of the tests' server for the document of one test: a block file for notes, and a PostgreSQL store
/// for trips.
final class DocumentSite: Sendable {
  static let backends = StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend()])

  let site: StoreSite
  let places: StorePlaces
  let path: String

  /// - Parameter disk: The disk of the document; `nil` for a temporary folder.
  init(on disk: (any Disk)? = nil) throws {
    site = try StoreSite()
    places = StorePlaces(DocumentSite.backends, on: disk ?? RealDisk())
    guard disk == nil else {
      path = "/Trips.quire"
      return
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID())").path
    path = "\(folder)/Trips.quire"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    guard places.disk is RealDisk else { return }
    try? FileManager.default.removeItem(atPath: String(path.dropLast("/Trips.quire".count)))
  }

  static func model(_ properties: String...) throws -> Model {
    var note = Entity("Note")
    note.declaredProperties = [.attribute(Attribute("text", .string))]
    var trip = Entity("Trip")
    trip.declaredProperties = (["name"] + properties).map { .attribute(Attribute($0, .string)) }
    return try Model(
      Model.Description(
        entities: [note, trip],
        configurations: [
          Configuration("Own", entities: ["Note"]), Configuration("Shared", entities: ["Trip"]),
        ]))
  }

  /// Makes the document.
  ///
  /// - Parameter address: The address of the PostgreSQL store; `nil` for that of the site.
  @discardableResult
  func make(at address: String? = nil) throws -> Document {
    try Document.create(
      path, model: DocumentSite.model(),
      stores: [
        DocumentStoreDescription("own", configuration: "Own"),
        DocumentStoreDescription(
          "shared", type: .postgreSQL, configuration: "Shared", address: address ?? site.address),
      ], in: places)
  }

  func open(_ access: Document.Access = .exclusive) throws -> Document {
    try Document.open(path, in: places, access: access)
  }

  /// Returns a change that sets the only text of the only object of a store.
  static func change(_ store: DocumentStore, _ text: String) throws -> CommitRequest {
    let base = try store.snapshot()
    let layout = try #require(base.schema.layouts.first)
    let key = ObjectKey(entity: layout.entityNumber, number: 1)
    let builder = LayerBuilder(base.schema)
    let row = try base.view.row(of: key)
    if row == nil { builder.insert(key) }
    builder.set(
      .string(text), layout.columns[0].name, of: key, base.schema, basis: try row?.version ?? 0)
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  /// Returns a change of each store.
  static func changes(
    _ document: Document, _ text: String
  ) throws -> [(store: any Store, request: CommitRequest)] {
    try document.stores.map { ($0, try change($0, text)) }
  }

  /// Saves a text in both stores as one version.
  static func save(_ text: String, in document: Document) throws {
    try document.commit(changes(document, text))
  }

  /// Returns the text of each store.
  static func texts(_ document: Document) throws -> [String] {
    try document.stores.map { store in
      let values = try store.snapshot().rows().values.flatMap { $0 }.flatMap { $0.values }
      return values.map { if case .string(let text) = $0 { text } else { "\($0)" } }.joined()
    }
  }

  /// The number of transactions that wait on the server for the store.
  func waiting() throws -> Int {
    let rows = try site.connection().texts(
      "SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'quire-' || (SELECT uuid::text FROM quire_store) || '-%'"
    )
    return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? -1
  }
}
