import Foundation
import ModelCode
import ModelNotations
import ObjectModel
import Quire
import Testing
import TypedTrips

@Suite("Generated classes at work")
struct TypedTripsTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test("The recorded classes equal the code of the example's model")
  func current() throws {
    let versions = try ModelVersions.read(
      Self.package.appending(path: "Examples/Trips.xcdatamodeld").path)
    let classes = try ModelClasses(of: versions, named: "Trips")
    let folder = Self.package.appending(path: "Tests/Support/TypedTrips")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try classes.write(to: folder.path)
    }

    for file in classes.files {
      let text = try String(contentsOf: folder.appending(path: file.name), encoding: .utf8)
      #expect(file.text == text, "\(file.name): RECORD_SNAPSHOTS=1 writes it anew.")
    }
    #expect(TripsModel.model == versions.current)
    #expect(TripsModel.versions == versions)
  }

  @Test("The classes declare the model that they were made from")
  func declared() throws {
    let model = try Model(classes: TripsModel.classes)
    #expect(model.versionHashes == TripsModel.model.versionHashes)
    for entity in TripsModel.model.entities {
      let made = try #require(model[entity.name])
      #expect(made.declaredRelationships == entity.declaredRelationships)
      #expect(made.uniquenessConstraints == entity.uniquenessConstraints)
      for (one, other) in zip(made.declaredAttributes, entity.declaredAttributes) {
        #expect(one.name == other.name && one.defaultValue == other.defaultValue)
        #expect(one.validation == other.validation && one.derivation == other.derivation)
      }
    }
  }

  /// Returns a context over a new store in memory.
  private func context() throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: TripsModel.model, places: .builtIn, classes: TripsModel.classes)
    try coordinator.addStore(at: "trips", type: .memory)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  @Test("Another context fetches saved objects with their own classes")
  func roundTrip() throws {
    let context = try context()
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let trip = try context.insert(Trip.self) {
      $0.name = "Douro"
      $0.start = start
      $0.budget = Decimal(string: "1200.50")
      $0.id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    }
    let porto = try context.insert(Stop.self) {
      $0.name = "Porto"
      $0.latitude = 41.15
      $0.website = URL(string: "https://example.org/porto")
      $0.trip = trip
    }
    let museum = try context.insert(Museum.self) {
      $0.name = "Serralves"
      $0.isFree = true
      $0.openingHours = "10-18"
    }
    trip.add(museum, to: \.stops)
    try context.save()

    let other = ManagedObjectContext(context.coordinator, concurrency: .confined)
    let found = try #require(try other.fetch(Trip.self).first)
    #expect(found.name == "Douro" && found.start == start)
    #expect(found.budget == Decimal(string: "1200.50") && found.id == trip.id)
    #expect(found.stops.map(\.name) == ["Porto", "Serralves"])
    #expect(found.stopCount == 2)
    #expect(found.stops.first?.website == porto.website && found.stops.first?.nights == 1)
    let second = try #require(found.stops.last as? Museum)
    #expect(second.isFree && second.openingHours == "10-18" && second.trip === found)
    #expect(second["name"] == .string("Serralves") && second["isFree"] == .boolean(true))
  }

  @Test("Changes of a to-many relationship change its inverse")
  func relationships() throws {
    let context = try context()
    let (here, there) = (try context.insert(Trip.self), try context.insert(Trip.self))
    let people = try (1...4).map { number in
      try context.insert(Person.self) { $0.fullName = "\(number)" }
    }

    here.add(people, to: \.travellers)
    here.remove(people[0], from: \.travellers)
    there.travellers = [people[0], people[1]]
    here.remove([people[2], people[3]], from: \.travellers)

    #expect(Set(here.travellers.map(\.fullName)) == ["2"])
    #expect(Set(people[1].trips) == [here, there])
    #expect(people[3].trips.isEmpty)
  }

  @Test("Ordered relationships can be changed at indexes, and the order is saved")
  func places() throws {
    let context = try context()
    let trip = try context.insert(Trip.self) { $0.name = "Coast" }
    let stops = try (0..<6).map { number in
      try context.insert(Stop.self) { $0.name = "\(number)" }
    }
    func names() -> String { trip.stops.map(\.name).joined() }

    trip.add(stops[0...2], to: \.stops)
    trip.insert(stops[3], into: \.stops, at: 0)
    #expect(names() == "3012")
    trip.insert([stops[4], stops[5]], into: \.stops, at: 4)
    #expect(names() == "301245")
    trip.insert(stops[3], into: \.stops, at: 5)
    #expect(names() == "012453")
    trip.move(in: \.stops, from: 0, to: 5)
    #expect(names() == "124530")
    trip.move(in: \.stops, from: 4, to: 1)
    #expect(names() == "132450")
    trip.remove(at: 2, from: \.stops)
    #expect(names() == "13450" && stops[2].trip == nil)
    trip.replace(at: 0, in: \.stops, with: stops[2])
    #expect(names() == "23450" && stops[1].trip == nil)
    trip.replace(at: 0, in: \.stops, with: stops[0])
    #expect(names() == "0345")
    trip.replace(at: 3, in: \.stops, with: stops[5])
    for stop in stops where stop.trip == nil { context.delete(stop) }
    try context.save()

    #expect(names() == "0345")
    let other = ManagedObjectContext(context.coordinator, concurrency: .confined)
    #expect(try other.fetch(Trip.self).first?.stops.map(\.name).joined() == "0345")
  }

  @Test("The function for a template returns a request with its variable set")
  func template() throws {
    let context = try context()
    for day in 1...3 {
      try context.insert(Trip.self) {
        $0.name = "\(day)"
        $0.start = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
      }
    }

    let date = Date(timeIntervalSinceReferenceDate: 2 * 86_400)
    let found = try context.fetch(Trip.tripsAfter(date: date))

    #expect(Set(found.map(\.name)) == ["2", "3"])
  }
}
