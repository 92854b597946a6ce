import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Contexts")
struct ContextTests {
  @Test(
    "Any context finds an inserted object, and the inserting context also before its save",
    arguments: Kind.allCases)
  func insertAndFetch(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let ada = try context.insert(Person.self) {
      $0.name = "Ada"
      $0.age = 36
    }
    let id = ada.objectID
    let trip = try context.insert(Trip.self) {
      $0.name = "Lisbon"
      $0.owner = ada
    }

    #expect(ada.isInserted && context.hasChanges)
    #expect(try context.fetch(Person.self, where: QueryPredicate("age > 30")) == [ada])
    #expect(Array(ada.trips) == [trip])

    try context.save()
    #expect(!context.hasChanges && !ada.isInserted && ada.objectID == id)
    #expect(ada.name == "Ada" && ada.tripCount == 1)
    #expect(ada["plainName"] == .string("ada"))

    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let found = try other.fetch(Person.self)
    #expect(found.map(\.name) == ["Ada"] && found[0].objectID == id)
    #expect(found[0].isFault == false)
    #expect(found[0].trips.map(\.name) == ["Lisbon"] && found[0].trips[0].owner === found[0])
  }

  @Test("A context shows a change and saves it, and saves nothing else", arguments: Kind.allCases)
  func change(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    for number in 0..<100 {
      try context.insert(Person.self) {
        $0.name = "P\(number)"
        $0.age = Int32(number)
      }
    }
    try context.save()

    let person = try context.fetch(Person.self, where: QueryPredicate("age == 40"))[0]
    person.name = "Grace"
    #expect(person.isUpdated && person.changedValues() == ["name": .string("Grace")])
    #expect(person.committedValues(forKeys: ["name"]) == ["name": .string("P40")])
    #expect(try context.fetch(Person.self, where: QueryPredicate("name == 'Grace'")) == [person])
    #expect(
      try context.count(for: FetchRequest("Person", where: QueryPredicate("name == 'P40'"))) == 0)
    #expect(person.age == 40)
    try context.save()
    #expect(!person.isUpdated && person.name == "Grace" && person.age == 40)
    person.age = 41
    try context.save()
    for round in 0..<12 {
      person.age = Int32(round)
      try context.save()
    }

    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let again = try #require(
      try other.fetch(Person.self, where: QueryPredicate("name == 'Grace'")).first)
    #expect(again.age == 11)
  }

  @Test(
    "changedValues contains a to-one relationship, and no to-many relationship",
    arguments: Kind.allCases)
  func changedRelationships(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    try context.save()

    ada.trips = RelatedObjects([trip])
    ada.friends = RelatedObjects([bob])

    #expect(trip.changedValues() == ["owner": .object(ada.objectID.key)])
    #expect(ada.changedValues().isEmpty && bob.changedValues().isEmpty)
    #expect(ada.trips.count == 1 && bob.friends.count == 1)
    let all = trip.committedValues()
    #expect(all["owner"] == Value.null && all["members"] == nil && all["stops"] == nil)
  }

  @Test(
    "Addition to a one-to-many relationship changes the object that has the reference",
    arguments: Kind.allCases)
  func addition(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let trip = try context.insert(Trip.self) { $0.name = "Lisbon" }
    let stop = try context.insert(Stop.self) { $0.place = "Porto" }
    try context.save()

    trip.stops = [stop]

    #expect(stop.isUpdated && stop.hasPersistentChangedValues)
    #expect(!trip.hasChanges)
  }

  @Test("A deletion follows the delete rules in any shape of the graph", arguments: Kind.allCases)
  func delete(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let passport = try context.insert(Passport.self) {
      $0.number = "1"
      $0.holder = ada
    }
    let trip = try context.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = ada
    }
    trip.stops = [try context.insert(Stop.self), try context.insert(Stop.self)]
    trip.members = [ada, bob]
    ada.friends = [bob]
    try context.save()
    #expect(ada.passport === passport && Array(bob.friends) == [ada])

    context.delete(ada)
    try context.processPendingChanges()
    #expect(trip.isDeleted && passport.isDeleted && !bob.isDeleted)
    #expect(bob.friends.isEmpty && bob.joined.isEmpty)
    try context.save()

    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try other.fetch(Person.self).map(\.name) == ["Bob"])
    for entity in ["Trip", "Stop", "Passport"] {
      #expect(try other.count(for: FetchRequest(entity)) == 0)
    }
    #expect(try other.fetch(Person.self)[0].friends.isEmpty)
  }

  @Test("Ordered relationships keep their order", arguments: Kind.allCases)
  func ordered(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Coast" }
    for place in ["Faro", "Lagos", "Sines"] {
      trip.add(try context.insert(Stop.self) { $0.place = place }, to: "stops")
    }
    #expect(trip.stops.map(\.place) == ["Faro", "Lagos", "Sines"])
    try context.save()
    trip.stops = RelatedObjects(trip.stops.reversed())
    #expect(trip.stops.map(\.place) == ["Sines", "Lagos", "Faro"])
    try context.insert(Stop.self) {
      $0.place = "Porto"
      $0.trip = trip
    }
    try context.save()

    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(
      try other.fetch(Trip.self)[0].stops.map(\.place) == ["Sines", "Lagos", "Faro", "Porto"])
  }

  @Test("A rollback keeps the saved state", arguments: Kind.allCases)
  func rollback(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    ada.name = "Eve"
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    try context.processPendingChanges()
    ada.age = 5
    context.rollback()
    #expect(ada.name == "Ada" && ada.age == 0 && !context.hasChanges && bob.isGone)
    context.delete(ada)
    context.rollback()
    #expect(!ada.isDeleted && ada.name == "Ada")
    #expect(try context.fetch(Person.self) == [ada])
  }

  @Test("A failed save reports all failures at once", arguments: Kind.allCases)
  func validation(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    try context.insert(Person.self) { $0.age = 200 }
    try context.insert(Trip.self) { $0.name = String(repeating: "x", count: 81) }
    for _ in 0..<2 { try context.insert(Passport.self) { $0.number = "7" } }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.code == .validation)
    #expect(
      error?.failures.map(\.rule).sorted { $0.rawValue < $1.rawValue } == [
        .maximum, .maximum, .required,
      ])
    #expect(error?.constraintConflicts.map(\.conflictingObjects.count) == [2])
    #expect(context.insertedObjects.count == 4)
  }

  @Test("The later save is in conflict, and the merge policy resolves it", arguments: Kind.allCases)
  func conflicts(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) {
      $0.name = "Ada"
      $0.age = 1
    }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    func change() throws -> Person {
      let other = try #require(try two.existingObject(with: ada.objectID) as? Person)
      two.refresh(other, mergeChanges: false)
      other.name += "!"
      other.age += 1
      try two.save()
      return other
    }
    _ = try change()
    ada.name = "Mine"
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict && error?.conflicts.first?.contestedKeys == ["name"])
    #expect(ada.name == "Mine" && one.hasChanges)

    one.mergePolicy = .objectWins
    try one.save()
    #expect(ada.name == "Mine" && ada.age == 2)
    _ = try change()
    ada.name = "Again"
    one.mergePolicy = .storeWins
    try one.save()
    #expect(ada.name == "Mine!" && ada.age == 3)
    _ = try change()
    ada.name = "Gone"
    one.mergePolicy = .rollback
    try one.save()
    #expect(ada.name == "Mine!!" && ada.age == 4)
    _ = try change()
    ada.name = "All"
    one.mergePolicy = .overwrite
    try one.save()
    #expect(ada.name == "All" && ada.age == 4)
  }

  @Test("A child reads its parent's changes, and saves into the parent", arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    let trip = try parent.insert(Trip.self) {
      $0.name = "Lisbon"
      $0.owner = ada
    }
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let mine = try #require(try child.fetch(Person.self).first)
    #expect(mine !== ada && mine.objectID == ada.objectID && mine.trips.map(\.name) == ["Lisbon"])
    mine.name = "Eve"
    let extra = try child.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = mine
    }
    #expect(ada.name == "Ada" && Array(ada.trips) == [trip])
    try child.save()
    #expect(ada.name == "Eve" && ada.trips.count == 2 && !child.hasChanges && parent.hasChanges)
    child.delete(extra)
    try child.save()
    #expect(Array(ada.trips) == [trip])
    try parent.save()
    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try other.fetch(Person.self).map(\.name) == ["Eve"])
    #expect(try other.fetch(Trip.self).map(\.name) == ["Lisbon"])
    #expect(try child.fetch(Person.self).map(\.name) == ["Eve"])
  }

  @Test(
    "A reference to an object that another context deletes is cleared after both saves",
    arguments: Kind.allCases)
  func deletedMeanwhile(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let people = try (0..<4).map { number in
      try one.insert(Person.self) { $0.name = "P\(number)" }
    }
    try one.insert(Trip.self) { $0.name = "Faro" }
    let coast = try one.insert(Trip.self) { $0.name = "Coast" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let there = people.map { two.object(with: $0.objectID) as! Person }
    let trip = try #require(
      try two.fetch(Trip.self, where: QueryPredicate("name == 'Faro'")).first)
    #expect(there.map(\.name) == ["P0", "P1", "P2", "P3"])

    // First the deletion is saved, then the reference to the deleted object.
    one.delete(people[0])
    try one.save()
    trip.owner = there[0]
    trip.members = [there[0], there[1]]
    try two.save()
    #expect(trip.owner == nil && Array(trip.members) == [there[1]])

    // First the reference is saved, then the deletion, which follows the delete rule of the relationship.
    let coastThere = two.object(with: coast.objectID) as! Trip
    coastThere.add(try two.insert(Stop.self) { $0.place = "Here" }, to: "stops")
    coastThere.members = [there[3]]
    try two.save()
    one.delete(coast)
    try one.save()

    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.fetch(Trip.self).map(\.name) == ["Faro"])
    #expect(try fresh.count(for: FetchRequest("Stop")) == 0)
    #expect(try fresh.fetch(Person.self).map(\.joined.count) == [1, 0, 0])
    #expect(try fresh.fetch(Trip.self)[0].members.map(\.name) == ["P1"])
  }

  @Test("A merge keeps this context's changes above the new values", arguments: Kind.allCases)
  func merging(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let two = graph.context()
    two.automaticallyMergesChangesFromParent = true
    let ada = try one.insert(Person.self) {
      $0.name = "Ada"
      $0.age = 1
    }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    try one.save()
    let adaThere = try #require(try two.existingObject(with: ada.objectID) as? Person)
    let bobThere = try #require(try two.existingObject(with: bob.objectID) as? Person)
    adaThere.age = 50
    #expect(bobThere.name == "Bob")
    ada.name = "Ada L"
    bob.name = "Robert"
    try one.save()
    #expect(adaThere.name == "Ada L" && adaThere.age == 50 && bobThere.name == "Robert")
    try two.save()
    one.delete(bob)
    one.refresh(ada, mergeChanges: false)
    #expect(ada.age == 50)
    try one.save()
    #expect(bobThere.isDeleted)
    #expect(try two.fetch(Person.self) == [adaThere])
  }

  @Test(
    "The standard comparison of a template ignores capitals and orders digits as characters",
    arguments: Kind.allCases)
  func numbersInTexts(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    for place in ["Stop 2", "stop 10", "Stop 1", "STOP 3"] {
      try context.insert(Stop.self) { $0.place = place }
    }
    try context.save()
    let template = FetchRequestTemplate(
      "all", entity: "Stop", sortKeys: [.init("place", selector: "localizedStandardCompare:")])
    let found = try context.fetch(FetchRequest<Stop>(QueryRequest(template)))
    #expect(found.map(\.place) == ["Stop 1", "stop 10", "Stop 2", "STOP 3"])
  }
}
