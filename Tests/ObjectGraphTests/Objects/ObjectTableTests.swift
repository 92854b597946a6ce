import ObjectModel
import Testing

@testable import ObjectGraph

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
}
