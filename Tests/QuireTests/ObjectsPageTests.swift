import Foundation
import Quire
import Testing
import TypedTrips

/// The code of docs/objects.md, which keeps the page correct. The last test checks that every line of the page is in this
/// file.
@Suite("The page of objects", .serialized)
@MainActor
struct ObjectsPageTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "quire-\(UUID().uuidString)", directoryHint: .isDirectory)

  private var path: String { folder.appending(path: "Trips.store").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Returns the start of the page's sections: a container with a saved trip of two stops.
  private func scene() throws -> Scene {
    let container = try PersistentContainer(
      TripsModel.model, at: path, classes: TripsModel.classes)
    let context = container.viewContext
    let trip = try context.insert(Trip.self) {
      $0.name = "Along the Douro"
      $0.start = .now
      $0.budget = 1200
    }
    let stops = try ["Porto", "Régua"].map { name in
      try context.insert(Stop.self) { $0.name = name }
    }
    trip.add(stops, to: \.stops)
    try context.save()
    return Scene(
      container: container, coordinator: container.coordinator, context: context, trip: trip,
      porto: stops[0])
  }

  private struct Scene {
    let container: PersistentContainer
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let trip: Trip
    let porto: Stop
  }

  /// Keeps the output of the page's code for the expectations.
  private func print(_ items: Any...) {
    printed.lines.append(items.map { "\($0)" }.joined(separator: " "))
  }

  private let printed = Printed()
  private final class Printed {
    var lines: [String] = []
  }

  @Test("A container is opened")
  func opening() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let container = try PersistentContainer(
        TripsModel.model, at: path, classes: TripsModel.classes)
      let context = container.viewContext
      #expect(try context.count(for: FetchRequest("Trip")) == 0)
    }
    let otherPath = path + ".other"
    let named = try PersistentContainer(
      name: "Trips", model: TripsModel.model, classes: TripsModel.classes)
    named.persistentStoreDescriptions = [PersistentContainer.StoreDescription(otherPath)]
    named.loadPersistentStores { description, error in
      if let error { print("Can't open \(description.path): \(error)") }
    }
    #expect(printed.lines.isEmpty && named.coordinator.stores.map(\.path) == [otherPath])
    let coordinator = PersistentStoreCoordinator(
      model: TripsModel.model, classes: TripsModel.classes)
    try coordinator.addStore(at: path)
    let context = ManagedObjectContext(coordinator, concurrency: .mainActor)
    #expect(coordinator.stores[0].type == .binary && context.concurrency == .mainActor)
  }

  @Test("Objects are inserted, related and fetched")
  func working() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try scene().context
    let trip = try context.insert(Trip.self) {
      $0.name = "Along the Douro"
      $0.start = .now
    }
    trip.budget = 1200
    do {
      try trip.setValues(["name": .string("Minho"), "budget": .string("lots")])
    } catch let error as ContextError where error.code == .wrongType {
      print(error)
    }
    #expect(trip.name == "Along the Douro" && trip.budget == 1200)

    let porto = try context.insert(Stop.self) { $0.name = "Porto" }
    let regua = try context.insert(Stop.self) { $0.name = "Régua" }
    porto.trip = trip
    trip.add(regua, to: \.stops)
    print(trip.stops.map(\.name), regua.trip === trip)
    #expect(trip.stops.map(\.name) == ["Porto", "Régua"] && regua.trip === trip)

    trip.insert(try context.insert(Stop.self) { $0.name = "Aveiro" }, into: \.stops, at: 0)
    trip.stops.reverse()
    #expect(trip.stops.map(\.name) == ["Régua", "Porto", "Aveiro"])

    let soon = try context.fetch(
      Trip.where { $0.start > .distantPast && $0.stops.count >= 2 }
        .sorted(by: \.start).sorted(by: \.name).limited(to: 20))
    let stays = try context.fetch(Stop.where { $0.trip == trip })
    let newest = try context.fetch(Trip.all.sorted(by: \.start, .reverse).limited(to: 1))
    let same = try context.find(Trip.self, trip.objectID)
    #expect(newest == [trip] && same === trip)
    #expect(soon.count == 2 && soon.last === trip && stays.count == 3)

    let table = try context.fetchTable(Stop.all.grouped(by: \.name, fetching: .sum(\.nights)))
    for (name, nights) in zip(
      table.values(of: \Stop.name), table.values(named: "sum(nights)", as: Int.self))
    {
      print(name, nights)
    }
    #expect(printed.lines.suffix(3).sorted() == ["Aveiro 1", "Porto 2", "Régua 2"])
  }

  @Test("A save reports validation errors")
  func saving() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (context, trip, porto) = (scene.context, scene.trip, scene.porto)
    try context.save()
    trip.name = ""
    porto.nights = 400
    do {
      try context.save()
    } catch let error as ContextError where error.code == .validation {
      for failure in error.failures {
        print(failure.entity, failure.key ?? "", failure.rule, failure.message)
      }
      context.rollback()
    }
    #expect(printed.lines.count == 2 && trip.name == "Along the Douro" && porto.nights == 1)

    context.delete(trip)
    print(porto.isDeleted)
    try context.save()
    print(porto.isDeleted, porto.managedObjectContext == nil)
    #expect(printed.lines.suffix(2) == ["true", "false true"])
  }

  @Test("Observers get notifications")
  func notifications() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (context, trip) = (scene.context, scene.trip)
    var changes = context.changes.makeAsyncIterator()
    context.refresh(trip, mergeChanges: true)
    let change = await changes.next()
    print(change?.refreshed == [trip.objectID])
    #expect(printed.lines == ["true"])
  }

  @Test("Conflicts are reported and resolved")
  func conflicts() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (coordinator, trip) = (scene.coordinator, scene.trip)
    let mine = ManagedObjectContext(coordinator, concurrency: .confined)
    let theirs = ManagedObjectContext(coordinator, concurrency: .confined)
    let myTrip = mine.object(trip)
    let theirTrip = theirs.object(trip)
    myTrip.name = "Mine"
    theirTrip.name = "Theirs"
    theirTrip.budget = 7
    try theirs.save()
    do {
      try mine.save()
    } catch let error as ContextError where error.code == .conflict {
      print(error.conflicts[0].contestedKeys)
    }
    mine.mergePolicy = .objectWins
    try mine.save()
    print(myTrip.name, myTrip.budget ?? 0)
    for name in ["Ada", "Ada Lovelace"] {
      try mine.insert(Person.self) {
        $0.fullName = name
        $0.email = "ada@example.org"
      }
      try mine.save()
    }
    print(try mine.fetch(Person.self).map(\.fullName))
    let planner = ManagedObjectContext(coordinator, concurrency: .confined)
    let plan = planner.object(trip)
    planner.detectConflicts(for: plan)
    if plan.budget ?? 0 >= 5 { try planner.insert(Stop.self) { $0.name = "Vila Real" } }
    theirTrip.budget = 1
    theirs.mergePolicy = .objectWins
    try theirs.save()
    do {
      try planner.save()
    } catch let error as ContextError where error.code == .conflict {
      print(error.conflicts[0].isMarked)
    }
    #expect(printed.lines == [#"["name"]"#, "Mine 7", #"["Ada Lovelace"]"#, "true"])
  }

  @Test("Changes are undone and redone")
  func undoing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (context, trip) = (scene.context, scene.trip)
    let undo = UndoStack()
    context.undoStack = undo
    try undo.group("Rename") {
      trip.name = "Alentejo"
    }
    context.delete(trip)
    try undo.undo()
    print(undo.undoActionName ?? "", trip.isDeleted)
    try undo.undo()
    try undo.redo()
    #expect(printed.lines == ["Rename false"] && trip.name == "Alentejo" && trip.stops.count == 2)
  }

  @Test("A child context pushes its changes to its parent")
  func nested() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (context, trip) = (scene.context, scene.trip)
    let form = ManagedObjectContext(parent: context, concurrency: .mainActor)
    let draft = form.object(trip)
    draft.name = "Algarve"
    draft.add(try form.insert(Stop.self) { $0.name = "Faro" }, to: \.stops)
    try form.save()
    print(trip.name, context.hasChanges)
    try context.save()
    #expect(printed.lines == ["Algarve true"] && trip.stops.count == 3)
  }

  @Test("Fetched results follow the changes")
  func lists() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (context, trip, porto) = (scene.context, scene.trip, scene.porto)
    let results = try FetchedResults(
      Stop.all.sorted(by: \.name), in: context,
      sections: FetchedSections("name") { String($0.plainText.prefix(1)) })
    results.onChange = { change in print(change.objects.count, "changes") }
    for section in results.sections { print(section.name, section.range.count) }
    try context.insert(Stop.self) {
      $0.name = "Beja"
      $0.trip = trip
    }
    try context.processPendingChanges()
    print(results.first?.name ?? "none")
    #expect(results.map(\.name) == ["Beja", "Porto", "Régua"] && results.sections.count == 3)

    let rows = Table()
    results.delegate = rows
    results.request.predicate = try QueryPredicate("name != 'Beja'")
    try results.performFetch()
    #expect(rows.rows.keys.sorted() == ["P", "R"] && rows.rows["P"] == [porto.objectID])

    let long = try LiveResult.count(Stop.where { $0.nights > 2 }, in: context)
    long.onChange = { print("long stays:", $0) }
    porto.nights = 3
    try context.processPendingChanges()
    print(long.value)
    #expect(long.value == 1)
  }

  @Test("A background context saves changes that reach the view")
  func background() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (container, context, trip) = (scene.container, scene.context, scene.trip)
    let names = try await container.performBackgroundTask { context in
      let trips = try context.fetch(Trip.self)
      for trip in trips { trip.budget = (trip.budget ?? 0) + 100 }
      try context.save()
      return trips.map(\.name)
    }
    #expect(names == ["Along the Douro"])
    // What was saved reaches the view in a turn of its own.
    for _ in 0..<12_000 where trip.budget != 1300 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(trip.budget == 1300)

    let worker = container.newBackgroundContext()
    let id = trip.objectID
    let count = try await worker.perform {
      guard let trip = try worker.existingObject(with: id) as? Trip else { return 0 }
      return trip.stops.count
    }
    #expect(count == 2)

    actor Planner: ContextActor {
      let context: ManagedObjectContext

      init(_ container: PersistentContainer) { context = container.newBackgroundContext() }

      func places() throws -> [String] {
        try context.fetch(Stop.all.sorted(by: \.name)).map(\.name)
      }
    }
    let places = try await Planner(container).places()
    #expect(places == ["Porto", "Régua"])

    let planned: [Trip.Snapshot] = try await container.read { context in
      try context.fetchSnapshots(Trip.all.sorted(by: \.name), including: \.stops)
    }
    let json = try JSONEncoder().encode(planned)  // [{"name": "Lisbon", …}]
    let received = try JSONDecoder().decode([Trip.Snapshot].self, from: json)
    try await container.write { context in
      try context.upsert(Trip.self, from: received, matching: \.name)
    }
    #expect(received == planned && received[0].stops?.map(\.name) == ["Porto", "Régua"])

    scene.porto.latitude = 61
    let progress = Progress(totalUnitCount: 0)
    let northern = Stop.where { $0.latitude > 60 }
    let far = try await context.fetch(northern, progress: progress) { stops in
      stops.map(\.objectID)
    }
    let all = try await context.count(for: Stop.all, progress: progress)
    #expect(far == [scene.porto.objectID] && all == 2 && progress.isFinished)
  }

  @Test("Batches change many objects, and the history lists the changes")
  func batches() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = try scene()
    let (coordinator, context, trip) = (scene.coordinator, scene.context, scene.trip)
    let names = (1...100).map { "Traveller \($0)" }
    try context.execute(BatchInsertRequest(Person.self, from: names) { $0.fullName = $1 })
    var update = BatchUpdateRequest(Person.where { $0.email == nil })
    update.set(\Person.fullName, to: "Unknown")
    update.resultType = .count
    print(try context.execute(update).count)
    try context.execute(BatchDeleteRequest(Person.where { $0.email == nil }))
    #expect(try context.count(for: FetchRequest("Person")) == 0)

    let token = try coordinator.historyToken
    context.transactionAuthor = "import"
    trip.name = "Beira"
    try context.save()
    for transaction in try coordinator.history(HistoryRequest(after: token)) {
      for change in transaction.changes {
        print(transaction.author ?? "", change.kind, change.entity, change.changedProperties)
      }
    }
    #expect(printed.lines == ["100", #"import update Trip ["name"]"#])
  }

  @Test("Every block of Swift on the page is part of a test")
  func whole() throws {
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
    }
    let here = URL(filePath: #filePath)
    let page = here.deletingLastPathComponent().appending(path: "../../docs/objects.md")
    let blocks = try String(contentsOf: page, encoding: .utf8)
      .components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }
    let source = try lines(String(contentsOf: here, encoding: .utf8))

    #expect(blocks.count > 20)
    for block in blocks {
      let isHere = source.indices.contains { source[$0...].starts(with: block) }
      #expect(isHere, "\(block.joined(separator: "\n"))")
    }
  }
}

@MainActor final class Table: @MainActor FetchedResultsChange.Delegate {
  var rows: [String: [ObjectID]] = [:]

  func resultsDidChange(_ results: FetchedResults<Stop>) {
    let snapshot = results.snapshot
    rows = Dictionary(
      uniqueKeysWithValues: snapshot.sections.indices.map { section in
        (snapshot.sectionIdentifiers[section], Array(snapshot.identifiers(inSection: section)))
      })
  }
}
