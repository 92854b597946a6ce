import BinaryStore
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import Recovery
import SQLiteStore
import StoreInterface
import Testing

/// A block file numbers the objects of each entity separately. A database numbers the objects of an entity together
/// with the objects of its subentities.
@Suite("Objects of a family that share numbers")
struct FamilyNumbersTests {
  private let folder: TemporaryFolder
  private let places = StorePlaces(
    StoreBackends([BinaryStoreBackend(), SQLiteStoreBackend()]), on: RealDisk())

  init() throws { folder = try TemporaryFolder() }

  private static func entity(_ name: String, of parent: String? = nil, _ names: String...) -> Entity
  {
    Entity(
      name, superentity: parent, properties: names.map { .attribute(Attribute($0, .string)) })
  }

  private static let partner = Property.relationship(Relationship("partner", to: "Place"))
  /// A model with two entities of one family.
  private static let joined = try! Model(entities: [
    Entity("Place", properties: [.attribute(Attribute("name", .string)), partner]),
    entity("Museum", of: "Place", "prize"),
  ])
  /// The same model with another attribute.
  private static let later = try! Model(entities: [
    Entity("Place", properties: [.attribute(Attribute("name", .string)), partner]),
    entity("Museum", of: "Place", "prize", "hours"),
  ])

  /// Creates a store with three places and three museums, each of which refers to the next.
  private func make(_ name: String, _ type: StoreType, _ model: Model) throws -> String {
    let path = folder.file(name)
    let coordinator = PersistentStoreCoordinator(model: model, places: places)
    let store = try coordinator.addStore(at: path, type: type)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    var objects: [ManagedObject] = []
    for number in 1...3 {
      for entity in ["Place", "Museum"] {
        let object = try context.insert(entity)
        object["name"] = .string("\(entity) \(number)")
        objects.append(object)
      }
    }
    for (one, next) in zip(objects, objects.dropFirst()) {
      one.setObjects([next], forKey: "partner")
    }
    try context.save()
    try coordinator.remove(store)
    return path
  }

  private static let chain = [
    "Museum 1 > Place 2", "Museum 2 > Place 3", "Museum 3", "Place 1 > Museum 1",
    "Place 2 > Museum 2", "Place 3 > Museum 3",
  ]

  private func name(_ object: ManagedObject) -> String {
    if case .string(let text) = object["name"] { text } else { "" }
  }

  private func objects(_ path: String, _ model: Model, _ entities: [String] = ["Place"]) throws
    -> [String]
  {
    let coordinator = PersistentStoreCoordinator(model: model, places: places)
    let store = try coordinator.addStore(at: path)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    var lines: [String] = []
    for entity in entities {
      for object in try context.fetch(FetchRequest(entity)) {
        let next = object.value(forKey: "partner") as? ManagedObject
        lines.append(name(object) + (next.map { " > \(name($0))" } ?? ""))
      }
    }
    try coordinator.remove(store)
    return lines.sorted()
  }

  @Test("Recovery into a database renumbers the objects of a family, and references follow")
  func recovery() throws {
    let path = try make("damaged", .binary, Self.joined)
    let recovery = try StoreRecovery(of: path, on: RealDisk(), model: nil, keepsInvalid: false)
    let output = folder.file("recovered")

    let store = try SQLiteStoreBackend().create(
      at: output, model: recovery.snapshot.model, on: RealDisk(), recovery.creation)
    let report = try recovery.copy(to: store)
    try store.close()

    #expect(report.objectCount == 6)
    #expect(try objects(output, Self.joined) == Self.chain)
  }

  @Test("Migration into a database renumbers the objects of a family", arguments: [joined, later])
  func migration(_ target: Model) throws {
    let path = try make("old", .binary, Self.joined)

    try Migrator().migrate(
      storeAt: path, to: target, as: StoreType(rawValue: "SQLite"), in: places)

    #expect(try objects(path, target) == Self.chain)
  }

  @Test(
    "If a migration joins entities into a family, their numbers differ and the store's UUID is new")
  func joining() throws {
    let apart = try Model(entities: [
      Entity("Place", properties: [.attribute(Attribute("name", .string)), Self.partner]),
      Entity(
        "Museum",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("partner", to: "Place")),
          .attribute(Attribute("prize", .string)),
        ]),
    ])
    let path = folder.file("apart")
    let coordinator = PersistentStoreCoordinator(model: apart, places: places)
    let added = try coordinator.addStore(at: path, type: StoreType(rawValue: "SQLite"))
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let place = try context.insert("Place")
    place["name"] = .string("Place 1")
    let museum = try context.insert("Museum")
    museum["name"] = .string("Museum 1")
    museum.setObjects([place], forKey: "partner")
    try context.save()
    #expect(place.objectID.key.number == museum.objectID.key.number)
    try coordinator.remove(added)
    let uuid = try places.metadata(at: path).uuid

    try Migrator().migrate(storeAt: path, to: Self.joined, in: places)

    #expect(try objects(path, Self.joined) == ["Museum 1 > Place 1", "Place 1"])
    #expect(try places.metadata(at: path).uuid != uuid)
  }
}
