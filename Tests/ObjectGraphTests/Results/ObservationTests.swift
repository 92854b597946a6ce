import Foundation
import ObjectModel
import ObjectQuery
import Observation
import Synchronization
import Testing

@testable import ObjectGraph

/// Whether a change of the observed values was announced.
final class Announcement: Sendable {
  private let count = Mutex(0)

  /// Observes the values that `read` reads.
  init(_ read: () -> Void) {
    withObservationTracking(read) { self.count.withLock { $0 += 1 } }
  }

  var isMade: Bool { count.withLock { $0 } == 1 }
}

@Suite("Swift's Observation of objects and lists") @MainActor
struct ObservationTests {
  private let graph: Graph
  private let context: ManagedObjectContext
  private let ada: Person
  private let trip: Trip

  init() throws {
    graph = try Graph(.memory)
    context = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    ada = try context.insert(Person.self) { $0.name = "Ada" }
    trip = try context.insert(Trip.self) { $0.name = "Lisbon" }
    try context.save()
  }

  /// Changes and saves objects in another context. The tests refresh the context under test themselves.
  private func changeElsewhere(_ body: (ManagedObjectContext) throws -> Void) throws {
    let other = graph.context()
    try body(other)
    try other.save()
  }

  @Test("An attribute that the program sets is announced at once, and no other attribute")
  func setAttribute() throws {
    let name = Announcement { _ = ada.name }
    let age = Announcement { _ = ada.age }
    let ageByName = Announcement { _ = ada["age"] }
    let cost = Announcement { _ = trip.cost }
    let start = Announcement { _ = trip.start }

    ada.name = "Ada Lovelace"
    #expect(name.isMade && !age.isMade && !ageByName.isMade)
    ada["age"] = .integer(36)
    #expect(age.isMade && ageByName.isMade)
    trip.cost = 3
    #expect(cost.isMade && !start.isMade)
    trip.start = .now
    #expect(start.isMade)
  }

  @Test("The observer of a change still reads the value before the change")
  func valueBefore() throws {
    let seen = Mutex("")
    nonisolated(unsafe) let object = ada
    withObservationTracking {
      _ = ada.name
    } onChange: {
      seen.withLock { $0 = object.name }
    }
    ada.name = "Bob"
    #expect(seen.withLock { $0 } == "Ada" && ada.name == "Bob")
  }

  @Test("A change is announced once; an observer that reads again is told again")
  func readsAgain() throws {
    let first = Announcement { _ = ada.name }
    ada.name = "Bob"
    ada.name = "Cleo"
    #expect(first.isMade)
    let second = Announcement { _ = ada.name }
    try context.processPendingChanges()
    #expect(!second.isMade)
    ada.name = "Dora"
    #expect(second.isMade)
  }

  @Test(
    "A relationship is announced when it is set, its inverse when changes are processed"
  )
  func setRelationship() throws {
    let owner = Announcement { _ = trip.owner }
    let trips = Announcement { _ = ada.trips }
    let count = Announcement { _ = ada.count(forKey: "trips") }
    trip.owner = ada
    #expect(owner.isMade && !trips.isMade)
    try context.processPendingChanges()
    #expect(trips.isMade && count.isMade)

    let members = Announcement { _ = trip.members }
    let joined = Announcement { _ = ada.joined }
    trip.add(ada, to: \.members)
    #expect(members.isMade)
    try context.processPendingChanges()
    #expect(joined.isMade)

    let passport = try context.insert(Passport.self) { $0.number = "1" }
    let holder = Announcement { _ = passport.holder }
    ada.passport = passport
    try context.processPendingChanges()
    #expect(holder.isMade)
  }

  @Test("The order of a relationship is announced")
  func order() throws {
    let stops = try ["Porto", "Faro"].map { place in
      try context.insert(Stop.self) { $0.place = place }
    }
    trip.stops = RelatedObjects(stops)
    try context.processPendingChanges()
    let order = Announcement { _ = trip.stops }
    let place = Announcement { _ = stops[0].place }
    trip.move(in: "stops", from: 0, to: 1)
    #expect(order.isMade && !place.isMade)
  }

  @Test(
    "Another context's save, a rollback, a refresh and an undo announce the changed properties only"
  )
  func otherReasons() throws {
    let (name, age) = (Announcement { _ = ada.name }, Announcement { _ = ada.age })
    try changeElsewhere { other in
      try #require(try other.existingObject(with: ada.objectID) as? Person).name = "Bob"
    }
    context.refreshAllObjects()
    #expect(name.isMade && !age.isMade)

    ada.age = 3
    let changed = Announcement { _ = ada.age }
    context.rollback()
    #expect(changed.isMade)

    ada.age = 4
    let refreshed = Announcement { _ = ada.age }
    context.refresh(ada, mergeChanges: false)
    #expect(refreshed.isMade)

    let undo = UndoStack()
    context.undoStack = undo
    ada.age = 5
    let undone = Announcement { _ = ada.age }
    try undo.undo()
    #expect(undone.isMade && ada.age == 0)
  }

  @Test("A deletion and a reset are announced by the properties of the object and of its relatives")
  func gone() throws {
    trip.owner = ada
    try context.save()
    let (name, trips) = (Announcement { _ = trip.name }, Announcement { _ = ada.trips })
    context.delete(trip)
    try context.processPendingChanges()
    #expect(name.isMade && trips.isMade)

    let age = Announcement { _ = ada.age }
    context.reset()
    #expect(age.isMade)
  }

  @Test("A derived and a transient attribute are announced")
  func derivedAndTransient() throws {
    let count = Announcement { _ = ada.tripCount }
    let nickname = Announcement { _ = ada["nickname"] }
    ada["nickname"] = .string("Countess")
    #expect(nickname.isMade)
    trip.owner = ada
    try context.save()
    #expect(count.isMade)
  }

  @Test("A list is announced when its objects or their order change")
  func list() throws {
    let list = try FetchedResults(Person.all.sorted(by: \.name), in: context)
    let (objects, first) = (Announcement { _ = list.objects }, Announcement { _ = list.first })
    ada.age = 3
    try context.processPendingChanges()
    #expect(!objects.isMade && !first.isMade)
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    try context.processPendingChanges()
    #expect(objects.isMade && first.isMade)
    let order = Announcement { _ = list.snapshot }
    bob.name = "Aaron"
    try context.processPendingChanges()
    #expect(order.isMade && list.objects == [bob, ada])
  }

  @Test("The turn of the main actor ends with the announcement of its changes")
  func endOfTurn() async throws {
    let trips = Announcement { _ = ada.trips }
    trip.owner = ada
    for _ in 0..<100 where !trips.isMade { await Task.yield() }
    #expect(trips.isMade)
  }

  @Test("Objects of a confined context are not tracked")
  func otherContexts() throws {
    let confined = graph.context()
    let object = try #require(try confined.fetch(Person.self).first)
    let name = Announcement { _ = object.name }
    object.name = "Bob"
    #expect(!name.isMade)
  }

  @Test(
    "A context forgets tracked properties after their announcement or the end of their objects")
  func nothingIsKept() throws {
    _ = Announcement { _ = ada.name }
    let tracked = try #require(context.workspace.observation.tracked)
    #expect(tracked.objectCount == 1)
    ada.name = "Bob"
    #expect(tracked.objectCount == 0)
    try context.save()

    do {
      let one = try context.insert(Stop.self)
      try context.save()
      _ = Announcement { _ = one.place }
      #expect(tracked.objectCount == 1)
    }
    _ = context.registeredObjects
    ada.name = "Cleo"
    try context.processPendingChanges()
    #expect(tracked.objectCount == 0)
  }
}
