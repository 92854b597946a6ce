import ObjectModel
import ObjectQuery
import Testing

@testable import ObjectGraph

/// Tests that discard the changes of many objects one by one.
@Suite("Discarding changes")
struct DiscardingTests {
  @Test(
    "Each object shows the saved value when its changes are discarded", arguments: Kind.allCases)
  func many(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let passports = try (0..<300).map { number in
      try context.insert(Passport.self) { $0.number = "\(number)" }
    }
    let people = try (0..<300).map { number in
      try context.insert(Person.self) { $0.name = "P\(number)" }
    }
    try context.save()
    for (person, passport) in zip(people, passports) {
      person.age = 7
      passport.number += "x"
    }
    for index in people.indices where index % 3 != 0 {
      context.refresh(people[index], mergeChanges: false)
      context.refresh(passports[index], mergeChanges: false)
    }

    #expect(people.indices.allSatisfy { people[$0].age == ($0 % 3 == 0 ? 7 : 0) })
    #expect(passports.indices.allSatisfy { passports[$0].number.hasSuffix("x") == ($0 % 3 == 0) })
    #expect(context.updatedObjects.count == 200)
    #expect(
      try context.count(for: FetchRequest("Person", where: QueryPredicate("age == 7"))) == 100)
    try context.save()
    let fresh = graph.context()
    #expect(try fresh.count(for: FetchRequest("Person", where: QueryPredicate("age == 7"))) == 100)
    #expect(
      try fresh.count(for: FetchRequest("Passport", where: QueryPredicate("number ENDSWITH 'x'")))
        == 100)
  }

  @Test("An object can be changed again after its changes were discarded", arguments: Kind.allCases)
  func changedAgain(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Faro" }
    try context.save()
    for cost in 1...3 {
      trip.cost = Double(cost)
      trip.name = "Porto"
      context.refresh(trip, mergeChanges: false)
      #expect(trip.cost == 0 && !context.hasChanges)
    }
    trip.cost = 9
    #expect(context.updatedObjects == [trip])
    try context.save()
    let found = try graph.context().fetch(Trip.self)
    #expect(found.map(\.cost) == [9] && found.map(\.name) == ["Faro"])
  }

  @Test(
    "An object that is changed right after its changes were discarded is listed once",
    arguments: Kind.allCases)
  func listedOnce(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Faro" }
    try context.save()
    trip.cost = 1
    context.refresh(trip, mergeChanges: false)
    trip.cost = 2

    #expect(context.workspace.drafts.changedObjects == [trip])
  }

  @Test("A conflict ends when the changes in conflict are discarded", arguments: Kind.allCases)
  func conflict(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "Faro" }
    try one.save()
    trip.cost = 1
    other.object(trip).cost = 10
    try other.save()
    _ = try one.fetch(Trip.self)
    one.refresh(trip, mergeChanges: false)
    #expect(trip.cost == 10 && !one.hasChanges)
    trip.cost += 1
    try one.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [11])
  }
}
