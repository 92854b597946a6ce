import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Testing

@Suite("Fetched results")
struct FetchedResultsTests {
  private static func people(_ context: ManagedObjectContext, _ names: String...) throws -> [Person]
  {
    try names.map { name in try context.insert(Person.self) { $0.name = name } }
  }

  @Test("Sections, index titles and places", arguments: Kind.allCases)
  func sections(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    _ = try Self.people(context, "Ada", "Bob", "Alan", "Cleo", "Carl")
    let results = try FetchedResults(
      FetchRequest(Person.self, sortedBy: [SortKey("name")]), in: context,
      sections: FetchedSections("name") { String($0.plainText.prefix(1)) })

    #expect(results.map(\.name) == ["Ada", "Alan", "Bob", "Carl", "Cleo"])
    #expect(results.sections.map(\.name) == ["A", "B", "C"])
    #expect(results.sections.map(\.range) == [0..<2, 2..<3, 3..<5])
    #expect(results.sectionIndexTitles == ["A", "B", "C"])
    #expect(results.section(forIndexTitle: "C") == 2)
    #expect(results.objects(inSection: 2).map(\.name) == ["Carl", "Cleo"])
    let place = try #require(results.place(of: results[4]))
    #expect(place == FetchedPlace(index: 4, section: 2, item: 1))
    let age = try FetchedResults(
      FetchRequest(Person.self, sortedBy: [SortKey("name")]), in: context,
      sections: FetchedSections("age"))
    #expect(age.sections.map(\.name) == ["0"] && age.count == 5)
  }

  @Test("A list refuses a section name that is repeated", arguments: [Kind.memory])
  func repeatedSection(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    _ = try Self.people(context, "Ada", "Bob", "Cleo")
    let error = #expect(throws: ContextError.self) {
      try FetchedResults(
        FetchRequest(Person.self), in: context,
        sections: FetchedSections("name") { $0.plainText == "Bob" ? "one" : "other" })
    }
    #expect(error?.code == .notSupported)
  }

  /// Returns the new places of the updated objects.
  private static func updates(_ change: FetchedResultsChange) -> [Int] {
    change.objects.compactMap { if case .update(_, _, let place) = $0 { place.index } else { nil } }
  }

  @Test(
    "A list updates an owner when its members or their order change", arguments: Kind.allCases
  )
  func members(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try Self.people(context, "Ada", "Bob", "Cleo")
    let trip = try context.insert(Trip.self) { $0.name = "Faro" }
    let stops = try ["A", "B"].map { place in
      try context.insert(Stop.self) {
        $0.place = place
        $0.trip = trip
      }
    }
    try context.save()
    let owners = try FetchedResults(
      FetchRequest(Person.self, sortedBy: [SortKey("name")]), in: context)
    let trips = try FetchedResults(FetchRequest(Trip.self), in: context)
    var told: [[Int]] = []
    owners.onChange = { told.append(Self.updates($0)) }
    var trippy = 0
    trips.onChange = { trippy += Self.updates($0).count }
    func tell(_ body: () throws -> Void) throws -> [[Int]] {
      told = []
      try body()
      try context.processPendingChanges()
      return told
    }

    #expect(try tell { trip.owner = people[1] } == [[1]])
    #expect(try tell { trip.owner = people[2] } == [[1, 2]])
    #expect(try tell { trip.name = "Lagos" } == [])
    #expect(try tell { context.delete(trip) } == [[2]])
    context.rollback()
    #expect(try tell { try context.insert(Trip.self) { $0.owner = people[0] } } == [[0]])
    trippy = 0
    _ = try tell { trip.stops = [stops[1], stops[0]] }
    #expect(trippy == 1)
    _ = try tell { stops[0].place = "Z" }
    #expect(trippy == 1)
    _ = try tell { context.delete(stops[0]) }
    #expect(trippy == 2)
  }

  @Test("A list without a sort key has the order of the identifiers", arguments: Kind.allCases)
  func unsorted(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try Self.people(context, "Cleo", "Ada")
    let results = try FetchedResults(FetchRequest(Person.self), in: context)
    let bob = try Self.people(context, "Bob")
    try context.processPendingChanges()

    #expect(results.map(\.objectID) == (people + bob).map(\.objectID))
  }

  @Test(
    "A list reports changes as insertions, deletions, moves and updates", arguments: Kind.allCases)
  func changes(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try Self.people(context, "Ada", "Bob", "Cleo")
    try context.save()
    let results = try FetchedResults(
      FetchRequest(Person.self, where: QueryPredicate("age < 90"), sortedBy: [SortKey("name")]),
      in: context)
    var told: [FetchedResultsChange] = []
    results.onChange = { told.append($0) }

    people[1].age = 7
    try context.processPendingChanges()
    let at1 = FetchedPlace(index: 1, section: 0, item: 1)
    #expect(told.last?.objects == [.update(people[1].objectID, from: at1, to: at1)])

    people[0].name = "Zoe"
    try context.processPendingChanges()
    #expect(
      told.last?.objects == [
        .move(
          people[0].objectID, from: FetchedPlace(index: 0, section: 0, item: 0),
          to: FetchedPlace(index: 2, section: 0, item: 2))
      ])
    #expect(results.map(\.name) == ["Bob", "Cleo", "Zoe"])

    people[0].name = "Zora"
    try context.processPendingChanges()
    let at2 = FetchedPlace(index: 2, section: 0, item: 2)
    #expect(told.last?.objects == [.update(people[0].objectID, from: at2, to: at2)])

    people[2].age = 95
    context.delete(people[1])
    let dora = try Self.people(context, "Dora")[0]
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Dora", "Zora"])
    #expect(
      Set(told.last?.objects ?? []) == [
        .delete(people[1].objectID, from: FetchedPlace(index: 0, section: 0, item: 0)),
        .delete(people[2].objectID, from: at1),
        .insert(dora.objectID, at: FetchedPlace(index: 0, section: 0, item: 0)),
      ])
    let count = told.count
    try context.save()
    // A save changes derived values, and nothing else.
    #expect(told.dropFirst(count).allSatisfy { $0.before == $0.after })
    context.delete(dora)
    context.delete(people[0])
    try context.processPendingChanges()
    // A list without sections is one section, also if it is empty.
    #expect(results.isEmpty && results.sections.map(\.count) == [0])
    #expect(told.last?.deletedSections == [])
    context.rollback()
    #expect(results.map(\.name) == ["Dora", "Zora"] && results.sections.map(\.count) == [2])
    #expect(told.last?.insertedSections == [])
  }

  @Test(
    "A list shows another context's save after the merge, and a child's save at once",
    arguments: Kind.allCases)
  func merging(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, two) = (graph.context(), graph.context())
    two.automaticallyMergesChangesFromParent = true
    let request = FetchRequest(Person.self, sortedBy: [SortKey("name")])
    let results = try FetchedResults(request, in: two)
    let ada = try Self.people(one, "Ada", "Bob")[0]
    #expect(results.isEmpty)
    try one.save()
    #expect(results.map(\.name) == ["Ada", "Bob"])
    ada.name = "Cleo"
    try one.save()
    #expect(results.map(\.name) == ["Bob", "Cleo"])

    let child = ManagedObjectContext(parent: two, concurrency: .confined)
    let childResults = try FetchedResults(request, in: child)
    childResults[0].name = "Zed"
    try child.processPendingChanges()
    #expect(childResults.map(\.name) == ["Cleo", "Zed"] && results.map(\.name) == ["Bob", "Cleo"])
    try child.save()
    #expect(results.map(\.name) == ["Cleo", "Zed"] && childResults.map(\.name) == ["Cleo", "Zed"])
    try two.save()
    #expect(results.map(\.name) == ["Cleo", "Zed"])
    two.refresh(results[0], mergeChanges: false)
    results[0].name = "Ann"
    try two.processPendingChanges()
    two.refresh(results[0], mergeChanges: false)
    try two.processPendingChanges()
    #expect(results.map(\.name) == ["Cleo", "Zed"])
  }

  @Test("A list follows changes of related objects in its sort keys", arguments: Kind.allCases)
  func related(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try Self.people(context, "Ada", "Bob")
    let trips = try ["Faro", "Porto"].map { name in
      try context.insert(Trip.self) { $0.name = name }
    }
    (trips[0].owner, trips[1].owner) = (people[0], people[1])
    let results = try FetchedResults(
      FetchRequest(Trip.self, sortedBy: [SortKey("owner.name")]), in: context,
      sections: FetchedSections("owner.name"))
    let joined = try FetchedResults(
      FetchRequest(Person.self, where: QueryPredicate("joined.@count > 0")), in: context)
    #expect(results.sections.map(\.name) == ["Ada", "Bob"] && joined.isEmpty)

    people[0].name = "Zoe"
    trips[1].members = [people[1]]
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Porto", "Faro"])
    #expect(results.sections.map(\.name) == ["Bob", "Zoe"] && joined.map(\.name) == ["Bob"])
    context.delete(people[1])
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Faro"] && joined.isEmpty)
  }

  @Test("Results of several stores make one list")
  func severalStores() throws {
    let coordinator = PersistentStoreCoordinator(
      model: Travels.model, classes: Travels.classes)
    let stores = try (0..<2).map { _ in try coordinator.add(MemoryStore(Travels.model)) }
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for (index, name) in ["Dora", "Ada", "Cleo", "Bob"].enumerated() {
      try context.insert(Person.self, into: stores[index % 2]) { $0.name = name }
    }
    let request = FetchRequest(Person.self, sortedBy: [SortKey("name", ascending: false)])
    let results = try FetchedResults(request, in: context)
    let count = try LiveResult.count(request, in: context)
    var told: [FetchedResultsChange] = []
    results.onChange = { told.append($0) }
    #expect(results.map(\.name) == ["Dora", "Cleo", "Bob", "Ada"])

    results[3].name = "Zoe"
    try context.insert(Person.self, into: stores[1]) { $0.name = "Carl" }
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Zoe", "Dora", "Cleo", "Carl", "Bob"])
    #expect(told.count == 1 && told[0].applied() == results.snapshot.identifiers)
    #expect(count.value == 5)
    try context.save()
    #expect(try results.snapshot.identifiers == context.fetchIdentifiers(request))
    #expect(results.map { $0.place(in: results) } == [0, 1, 2, 3, 4])
  }

  @Test("A change of the request is reported as a change of the list", arguments: [Kind.memory])
  func otherRequest(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    _ = try Self.people(context, "Ada", "Bob", "Cleo")
    let results = try FetchedResults(FetchRequest(Person.self), in: context)
    var told: [FetchedResultsChange] = []
    results.onChange = { told.append($0) }
    try results.change(
      to: FetchRequest(
        Person.self, where: QueryPredicate("name != 'Bob'"),
        sortedBy: [SortKey("name", ascending: false)]))
    #expect(results.map(\.name) == ["Cleo", "Ada"] && told.count == 1)
    #expect(told[0].applied() == results.snapshot.identifiers)
    var limited = results.request
    limited.fetchLimit = 1
    try results.change(to: limited)
    _ = try Self.people(context, "Zoe")
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Zoe"])
  }

  @Test("Snapshots and changes come as asynchronous sequences", arguments: [Kind.memory])
  func sequences(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = ManagedObjectContext(graph.coordinator)
    let (snapshots, changes) = try await context.perform {
      let results = try FetchedResults(
        FetchRequest(Person.self, sortedBy: [SortKey("name")]), in: context)
      context.userInfo["results"] = Kept(results)
      return (results.snapshots, results.changes)
    }
    try await context.perform {
      _ = try Self.people(context, "Ada", "Bob")
    }
    var counts: [Int] = []
    for await snapshot in snapshots {
      counts.append(snapshot.identifiers.count)
      if snapshot.identifiers.count == 2 { break }
    }
    #expect(counts == [0, 2])
    try await context.perform {
      context.userInfo = [:]
    }
    var objectCount = 0
    for await change in changes { objectCount += change.objects.count }
    #expect(objectCount == 2)
  }

  private struct Kept: @unchecked Sendable {
    // Sendable: the owner of the list only keeps it.
    let results: FetchedResults<Person>
    init(_ results: FetchedResults<Person>) { self.results = results }
  }

  @Test("Live counts, identifiers and aggregates stay current", arguments: Kind.allCases)
  func live(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let people = try Self.people(context, "Ada", "Bob", "Cleo")
    let young = FetchRequest(Person.self, where: try QueryPredicate("age < 30"))
    let count = try LiveResult.count(young, in: context)
    let ids = try LiveResult.identifiers(
      FetchRequest(Person.self, sortedBy: [SortKey("age"), SortKey("name")]), in: context)
    var sum = FetchRequest(Person.self)
    sum.propertiesToFetch = [FetchedValue("sum", .function(.sum, [.path("age")]))]
    let total = try LiveResult.table(sum, in: context)
    var told: [Int] = []
    count.onChange = { told.append($0) }
    #expect(count.value == 3 && ids.value == people.map(\.objectID))

    people[0].age = 40
    try context.processPendingChanges()
    people[0].age = 41
    try context.processPendingChanges()
    #expect(told == [2])
    #expect(ids.value == [people[1], people[2], people[0]].map(\.objectID))
    #expect(total.value.rows == [[.integer(41)]])
    context.delete(people[1])
    try context.save()
    #expect(told == [2, 1] && ids.value.count == 2)
    let other = try Graph(kind).context()
    #expect(try LiveResult.count(young, in: other).value == 0)
  }

  @Test("A list equals a new fetch, and its changes lead to it", arguments: Kind.allCases)
  func random(_ kind: Kind) throws {
    for seed in UndoWork.seeds(kind) { try Self.walk(kind, seed) }
  }

  private static let requests: [(FetchRequest<ManagedObject>, FetchedSections?)] = [
    (FetchRequest("Person"), nil),
    (
      FetchRequest(
        "Person", where: try! QueryPredicate("age > 20 AND age < 80"),
        sortedBy: [SortKey("age", ascending: false), SortKey("name")]),
      FetchedSections("age") { value in
        if case .integer(let age) = value { "\(age / 10)" } else { "" }
      }
    ),
    (
      FetchRequest(
        "Person", where: try! QueryPredicate("name CONTAINS '!' OR age < 50"),
        sortedBy: [SortKey("name", options: [.caseInsensitive])]), nil
    ),
    (FetchRequest("Guide", sortedBy: [SortKey("language")]), FetchedSections("language")),
    (
      FetchRequest("Person", sortedBy: [SortKey("age"), SortKey("name")]),
      FetchedSections(of: ManagedObject.self) { person in
        if case .integer(let age) = person["age"] { "\(age / 10)" } else { "" }
      }
    ),
    (
      FetchRequest("Trip", sortedBy: [SortKey("owner.name"), SortKey("cost")]),
      FetchedSections("owner.name")
    ),
    (FetchRequest("Trip", where: try! QueryPredicate("owner != nil")), nil),
    (
      FetchRequest(
        "Person", where: try! QueryPredicate("ANY friends.age > 50 OR trips.@count > 0")),
      nil
    ),
    (FetchRequest("Person", sortedBy: [SortKey("age")], limit: 3), nil),
  ]

  private static func walk(_ kind: Kind, _ seed: UInt64) throws {
    let graph = try Graph(kind)
    let (context, other) = (graph.context(), graph.context())
    let undo = UndoStack()
    context.undoStack = undo
    context.mergePolicy = .objectWins
    other.mergePolicy = .objectWins
    var work = UndoWork(seed: seed)
    for _ in 0..<10 { try work.turn(in: context) }
    try context.save()
    let followed = try Self.requests.map { request, sections in
      try FetchedResults(request, in: context, sections: sections)
    }
    let count = try LiveResult.count(Self.requests[1].0, in: context)
    var lists = followed.map(\.snapshot)
    for (index, results) in followed.enumerated() {
      results.onChange = { change in
        #expect(change.before == lists[index], "seed \(seed), request \(index)")
        #expect(change.applied() == change.after.identifiers, "seed \(seed), request \(index)")
        #expect(
          change.appliedSections() == change.after.sections.map(\.name),
          "seed \(seed), request \(index)")
        lists[index] = change.after
      }
    }
    for step in 0..<30 {
      switch Int.random(in: 0..<12, using: &work.random) {
      case 0: try context.save()
      case 1: try undo.undo()
      case 2: try undo.redo()
      case 3: context.rollback()
      case 4:
        let child = ManagedObjectContext(parent: context, concurrency: .confined)
        try work.turn(in: child)
        try child.save()
      case 5:
        other.refreshAllObjects()
        if let person = try other.fetch(Person.self).randomElement(using: &work.random) {
          person.age = Int32.random(in: 0..<100, using: &work.random)
          try other.save()
          context.refreshAllObjects()
        }
      default: try work.turn(in: context)
      }
      try context.processPendingChanges()
      for (index, results) in followed.enumerated() {
        var request = results.request
        if let path = results.sectioning?.path, request.sortKeys.first?.path != path {
          request.sortKeys.insert(SortKey(path), at: 0)
        }
        let anew = try FetchedResults(request, in: context, sections: results.sectioning)
        #expect(
          results.snapshot == anew.snapshot && lists[index] == anew.snapshot,
          "seed \(seed), step \(step), request \(index)")
        #expect(try results.snapshot.identifiers == context.fetchIdentifiers(request))
      }
      #expect(
        try count.value == context.count(for: FetchRequest<ManagedObject>(count.request)),
        "seed \(seed), step \(step)")
    }
  }
}

extension Person {
  fileprivate func place(in results: FetchedResults<Person>) -> Int? {
    results.place(of: self)?.index
  }
}

extension FetchedResultsChange {
  /// Returns the list before the change with the reported changes applied.
  func applied() -> [ObjectID] {
    var list = before.identifiers
    var (gone, come): ([Int], [(Int, ObjectID)]) = ([], [])
    for change in objects {
      switch change {
      case .insert(let id, let place): come.append((place.index, id))
      case .delete(_, let place): gone.append(place.index)
      case .move(let id, let from, let to):
        gone.append(from.index)
        come.append((to.index, id))
      case .update(let id, let from, let to):
        if before.identifiers[from.index] != id || after.identifiers[to.index] != id { return [] }
        if before.sections[from.section].name != after.sections[to.section].name { return [] }
      }
    }
    for index in gone.sorted().reversed() { list.remove(at: index) }
    for (index, id) in come.sorted(by: { $0.0 < $1.0 }) { list.insert(id, at: index) }
    return list
  }

  /// Returns the names of the sections before the change with the reported changes applied.
  func appliedSections() -> [String] {
    var names = before.sections.map(\.name)
    for index in deletedSections.reversed() { names.remove(at: index) }
    for index in insertedSections { names.insert(after.sections[index].name, at: index) }
    return names
  }
}
