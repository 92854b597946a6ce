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

  @Test(
    "A relationship is read in place: its count, a look for a member and its first member make no other objects",
    arguments: Kind.allCases, [false, true])
  func inPlace(_ kind: Kind, _ isOfSeveralEntities: Bool) throws {
    let graph = try Graph(kind)
    let writer = graph.context()
    let people = try (0..<40).map { number -> Person in
      let isGuide = isOfSeveralEntities && number.isMultiple(of: 3)
      let person: Person = try isGuide ? writer.insert(Guide.self) : writer.insert(Person.self)
      person.name = "P\(number)"
      return person
    }
    let trips = try (0..<2).map { number in try writer.insert(Trip.self) { $0.name = "T\(number)" }
    }
    trips[0].members = RelatedObjects(people.dropLast())
    try writer.save()

    let context = graph.context()
    let (trip, other) = (context.object(trips[0]), context.object(trips[1]))
    let state = try #require(trip.source.entity.workspace?.state(of: trip))
    var made: Int { state.knownEntities.reduce(0) { $0 + $1.objects.count } }
    #expect(trip.members.count == 39 && !trip.members.isEmpty && other.members.isEmpty)
    #expect(trip.count(forKey: "members") == 39)
    #expect(made == 2)
    #expect(trip.members.contains(context.object(people[7])))
    #expect(!trip.members.contains(context.object(people[39])))
    #expect(!other.members.contains(context.object(people[7])))
    #expect(made == 4)
    #expect(trip.members.first?.name == "P0" || isOfSeveralEntities)
    #expect(made <= 5)

    #expect(Set(trip.members.map(\.name)) == Set(people.dropLast().map(\.name)))
    #expect(Array(trip.members).map(\.objectID) == trips[0].members.map(\.objectID))
    #expect(trip.members.contains(where: { $0 is Guide }) == isOfSeveralEntities)
  }

  @Test(
    "A list stays as long as changes do not concern its relationship", arguments: Kind.allCases)
  func keptBesideChanges(_ kind: Kind) throws {
    let (graph, owner) = try world(kind, 5)
    let context = graph.context()
    let ada = context.object(owner)
    let trip = ada.trips[0]
    trip.members = [ada]
    try context.save()
    let (members, trips, stops) = (trip.members, ada.trips, trip.stops)

    // Changes of a person are not changes of links or of trips, whether they are frozen or not.
    ada.age = 30
    #expect(ada.trips.storage === trips.storage && trip.members.storage === members.storage)
    _ = try context.fetch(Person.self)
    #expect(ada.trips.storage === trips.storage && trip.members.storage === members.storage)
    try context.insert(Stop.self) { $0.trip = trip }
    #expect(trip.stops.count == 1 && stops.isEmpty)
    #expect(ada.trips.storage === trips.storage && trip.members.storage === members.storage)

    trip.remove(ada, from: \.members)
    #expect(trip.members.isEmpty && ada.joined.isEmpty && Array(members) == [ada])
    #expect(ada.trips.storage === trips.storage)
    trip.owner = nil
    #expect(ada.trips.count == 4 && trips.count == 5)
    context.rollback()
    #expect(ada.trips.count == 5 && Array(trip.members) == [ada])
  }

  @Test(
    "A relationship is changed in place with the methods of collections", arguments: Kind.allCases)
  func changedInPlace(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    let stops = try (0..<5).map { n in try context.insert(Stop.self) { $0.place = "\(n)" } }

    trip.stops = [stops[1], stops[2]]
    trip.stops.append(stops[3])
    trip.stops.insert(stops[0], at: 0)
    trip.stops += [stops[4]]
    #expect(trip.stops.map(\.place) == ["0", "1", "2", "3", "4"])
    trip.stops.reverse()
    trip.stops.swapAt(0, 4)
    #expect(trip.stops.map(\.place) == ["0", "3", "2", "1", "4"])
    trip.stops.removeAll { $0.place == "3" }
    trip.stops.sort { $0.place > $1.place }
    trip.stops[0] = stops[3]
    try context.save()

    #expect(trip.stops.map(\.place) == ["3", "2", "1", "0"] && stops[4].trip == nil)
    let again = graph.context()
    #expect(again.object(trip).stops.map(\.place) == ["3", "2", "1", "0"])
    // A copy is a value of its own, also if it was empty at first.
    let empty = try context.insert(Trip.self) { $0.name = "Empty" }.stops
    var copy = empty
    copy.append(stops[4])
    #expect(empty.isEmpty && Array(copy) == [stops[4]] && copy == RelatedObjects([stops[4]]))
    #expect("\(copy)" == "\([stops[4]])")
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
    for number in 1...100 { lists.record(list, key(number), trips, room: 10_000) }
    #expect((1...100).allSatisfy { lists[key($0), trips] === list })
    lists.record(list, key(101), trips, room: 1000)
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

    // The relationship is assigned from its inverse side, and then contains its own owner too.
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
