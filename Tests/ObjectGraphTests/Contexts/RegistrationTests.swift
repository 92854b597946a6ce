import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("The objects that a context registers")
struct RegistrationTests {
  private func people(_ graph: Graph, _ count: Int = 20) throws {
    let context = graph.context()
    for number in 0..<count {
      let person = try context.insert(Person.self) {
        $0.name = "P\(number)"
        $0.age = Int32(number)
      }
      try context.insert(Trip.self) {
        $0.name = "T\(number)"
        $0.owner = person
      }
    }
    try context.save()
  }

  @Test(
    "A context registers held objects and changed objects, or all", arguments: Kind.allCases)
  func held(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try people(graph)
    let context = graph.context()
    var all: [Person]? = try context.fetch(Person.self, sortedBy: [SortKey("age")])
    let kept = try #require(all?[3])
    let id = try #require(all?[5].objectID)
    all?[5].name = "Changed"
    all?[7].joined = []
    let gone = try #require(all?[9].objectID)
    all = nil
    #expect(Set(context.registeredObjects.map { ($0 as? Person)?.age }) == [3, 5])
    #expect(context.registeredObject(for: kept.objectID) === kept)
    #expect((context.registeredObject(for: id) as? Person)?.name == "Changed")
    #expect(context.registeredObject(for: gone) == nil)
    try context.save()
    #expect(context.registeredObjects == [kept])

    context.retainsRegisteredObjects = true
    _ = try context.fetch(Person.self)
    #expect(context.registeredObjects.count == 20 && context.registeredObject(for: gone) != nil)
    context.reset()
    #expect(context.registeredObjects.isEmpty)
  }

  @Test("An object takes no more than 64 bytes, with its slot in the context's table")
  func size() throws {
    guard let asked = dlsym(nil, "malloc_usable_size") else { return }
    typealias Size = @convention(c) (UnsafeRawPointer) -> Int
    let size = unsafeBitCast(asked, to: Size.self)
    let context = try Graph(.memory).context()
    let people = try (0..<100).map { _ in try context.insert(Person.self) }
    // An object also gets the rest of a piece of memory that is too small for anything else.
    let own = people.map { size(Unmanaged.passUnretained($0).toOpaque()) }.min()!
    // One word before the object belongs to the allocator.
    #expect(own > 16 && own + 8 + MemoryLayout<ManagedObject?>.stride <= 64)
  }

  @Test("An object is one instance in a context, however it is reached", arguments: Kind.allCases)
  func unique(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try people(graph)
    let (one, two) = (graph.context(), graph.context())
    let trip = try #require(try one.fetch(Trip.self, where: QueryPredicate("name == 'T4'")).first)
    let owner = try #require(trip.owner)
    #expect(try one.fetch(Person.self, where: QueryPredicate("age == 4")) == [owner])
    #expect(owner === one.object(with: owner.objectID))
    #expect(try one.existingObject(with: owner.objectID) == owner)
    #expect(owner === one.object(owner) && owner.trips.first === trip)
    let other = two.object(owner)
    #expect(other !== owner && other.objectID == owner.objectID && other.name == "P4")
    #expect(try two.fetch(Person.self, where: QueryPredicate("age == 4")) == [other])
    let uri = owner.objectID.uri
    #expect(try #require(ObjectID(uri: uri)) == owner.objectID)
  }

  @Test("A missing object is a fault until the program reads it", arguments: Kind.allCases)
  func missing(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try people(graph, 1)
    let context = graph.context()
    let id = try #require(try context.fetchIdentifiers(FetchRequest(Person.self)).first)
    let nobody = ObjectID(
      store: id.store, key: ObjectKey(entity: id.key.entity, number: id.key.number + 1000))
    let fault = context.object(with: nobody)
    #expect(fault.isFault)
    let error = #expect(throws: ContextError.self) { try context.existingObject(with: nobody) }
    #expect(error?.code == .noObject && error?.message.contains(nobody.uri) ?? false)
    let foreign = ObjectID(store: StoreTag(rawValue: 1), key: id.key)
    #expect(throws: ContextError.self) { try context.existingObject(with: foreign) }
    #expect(context.registeredObject(for: foreign) == nil)
    #expect((fault as? Person)?.name == "" && (fault as? Person)?.trips.isEmpty ?? false)
  }

  @Test(
    "A fetch registers the objects at the ends of its prefetched paths", arguments: Kind.allCases)
  func prefetched(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try people(graph)
    let context = graph.context()
    context.retainsRegisteredObjects = true
    var request = FetchRequest(Person.self)
    request.relationshipKeyPathsForPrefetching = ["trips.members", "passport"]
    let people = try context.fetch(request)
    #expect(context.registeredObjects.count == 40)
    #expect(people.allSatisfy { $0.isFault })
    #expect(people.allSatisfy { $0.trips.count == 1 && $0.passport == nil })
    #expect(context.registeredObjects.count == 40)
    for wrong in ["nothing", "name", "trips.name"] {
      request.relationshipKeyPathsForPrefetching = [wrong]
      #expect(throws: QueryError.self) { try context.fetch(request) }
    }
  }
}
