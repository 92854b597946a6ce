import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import SeededRandom
import StoreInterface

/// A store with a history, and the objects at each of its commits.
struct Library {
  let bytes: [UInt8]
  /// The values of each object, at each commit at which the object existed.
  let states: [Int64: [ObjectKey: [String: Value]]]
  let newest: Int64

  static let model: Model = {
    let shelf = Entity(
      "Shelf",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(
          Relationship("books", to: "Book", inverse: "shelf", count: .toMany, isOrdered: true)),
      ])
    let book = Entity(
      "Book",
      properties: [
        .attribute(Attribute("title", .string)), .attribute(Attribute("pages", .int32)),
        .attribute(Attribute("cover", .binary)),
        .relationship(Relationship("shelf", to: "Shelf", inverse: "books")),
        .relationship(Relationship("twin", to: "Book", inverse: "twin")),
        .relationship(Relationship("tags", to: "Tag", inverse: "books", count: .toMany)),
      ])
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("text", .string, isOptional: false)),
        .relationship(Relationship("book", to: "Book", inverse: "notes", isOptional: false)),
      ])
    var noted = book
    noted.declaredProperties.append(
      .relationship(
        Relationship("notes", to: "Note", inverse: "book", count: .toMany, deleteRule: .cascade)))
    let tag = Entity(
      "Tag",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("books", to: "Book", inverse: "tags", count: .toMany)),
      ], uniquenessConstraints: [["name"]])
    return try! Model(entities: [shelf, noted, note, tag])
  }()

  init(isCompressed: Bool, rounds: Int = 9, _ random: inout SeededGenerator) throws {
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.leastOutsideByteCount = 512
    options.leastDeadByteCount = 1 << 30
    let store = try BinaryStore.create(
      at: "/s", model: Library.model, isCompressed: isCompressed, on: disk, options: options)
    let coordinator = PersistentStoreCoordinator(model: Library.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    var states: [Int64: [ObjectKey: [String: Value]]] = [:]
    var shelves: [ManagedObject] = []
    var books: [ManagedObject] = []
    var tags: [ManagedObject] = []
    for round in 0..<rounds {
      for _ in 0..<(round == 0 ? 700 : 30) {
        let book = try context.insert("Book")
        book.setValue(.string("Book \(books.count) of \(round)"), forKey: "title")
        book.setValue(.integer(.random(in: 1...999, using: &random)), forKey: "pages")
        if Int.random(in: 0..<40, using: &random) == 0 {
          let count = Int.random(in: 10...3000, using: &random)
          book.setValue(
            .binary(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * round) })),
            forKey: "cover")
        }
        books.append(book)
        if Bool.random(using: &random) {
          let note = try context.insert("Note")
          note.setValue(.string("Note of round \(round)"), forKey: "text")
          note.setObjects([book], forKey: "book")
        }
      }
      for _ in 0..<3 {
        let shelf = try context.insert("Shelf")
        shelf.setValue(.string("Shelf \(shelves.count)"), forKey: "name")
        shelves.append(shelf)
        let tag = try context.insert("Tag")
        tag.setValue(.string("Tag \(tags.count)"), forKey: "name")
        tags.append(tag)
      }
      for _ in 0..<40 {
        let book = books.randomElement(using: &random)!
        book.setObjects([shelves.randomElement(using: &random)!], forKey: "shelf")
        book.setObjects(Array(tags.shuffled(using: &random).prefix(2)), forKey: "tags")
        book.setObjects([books.randomElement(using: &random)!], forKey: "twin")
        book.setValue(.integer(Int64(round + 1000)), forKey: "pages")
      }
      for _ in 0..<8 where round > 0 {
        let place = Int.random(in: 0..<books.count, using: &random)
        context.delete(books.remove(at: place))
      }
      try context.save()
      let snapshot = try store.snapshot()
      states[snapshot.commit] = try Library.objects(snapshot)
    }
    self.states = states
    newest = try store.snapshot().commit
    try store.close()
    bytes = try disk.read("/s", byteLimit: 1 << 26)
  }

  /// Returns the values of a store, by object and attribute.
  static func objects(_ snapshot: any StoreSnapshot) throws -> [ObjectKey: [String: Value]] {
    var objects: [ObjectKey: [String: Value]] = [:]
    for layout in snapshot.schema.layouts {
      for batch in try snapshot.view.batches(of: layout) {
        let keys = try batch.block.keys
        let columns = try layout.columns.map { try batch.block.column($0)! }
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          var values: [String: Value] = [:]
          for (column, read) in zip(layout.columns, columns) {
            values[column.name] = read.value(at: row)
          }
          objects[
            ObjectKey(
              entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))] =
            values
        }
      }
    }
    return objects
  }
}
