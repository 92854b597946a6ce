import ObjectModel
import SeededRandom
import Testing

@testable import ObjectGraph

@Suite("The list of objects to which a relationship leads")
struct RelatedObjectsTests {
  /// Returns a graph with an owner of trips, and a coordinator that has read nothing yet.
  private func world(_ kind: Kind, _ count: Int = 50) throws -> (graph: Graph, owner: Person) {
    let graph = try Graph(kind)
    let writer = graph.context()
    let ada = try writer.insert(Person.self) { $0.name = "Ada" }
    for number in 0..<count {
      try writer.insert(Trip.self) {
        $0.name = "T\(number)"
        $0.owner = ada
      }
    }
    try writer.save()
    return (graph, try #require(try graph.context().fetch(Person.self).first))
  }

  @Test("A list returns the same objects after many objects come and go", arguments: Kind.allCases)
  func comeAndGone(_ kind: Kind) throws {
    let names = (0..<50).map { "T\($0)" }
    let (graph, owner) = try world(kind)
    var context: ManagedObjectContext? = graph.context()
    let trips = try #require(context).object(owner).trips
    #expect(trips.map(\.name) == names && trips.reversed().map(\.name) == names.reversed())
    let ids = trips.map(\.objectID)
    let held = trips[17]

    // Only the held object keeps its address. New objects take the memory of the released ones.
    context?.workspace.sweep()
    let others = try (0..<100).map { _ in try #require(context).insert(Stop.self) { $0.place = "S" }
    }
    #expect(trips[3].name == "T3" && trips[17] === held)
    #expect(trips.map(\.name) == names && trips.map(\.objectID) == ids)
    context?.delete(trips[20])
    try context?.save()
    #expect(trips.map(\.objectID) == ids && held.name == "T17" && others[0].place == "S")
    context?.reset()
    #expect(trips.map(\.objectID) == ids)
    context = nil
    #expect(trips[5].objectID == ids[5] && trips.map(\.objectID) == ids)
  }

  @Test(
    "Links read as they were set, before and after they are frozen", arguments: Kind.allCases)
  func unfrozenLinks(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try (0..<5).map { n in try context.insert(Person.self) { $0.name = "P\(n)" } }
    let trips = try (0..<4).map { n in try context.insert(Trip.self) { $0.name = "T\(n)" } }
    try context.save()
    var expected = [Set<Int>](repeating: [], count: trips.count)
    var random = SeededGenerator(seed: 25)
    for round in 0..<400 {
      let (trip, person) = (
        Int.random(in: 0..<4, using: &random), Int.random(in: 0..<5, using: &random)
      )
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let chosen = people.indices.filter { _ in Bool.random(using: &random) }
        trips[trip].members = RelatedObjects(chosen.map { people[$0] })
        expected[trip] = Set(chosen)
      case 1:
        let chosen = trips.indices.filter { _ in Bool.random(using: &random) }
        people[person].joined = RelatedObjects(chosen.map { trips[$0] })
        for index in trips.indices {
          if chosen.contains(index) {
            expected[index].insert(person)
          } else {
            expected[index].remove(person)
          }
        }
      case 2:
        trips[trip].add(people[person], to: "members")
        expected[trip].insert(person)
      case 3:
        trips[trip].remove(people[person], from: "members")
        expected[trip].remove(person)
      default: if round % 50 == 0 { try context.save() }
      }
      // Only one object's links are read, so the links of all remaining objects stay unfrozen.
      if Bool.random(using: &random) {
        let joined = trips.indices.filter { expected[$0].contains(person) }
        #expect(Set(people[person].joined) == Set(joined.map { trips[$0] }), "round \(round)")
      } else {
        #expect(
          Set(trips[trip].members) == Set(expected[trip].map { people[$0] }), "round \(round)")
      }
    }
  }

  @Test(
    "A list is computed once, until this context or one beneath it changes",
    arguments: Kind.allCases)
  func foundOnce(_ kind: Kind) throws {
    let (graph, owner) = try world(kind)
    let context = graph.context()
    let ada = context.object(owner)
    let first = ada.trips
    #expect(ada.trips.storage === first.storage)

    let added = try context.insert(Trip.self) {
      $0.name = "New"
      $0.owner = ada
    }
    let second = ada.trips
    #expect(second.storage !== first.storage && Array(second) == Array(first) + [added])
    context.rollback()
    #expect(ada.trips == first)
    first[0].owner = nil
    #expect(Array(ada.trips) == Array(first.dropFirst()))
    try context.save()
    #expect(Array(ada.trips) == Array(first.dropFirst()))

    let other = graph.context()
    try other.insert(Trip.self) {
      $0.name = "Other"
      $0.owner = other.object(ada)
    }
    try other.save()
    #expect(ada.trips.count == 49)
    context.refreshAllObjects()
    #expect(ada.trips.count == 50)
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    #expect(child.object(ada).trips.count == 50)
    child.object(ada).trips = []
    #expect(child.object(ada).trips.isEmpty && ada.trips.count == 50)
    try child.save()
    #expect(ada.trips.isEmpty)
  }

  @Test("The cache of lists is bounded by the number of registered objects")
  func kept() throws {
    let (_, owner) = try world(.memory, 0)
    let entity = owner.source.entity
    let trips = try #require(toMany("trips", entity.graph))
    let joined = try #require(toMany("joined", entity.graph))
    var lists = RelatedLists()
    func key(_ number: Int) -> ObjectKey { ObjectKey(entity: 1, number: UInt64(number)) }
    let list = RelatedStorage(Array(1...84), entity)
    for number in 1...100 { lists.note(list, key(number), trips, room: 10_000) }
    #expect((1...100).allSatisfy { lists[key($0), trips] === list })
    lists.note(list, key(101), trips, room: 1000)
    #expect(lists[key(100), trips] == nil && lists[key(101), trips] === list)
    #expect(lists[key(101), joined] == nil)
    lists.forget()
    #expect(lists[key(101), trips] == nil)
  }

  private func toMany(_ name: String, _ graph: GraphEntity) -> GraphProperty.ToMany? {
    if case .toMany(let found)? = graph[name]?.place { found } else { nil }
  }

  @Test(
    "Assigning a relationship links and unlinks only the differences", arguments: Kind.allCases)
  func setToMany(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    let people = try (0..<8).map { number in
      try context.insert(Person.self) { $0.name = "P\(number)" }
    }
    trip.members = RelatedObjects(Array(people[0..<5]))
    try context.save()

    trip.members = RelatedObjects(Array(people[0..<5]))
    #expect(!context.hasChanges, "Links that are there are not put again.")
    trip.members = RelatedObjects([people[3], people[6], people[4], people[6]])

    #expect(context.updatedObjects == Set([trip] + [people[0], people[1], people[2], people[6]]))
    try context.save()
    #expect(Set(trip.members) == [people[3], people[4], people[6]])
    #expect(people[0].joined.isEmpty && Array(people[6].joined) == [trip])
    let other = graph.context()
    #expect(other.object(trip).members.map(\.name).sorted() == ["P3", "P4", "P6"])
  }

  @Test("A relationship that is its own inverse is assigned as a whole", arguments: Kind.allCases)
  func setSymmetric(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let people = try (0..<5).map { number in
      try context.insert(Person.self) { $0.name = "P\(number)" }
    }
    people[1].friends = RelatedObjects([people[0]])
    try context.save()

    // The relationship is assigned from its inverse side, and then leads to its own owner too.
    people[0].friends = RelatedObjects([people[1], people[2], people[0]])
    context.delete(people[3])
    people[0].friends = RelatedObjects([people[0], people[2], people[3], people[4]])
    try context.save()

    let other = graph.context()
    func friends(_ index: Int) -> [String] {
      other.object(people[index]).friends.map(\.name).sorted()
    }
    #expect(friends(0) == ["P0", "P2", "P4"] && friends(1).isEmpty && friends(2) == ["P0"])
  }
}
