import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PropertyLists
import StoreInterface
import Testing

@Suite("Stores of a coordinator")
struct CoordinatorTests {
  /// Inserts people with passports, and trips with ordered stops, members and friends.
  private func fill(_ context: ManagedObjectContext) throws {
    let people = try ["Ada", "Bob", "Cyd"].map { name in
      try context.insert(Person.self) {
        $0.name = name
        $0["photo"] = .binary(Data(repeating: 7, count: 300_000))
      }
    }
    let guide = try context.insert(Guide.self) {
      $0.name = "Gil"
      $0.language = "Português"
    }
    people[0].friends = [people[1], people[2], guide]
    try context.insert(Passport.self) {
      $0.number = "P1"
      $0.holder = people[1]
    }
    let trip = try context.insert(Trip.self) {
      $0.name = "Coast"
      $0.owner = people[0]
      $0.start = Date(timeIntervalSinceReferenceDate: 0.125)
    }
    trip.members = [people[2], guide]
    let stops = try ["Faro", "Lagos", "Sines"].map { place in
      try context.insert(Stop.self) { $0.place = place }
    }
    trip.stops = [stops[2], stops[0], stops[1]]
    try context.save()
  }

  /// Returns everything that `fill` inserts, as text.
  private func words(_ context: ManagedObjectContext) throws -> [String] {
    let people = try context.fetch(Person.self, sortedBy: [SortKey("name")])
    let trips = try context.fetch(Trip.self)
    return people.map { person in
      let photo: Int = if case .binary(let data) = person["photo"] { data.count } else { 0 }
      return [
        person.name, "\(type(of: person))", "\(photo)", "\(person.tripCount)",
        person.passport?.number ?? "",
        person.friends.map(\.name).sorted().joined(), (person as? Guide)?.language ?? "",
      ].joined(separator: "|")
    }
      + trips.map { trip in
        [
          trip.name, "\(trip.start?.timeIntervalSinceReferenceDate ?? 0)", trip.owner?.name ?? "",
          trip.members.map(\.name).sorted().joined(),
          trip.stops.map(\.place).joined(separator: ","),
        ].joined(separator: "|")
      }
  }

  @Test(
    "A store moves with its whole content to any type and path, and contexts then use the new store",
    arguments: Kind.allCases, Kind.allCases)
  func migrate(_ from: Kind, _ to: Kind) throws {
    let graph = try Graph(from, on: Ground(from, to))
    let old = graph.coordinator.stores[0]
    try fill(graph.context())
    let wanted = try words(graph.context())
    var metadata = try old.metadata
    metadata.values["app"] = .string("kept")
    try graph.coordinator.setMetadata(metadata, of: old)
    var steps: [StoreCopy.Progress] = []

    let new = try graph.coordinator.migrate(old, to: graph.path("/new.store"), type: to.type) {
      steps.append($0)
    }

    #expect(graph.coordinator.stores == [new] && new.type == to.type && new.uuid != old.uuid)
    #expect(steps.last.map { $0.done == $0.total } ?? false)
    #expect(try new.metadata.values["app"] == .string("kept"))
    #expect(try new.metadata.uuid == new.uuid)
    let context = graph.context()
    #expect(try words(context) == wanted)
    try context.fetch(Trip.self)[0].stops.last?.place = "Porto"
    try context.insert(Person.self) { $0.name = "Dan" }
    try context.save()
    if to != .memory {
      let other = PersistentStoreCoordinator(
        model: Travels.model, places: graph.places,
        classes: Travels.classes)
      // The type is found in the file itself.
      #expect(try other.addStore(at: graph.path("/new.store")).type == to.type)
      let again = ManagedObjectContext(other, concurrency: .confined)
      #expect(try again.count(for: FetchRequest("Person")) == 5)
      #expect(try again.fetch(Trip.self)[0].stops.map(\.place) == ["Sines", "Faro", "Porto"])
    }
    if from != .memory {
      #expect(try graph.coordinator.metadata(ofStoreAt: graph.path("/main.store")).uuid == old.uuid)
    }
  }

  @Test(
    "A move that fails or is stopped leaves the store in its old place",
    arguments: [Kind.memory] + Kind.simulated, Kind.simulated)
  func failingMove(_ from: Kind, _ to: Kind) throws {
    let graph = try Graph(from, on: Ground(from, to))
    let store = graph.coordinator.stores[0]
    try fill(graph.context())
    let wanted = try words(graph.context())

    #expect(throws: Unwanted.self) {
      try graph.coordinator.migrate(store, to: graph.path("/new.store"), type: to.type) { _ in
        throw Unwanted(what: "progress")
      }
    }
    graph.ground.plan(.failing(.noSpace, path: graph.path("/new.store"), lasting: .forGood))
    #expect(throws: (any Error).self) {
      try graph.coordinator.migrate(store, to: graph.path("/new.store"), type: to.type)
    }
    graph.ground.planNoFailures()
    #expect(throws: StoreError.self) {
      try graph.coordinator.metadata(ofStoreAt: graph.path("/new.store"))
    }
    #expect(graph.coordinator.stores == [store])
    #expect(try words(graph.context()) == wanted)
    try graph.coordinator.migrate(store, to: graph.path("/new.store"), type: to.type)
    #expect(throws: StoreError.self) {
      try graph.coordinator.migrate(
        graph.coordinator.stores[0], to: graph.path("/new.store"), type: to.type)
    }
    #expect(try words(graph.context()) == wanted)
  }

  @Test("A store moves with its configuration, and further stores stay", arguments: Kind.allCases)
  func configuration(_ kind: Kind) throws {
    let ground = Ground(kind)
    let coordinator = PersistentStoreCoordinator(
      model: MultiStoreTests.model, places: ground.places)
    let notes = try coordinator.addStore(
      at: ground.path("/notes"), type: .binary, configuration: "notes")
    let both = try coordinator.addStore(
      at: ground.path("/both"), type: .binary, configuration: "both")
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.insert("Note").setValues(["rank": .integer(1)])
    try context.insert("Label").setValues(["text": .string("l")])
    try context.save()
    context.reset()

    let moved = try coordinator.migrate(notes, to: ground.path("/moved"), type: kind.type)

    #expect(moved.configuration == "notes" && Set(coordinator.stores) == [moved, both])
    let note = try context.insert("Note")
    let label = try context.insert("Label")
    #expect(note.objectID.store == moved.tag && label.objectID.store == both.tag)
    try context.save()
    #expect(try context.count(for: FetchRequest("Note")) == 2)
    let wrong = #expect(throws: ContextError.self) {
      try coordinator.addStore(at: ground.path("/third"), type: kind.type, configuration: "nothing")
    }
    #expect(wrong?.message.contains("\"notes\", \"both\"") ?? false)
  }

  @Test(
    "A store can be replaced by another or destroyed only while it is not in use",
    arguments: Kind.files)
  func replaceAndDestroy(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let coordinator = graph.coordinator
    try fill(graph.context())
    let second = try coordinator.addStore(at: graph.path("/second"), type: kind.type)
    // The context ends here, because it would keep the fetched objects and a database open.
    do {
      let context = graph.context()
      try context.insert(Person.self, into: second) { $0.name = "Second" }
      try context.save()
    }

    for work in [
      {
        try coordinator.replaceStore(
          at: graph.path("/main.store"), withStoreAt: graph.path("/second"))
      },
      { try coordinator.replaceStore(at: graph.path("/else"), withStoreAt: graph.path("/second")) },
      { try coordinator.destroyStore(at: graph.path("/second")) },
    ] {
      let error = #expect(throws: ContextError.self) { try work() }
      #expect(error?.code == .notSupported && error?.message.contains("is open") ?? false)
    }
    let first = coordinator.stores[0]
    try coordinator.remove(first)
    try coordinator.remove(second)
    #expect(throws: StoreError.self) {
      try coordinator.replaceStore(
        at: graph.path("/main.store"), withStoreAt: graph.path("/nowhere"))
    }
    try coordinator.replaceStore(at: graph.path("/main.store"), withStoreAt: graph.path("/second"))
    let replaced = try coordinator.addStore(at: graph.path("/main.store"), type: kind.type)
    #expect(replaced.uuid == second.uuid)
    #expect(try graph.context().fetch(Person.self).map(\.name) == ["Second"])

    try coordinator.remove(replaced)
    try coordinator.destroyStore(at: graph.path("/main.store"))
    #expect(throws: StoreError.self) {
      try coordinator.metadata(ofStoreAt: graph.path("/main.store"))
    }
    try coordinator.addStore(at: graph.path("/main.store"), type: kind.type)
    #expect(try graph.context().count(for: FetchRequest("Person")) == 0)
  }

  @Test(
    "A store refuses a model that does not fit, and names the entities and properties that differ",
    arguments: Kind.allCases)
  func differences(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try fill(graph.context())
    var description = Travels.model.description
    let trip = try #require(description.entities.firstIndex { $0.name == "Trip" })
    description.entities[trip].declaredProperties.removeAll { $0.name == "cost" }
    description.entities[trip].declaredProperties.append(.attribute(Attribute("price", .decimal)))
    let stop = try #require(description.entities.firstIndex { $0.name == "Stop" })
    description.entities[stop].declaredProperties[0] = .attribute(
      Attribute("place", .binary, isOptional: false))
    description.entities.append(
      Entity("Ticket", properties: [.attribute(Attribute("seat", .string))]))
    let model = try Model(description)
    let other = PersistentStoreCoordinator(
      model: model, places: graph.places)

    let error = #expect(throws: ContextError.self) {
      if kind == .memory {
        try other.add(graph.coordinator.stores[0].store)
      } else {
        try other.addStore(at: graph.path("/main.store"), type: kind.type)
      }
    }

    #expect(error?.code == .incompatibleModel && other.stores.isEmpty)
    for name in ["Trip", "cost", "price", "Stop", "place", "Ticket"] {
      #expect(error?.message.contains(name) ?? false, "\(name): \(error?.message ?? "")")
    }
    #expect(error?.message.contains("Passport") == false, "\(error?.message ?? "")")
    // The coordinator that was refused does not keep the store open.
    let again = try graph.again()
    #expect(try again.count(for: FetchRequest("Person")) == 4)
  }

  @Test(
    "A coordinator refuses to add a store twice, and a removed store accepts no changes",
    arguments: Kind.allCases)
  func twice(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let coordinator = graph.coordinator
    let store = coordinator.stores[0]
    let error = #expect(throws: ContextError.self) { try coordinator.add(store.store) }
    #expect(error?.code == .notSupported && error?.message.contains("\(store.uuid)") ?? false)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    ada.name = "Changed"
    try coordinator.remove(store)

    #expect(coordinator.stores.isEmpty && ada.name == "Changed")
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.hasChanges)
    let none = #expect(throws: ContextError.self) { try context.fetch(Person.self) }
    #expect(none?.code == .noStore)
    #expect(throws: ContextError.self) { try graph.context().insert(Person.self) }
  }

  @Test(
    "An application's values in a store's metadata can be read without a model",
    arguments: Kind.files)
  func metadata(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let store = graph.coordinator.stores[0]
    var metadata = try store.metadata
    metadata.values["window"] = .dictionary([
      "x": .integer(3), "names": .array([.string("é"), .data(Data([0]))]),
    ])
    try graph.coordinator.setMetadata(metadata, of: store)
    try fill(graph.context())

    let bare = PersistentStoreCoordinator(
      model: try Model(entities: [Entity("Else")]),
      places: graph.places)
    let read = try bare.metadata(ofStoreAt: graph.path("/main.store"))
    #expect(read.values["window"] == metadata.values["window"])
    #expect(read.uuid == store.uuid && read.type == kind.type)
    #expect(read.versionHashes?.keys.sorted() == Travels.model.entities.map(\.name).sorted())
  }

  @Test(
    "Objects go to their assigned stores, a read-only store refuses them, and stores stay apart",
    arguments: Kind.allCases)
  func assigned(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let first = graph.coordinator.stores[0]
    let second = try graph.coordinator.addStore(at: graph.path("/second"), type: kind.type)
    let context = graph.context()
    context.setStore(second, forNewObjectsOf: "Person")
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let trip = try context.insert(Trip.self) { $0.name = "Faro" }
    let sent = try context.insert(Person.self, into: first) { $0.name = "Bob" }
    let guide = try context.insert(Guide.self) { $0.name = "Gil" }
    context.setStore(nil, forNewObjectsOf: "Person")
    let last = try context.insert(Person.self) { $0.name = "Cyd" }
    trip.owner = sent
    #expect(
      [ada, sent, last, guide].map(\.objectID.store) == [
        second.tag, first.tag, first.tag, first.tag,
      ])
    let error = #expect(throws: ContextError.self) {
      try trip.setValues(["owner": .object(ada.objectID.key), "nothing": .null])
    }
    #expect(error != nil && trip.owner === sent)
    try context.save()
    let names = try context.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.name)
    #expect(names == ["Ada", "Bob", "Cyd", "Gil"])
    var request = FetchRequest(Person.self)
    request.affectedStores = [second.uuid]
    #expect(try context.fetch(request) == [ada])

    if kind != .memory {
      try graph.coordinator.remove(second)
      let readOnly = try graph.coordinator.addStore(
        at: graph.path("/second"), type: kind.type, readOnly: true)
      let reader = graph.context()
      let found = try #require(try reader.fetch(request).first)
      let refused = #expect(throws: (any Error).self) {
        try reader.insert(Person.self, into: readOnly) { $0.name = "No" }
        try reader.save()
      }
      #expect((refused as? StoreError)?.code == .readOnly)
      reader.rollback()
      found.name = "Changed"
      #expect(throws: StoreError.self) { try reader.save() }
      reader.rollback()
      #expect(found.name == "Ada")
      let person = try reader.insert(Person.self) { $0.name = "Yes" }
      #expect(person.objectID.store == first.tag)
      try reader.save()
    }
  }

  @Test(
    "A new object goes to the right store after a store has moved, gone or come",
    arguments: Kind.allCases)
  func insertAfterMove(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (context, old) = (graph.context(), graph.coordinator.stores[0])
    try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let new = try graph.coordinator.migrate(old, to: graph.path("/new.store"), type: kind.type)

    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    #expect(bob.objectID.store == new.tag)
    try context.save()
    let error = #expect(throws: ContextError.self) {
      try context.insert(Person.self, into: old) { $0.name = "No" }
    }
    #expect(error?.code == .noStore)
    context.setStore(new, forNewObjectsOf: "Person")
    try context.insert(Person.self) { $0.name = "Cyd" }
    try context.save()
    try graph.coordinator.remove(new)
    for _ in 0..<2 {
      let error = #expect(throws: ContextError.self) {
        try context.insert(Person.self) { $0.name = "No" }
      }
      #expect(error?.code == .noStore)
      context.setStore(nil, forNewObjectsOf: "Person")
    }
    #expect(!context.hasChanges)
  }

  @Test(
    "A store added for an entity's configuration takes the objects inserted afterwards",
    arguments: Kind.allCases)
  func insertAfterAdding(_ kind: Kind) throws {
    let thing = Entity("Thing", properties: [.attribute(Attribute("name", .string))])
    let model = try Model(
      Model.Description(
        entities: [thing], configurations: [Configuration("Own", entities: ["Thing"])]))
    let graph = try Graph(kind, model: model, classes: [])
    let context = graph.context()
    try context.insert("Thing")
    let own = try graph.coordinator.addStore(
      at: graph.path("/own.store"), type: kind.type, configuration: "Own")
    #expect(try context.insert("Thing").objectID.store == own.tag)
    try context.save()
  }

  @Test(
    "A context continues with a store that was removed and added again", arguments: Kind.simulated)
  func addedAgain(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    context.automaticallyMergesChangesFromParent = true
    let id = try context.insert(Person.self) { $0.name = "Ada" }.objectID
    try context.save()
    try graph.coordinator.remove(graph.coordinator.stores[0])
    try graph.coordinator.addStore(at: graph.path("/main.store"), type: kind.type)

    let mine = try #require(try context.fetch(Person.self).first)
    #expect(context.object(with: id) === mine && context.registeredObject(for: id) === mine)
    let other = graph.context()
    (other.object(with: id) as! Person).name = "Eve"
    try other.save()
    try context.processPendingChanges()
    #expect(mine.name == "Eve")
    (context.object(with: id) as! Person).name = "Ada"
    try context.save()
    #expect(try graph.context().fetch(Person.self).map(\.name) == ["Ada"])
  }
}
