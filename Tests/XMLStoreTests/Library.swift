import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing
import XMLStore

typealias SeededNumbers = SeededGenerator

/// A model of authors with ordered books, some of which are comics.
enum Library {
  static let model: Model = {
    var author = Entity("Author")
    author.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("born", .date)),
      .relationship(
        Relationship("books", to: "Book", inverse: "author", count: .toMany, isOrdered: true)),
    ]
    var book = Entity("Book")
    book.declaredProperties = [
      .attribute(Attribute("title", .string)), .attribute(Attribute("pages", .int32)),
      .relationship(Relationship("author", to: "Author", inverse: "books")),
    ]
    var comic = Entity("Comic")
    comic.superentity = "Book"
    return try! Model(entities: [author, book, comic])
  }()

  static let uuid = UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!

  /// Creates a store with an author, a book and a comic, at `/library`.
  @discardableResult
  static func store(
    _ backend: some StoreBackend = XMLStoreBackend(), on disk: any Disk
  ) throws -> any Store {
    let store = try backend.create(
      at: "/library", model: model, on: disk, StoreCreation(uuid: uuid))
    let base = try store.snapshot()
    let schema = base.schema
    let builder = LayerBuilder(schema)
    let author = ObjectKey(entity: schema["Author"]!.entityNumber, number: 1)
    let book = ObjectKey(entity: schema["Book"]!.entityNumber, number: 2)
    let comic = ObjectKey(entity: schema["Comic"]!.entityNumber, number: 3)
    for key in [author, book, comic] { builder.insert(key) }
    builder.set(.string("Ursula <K.> Le Guin"), "name", of: author, schema)
    builder.set(
      .date(Date(timeIntervalSinceReferenceDate: -1_000_000_000.5)), "born", of: author, schema)
    builder.set(.string("The Dispossessed"), "title", of: book, schema)
    builder.set(.integer(341), "pages", of: book, schema)
    builder.set(.string("Catwings"), "title", of: comic, schema)
    for (key, place) in [(comic, 1), (book, 2)] {
      builder.set(.object(author), "author", of: key, schema)
      builder.set(.integer(Int64(place)), "author#order", of: key, schema)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    return store
  }

  /// Returns the text of a store's file.
  static func text(_ store: any Store, on disk: any Disk) throws -> String {
    String(decoding: try disk.read(store.path!, byteLimit: 1 << 26), as: UTF8.self)
  }

  /// Returns the objects of a document with the given head. The default is the head of the library.
  static func read(
    objects: String, head: String? = nil, options: XMLStoreOptions = XMLStoreOptions()
  ) throws -> StoreConformance.Objects {
    let text = "<database>\(head ?? self.head)\(objects)</database>"
    return try read(Array(text.utf8), options: options)
  }

  static let head =
    "<databaseInfo><version>134481920</version><UUID>\(uuid.uuidString)</UUID>"
    + "<nextObjectID>9</nextObjectID><metadata></metadata></databaseInfo>"

  /// Returns the objects of a document with the library's model.
  static func read(
    _ bytes: [UInt8], options: XMLStoreOptions = XMLStoreOptions(), model: Model? = Library.model
  ) throws -> StoreConformance.Objects {
    let disk = SimulatedDisk()
    try disk.open("/d", for: .create).append(bytes)
    let store = try XMLStoreBackend(options: options).open(
      "/d", on: disk, StoreOpening(model: model))
    return try StoreConformance.objects(store.snapshot())
  }

  /// Writes values, and returns them as the store reads them again.
  static func roundTrip(
    _ values: [Value], _ type: AttributeType, _ form: XMLStoreOptions.Form
  ) throws -> [Value] {
    var thing = Entity("Thing")
    thing.declaredProperties = [.attribute(Attribute("value", type))]
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend(form)
    let store = try backend.create(
      at: "/s", model: try Model(entities: [thing]), on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for (index, value) in values.enumerated() {
      let key = ObjectKey(entity: 1, number: UInt64(index + 1))
      builder.insert(key)
      builder.set(value, column: 0, of: key)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let snapshot = try backend.open("/s", on: disk, StoreOpening()).snapshot()
    let column = snapshot.schema.layouts[0].columns[0]
    return try values.indices.map { index in
      try snapshot.view.value(
        of: ObjectKey(entity: 1, number: UInt64(index + 1)), column: column) ?? .null
    }
  }
}

extension XMLStoreBackend {
  /// Creates a backend that writes the given form.
  init(_ form: XMLStoreOptions.Form) {
    var options = XMLStoreOptions()
    options.form = form
    self.init(options: options)
  }
}
