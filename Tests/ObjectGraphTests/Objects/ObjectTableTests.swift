import Entities
import ObjectModel
import ObjectQuery
import Testing

@testable import ObjectGraph

/// An object of a tree that reads its relationships once more when it ends.
@Entity private final class Twig: ManagedObject {
  var number: Int64
  var parent: Twig?
  @Relationship var children: RelatedObjects<Twig>
  @Ignored var known: RelatedObjects<Twig> = []

  static let model = try! Model(entities: [
    Entity(
      "Twig",
      properties: [
        .attribute(Attribute("number", .int64, isOptional: false, defaultValue: .integer(0))),
        .relationship(Relationship("parent", to: "Twig", inverse: "children")),
        .relationship(Relationship("children", to: "Twig", inverse: "parent", count: .toMany)),
      ])
  ])

  deinit {
    let numbers = children.map(\.number)
    precondition(numbers.isEmpty || numbers == [2 * number + 1, 2 * number + 2])
    for child in known { precondition((child.number - 1) / 2 == number) }
  }
}

@Suite("The table in which a context finds its registered objects")
struct ObjectTableTests {
  @Test("Objects with distant numbers are found, also after objects with numbers between them come")
  func spread() throws {
    let graph = try Graph(.memory)
    let context = graph.context()
    let store = graph.coordinator.stores[0]
    let entity = try #require(store.graph["Person"]).number
    func object(_ number: UInt64) -> ManagedObject {
      context.object(
        with: ObjectID(store: store.tag, key: ObjectKey(entity: entity, number: number)))
    }

    // The first numbers are few and on distant pages. Later numbers are so many that they are in one array.
    var known: [UInt64: ManagedObject] = [:]
    for number in (0..<40).map({ UInt64(1) << $0 }) + stride(from: 1, to: 70_000, by: 50) {
      let found = object(number)
      #expect(known[number] == nil || known[number] === found)
      known[number] = found
    }
    for (number, one) in known { #expect(object(number) === one, "\(number)") }
    let count = context.registeredObjects.count
    #expect(count == known.count)

    // The sweep removes released objects from the array and the pages, and keeps held objects.
    known = known.filter { $0.key % 3 == 0 }
    context.workspace.sweep()
    #expect(context.registeredObjects.count == known.count)
    for (number, one) in known { #expect(object(number) === one, "\(number)") }
  }

  @Test("Objects that are released may follow their relationships once more")
  func lastReads() throws {
    let graph = try Graph(.memory, model: Twig.model, classes: [Twig.self])
    let count = 2047
    let writer = graph.context()
    var twigs = try (0..<count).map { number in
      try writer.insert(Twig.self) { $0.number = Int64(number) }
    }
    for number in 1..<count { twigs[number].parent = twigs[(number - 1) / 2] }
    try writer.save()

    let context = graph.context()
    for _ in 0..<3 {
      twigs = try context.fetch(Twig.self, sortedBy: [SortKey("number")])
      #expect(twigs.count == count)
      for (number, twig) in twigs.enumerated() {
        let children = twig.children
        #expect(children.map(\.number).allSatisfy { ($0 - 1) / 2 == number })
        #expect(children.allSatisfy { $0.parent === twig && twigs[Int($0.number)] === $0 })
      }
      twigs = []
      context.workspace.sweep()
    }

    // Lists that the objects hold themselves also work in the deinitializers that run when a context is reset.
    let last = graph.context()
    for twig in try last.fetch(Twig.self) {
      twig.known = twig.children
      #expect(twig.known.allSatisfy { $0.parent === twig })
    }
    last.reset()
    #expect(last.registeredObjects.isEmpty)
  }
}
