import Foundation
import ObjectModel
import Quire
import Testing

/// Differences from Core Data that docs/deviations.md lists and no further test shows.
@Suite("Differences from Core Data")
struct CoreDataDifferenceTests {
  private func temporary() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test("A batch deletion selects objects by their identifiers with a predicate")
  func batchOfIdentifiers() throws {
    let context = try ManagedObjectContext.inMemory([Voyage.self, Port.self])
    let voyages = try ["A", "B", "C"].map { code in
      try context.insert(Voyage.self) { $0.code = code }
    }
    try context.save()
    let ids = [voyages[0].objectID, voyages[2].objectID]

    let result = try context.execute(
      BatchDeleteRequest("Voyage", where: QueryPredicate("SELF IN %@", ids)))

    #expect(result.count == 2)
    #expect(try context.fetch(Voyage.all).map(\.code) == ["B"])
  }

  @Test("The metadata of a closed store are read without a coordinator")
  func metadata() throws {
    let folder = try temporary()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Voyages.store").path
    let container = try PersistentContainer(at: path, for: Voyage.self, Port.self)
    let uuid = container.coordinator.stores[0].uuid
    try container.coordinator.remove(container.coordinator.stores[0])

    #expect(try StorePlaces.builtIn.metadata(at: path).uuid == uuid)
  }

  @Test("A coordinator finds its store at a path, however the path is spelled")
  func storeAtPath() throws {
    let folder = try temporary()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Voyages.store").path
    let coordinator = try PersistentContainer(at: path, for: Voyage.self, Port.self).coordinator

    #expect(coordinator.store(at: path) == coordinator.stores[0])
    #expect(
      coordinator.store(at: folder.path + "/../" + folder.lastPathComponent + "/Voyages.store")
        == coordinator.stores[0])
    #expect(coordinator.store(at: path + "2") == nil)
  }

  @Test("Partial, R-tree and full-text indexes stay in the model, and searches find the same")
  func specialIndexes() throws {
    var place = Entity(
      "Place",
      properties: [
        .attribute(Attribute("name", .string)), .attribute(Attribute("x", .double)),
        .attribute(Attribute("y", .double)),
      ])
    var partial = FetchIndex("named", elements: [.init("name")])
    partial.partialPredicate = "x > 1"
    place.fetchIndexes = [
      partial, FetchIndex("area", elements: [.init("x", kind: .rTree), .init("y", kind: .rTree)]),
      FetchIndex("words", elements: [.init("name", kind: .fullText)]),
    ]
    let model = try Model(entities: [place])
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addStore(at: "memory", type: .memory)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for number in 0..<4 {
      let object = try context.insert("Place")
      try object.setValues(["name": .string("\(number)"), "x": .double(Double(number))])
    }
    try context.save()

    #expect(model["Place"]?.fetchIndexes.count == 3)
    for text in ["name == '0'", "name TEXT '3'", "x BETWEEN {2.5, 9} AND y == nil"] {
      let request = FetchRequest("Place", where: try QueryPredicate(text))
      #expect(try context.fetch(request).count == 1, "\(text)")
    }
  }

  @Test("A model is made of the entities of two models, and a name in both is an error")
  func mergedModels() throws {
    let one = try Model(entities: [Entity("A", properties: [.attribute(Attribute("a", .string))])])
    let two = try Model(entities: [Entity("B", properties: [.attribute(Attribute("b", .string))])])

    #expect(try Model(entities: one.entities + two.entities).entities.count == 2)
    #expect(throws: ModelError.self) { try Model(entities: one.entities + one.entities) }
  }
}
