import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

@Suite("Observers of results")
struct FollowingTests {
  private static func people(_ context: ManagedObjectContext, _ names: String...) throws -> [Person]
  {
    try names.map { name in try context.insert(Person.self) { $0.name = name } }
  }

  private static let byName = FetchRequest(Person.self, sortedBy: [SortKey("name")])

  @Test("A list may change its request while another list is notified, and no change is lost")
  func masterAndDetail() throws {
    let context = try Graph(.memory).context()
    let porto = try context.insert(Trip.self) { $0.name = "Porto" }
    let masters = try FetchedResults(Self.byName, in: context)
    let details = try FetchedResults(
      FetchRequest(Trip.self, sortedBy: [SortKey("name")]), in: context)
    let third = try FetchedResults(Self.byName, in: context)
    var told: [FetchedResultsChange.ObjectChange] = []
    details.onChange = { change in
      #expect(change.applied() == change.after.identifiers)
      told += change.objects
    }
    var lateCount = 0
    var late: FetchedResults<Trip>?
    masters.onChange = { _ in
      #expect(throws: Never.self) {
        try details.change(
          to: FetchRequest(Trip.self, sortedBy: [SortKey("cost"), SortKey("name")]))
        late = try FetchedResults(FetchRequest(Trip.self), in: context)
        late?.onChange = { _ in lateCount += 1 }
      }
    }

    _ = try Self.people(context, "Ada")
    let faro = try context.insert(Trip.self) { $0.name = "Faro" }
    porto.start = Date()
    try context.processPendingChanges()

    #expect(details.map(\.name) == ["Faro", "Porto"] && third.map(\.name) == ["Ada"])
    #expect(late?.count == 2 && lateCount == 0)
    #expect(told.contains { if case .update(porto.objectID, _, _) = $0 { true } else { false } })
    #expect(told.count { if case .insert(faro.objectID, _) = $0 { true } else { false } } == 1)
    try context.save()
    porto.cost = -1
    try context.processPendingChanges()
    #expect(details.map(\.name) == ["Porto", "Faro"] && lateCount > 0)
  }

  private final class Failing: ResultsFollower {
    var failureCount = 0
    var told: [Int] = []
    var asksObjects: Bool { false }
    var asksForSaved: Bool { false }
    func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool { false }
    func follow(_ changes: [ViewChange]) throws {
      told.append(changes.count)
      if failureCount == 0 { return }
      failureCount -= 1
      throw StoreError(.damaged, "It can't follow.")
    }
    func followStores() throws {}
  }

  @Test("An observer that fails stops no further observer, and is updated again")
  func failingFollower() throws {
    let context = try Graph(.memory).context()
    let first = try FetchedResults(Self.byName, in: context)
    let failing = Failing()
    let following = try #require(context.workspace.observation.following)
    following.add(failing)
    let last = try FetchedResults(Self.byName, in: context)
    let count = try LiveResult.count(Self.byName, in: context)
    failing.failureCount = 1

    let ada = try Self.people(context, "Ada")[0]
    try context.processPendingChanges()

    #expect(first.count == 1 && last.count == 1 && count.value == 1)
    #expect(failing.told == [1, 0])
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.code == .unreadable && error?.message.contains("can't follow") ?? false)
    try context.save()
    failing.failureCount = .max
    failing.told = []
    ada.age = 3
    try context.processPendingChanges()
    #expect(failing.told == [1, 0])
  }

  @Test("The streams of a list are in the order of the changes, and end with the list")
  func streamOrder() async throws {
    let context = try Graph(.memory).context()
    var results: FetchedResults<Person>? = try FetchedResults(
      FetchRequest(Person.self), in: context)
    var count: LiveResult<Int>? = try LiveResult.count(FetchRequest(Person.self), in: context)
    let snapshots = try #require(results?.snapshots)
    let changes = try #require(results?.changes)
    let values = try #require(count?.values)
    var isAsked = false
    results?.onChange = { [weak results] _ in
      if isAsked { return }
      isAsked = true
      #expect(throws: Never.self) {
        try results?.change(to: FetchRequest(Person.self, where: QueryPredicate("name == 'Bob'")))
      }
    }
    _ = try Self.people(context, "Ada", "Bob")
    try context.processPendingChanges()
    let last = results?.snapshot
    (results, count) = (nil, nil)

    var seen: [FetchedSnapshot] = []
    for await snapshot in snapshots { seen.append(snapshot) }
    #expect(seen.last == last && seen.map(\.identifiers.count) == [0, 2, 1])
    var told: [Int] = []
    for await change in changes { told.append(change.after.identifiers.count) }
    #expect(told == [2, 1])
    var numbers: [Int] = []
    for await value in values { numbers.append(value) }
    #expect(numbers == [0, 2])
  }

  @Test("Sections contain every object that the request finds", arguments: Kind.allCases)
  func distinct(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    _ = try Self.people(context, "Ada", "Bob", "Cleo")
    var request = FetchRequest(Person.self, sortedBy: [SortKey("age")])
    request.returnsDistinctResults = true
    request.propertiesToGroupBy = ["age"]
    let results = try FetchedResults(request, in: context, sections: FetchedSections("age"))
    #expect(results.count == 3 && results.sections.map(\.count) == [3])
  }

  @Test("A live count of distinct values or groups counts exactly these", arguments: Kind.allCases)
  func countOfValues(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    var different = FetchRequest(Person.self)
    different.resultType = .dictionaries
    different.propertiesToFetch = [FetchedValue("age")]
    different.returnsDistinctResults = true
    var groups = FetchRequest(Person.self)
    groups.resultType = .dictionaries
    groups.propertiesToFetch = [FetchedValue("age")]
    groups.propertiesToGroupBy = ["age"]
    _ = try Self.people(context, "Ada")
    let counts = try [different, groups].map { try LiveResult.count($0, in: context) }
    let bob = try Self.people(context, "Bob")[0]
    try context.processPendingChanges()
    #expect(counts.map(\.value) == [1, 1])
    bob.age = 3
    try context.processPendingChanges()
    #expect(counts.map(\.value) == [2, 2])
    #expect(try counts.map(\.value) == [different, groups].map { try context.count(for: $0) })
  }

  @Test("A live count that depends on the current time counts all objects at one time")
  func oneMoment() throws {
    let context = try Graph(.memory).context()
    let start = Date(timeIntervalSinceNow: 0.5)
    let soon = try context.insert(Trip.self) { $0.start = start }
    let count = try LiveResult.count(
      FetchRequest(Trip.self, where: QueryPredicate("start > now()")), in: context)
    Thread.sleep(until: start.addingTimeInterval(0.1))
    // The count does not check so many insertions one by one.
    for _ in 0..<5000 { try context.insert(Trip.self) }
    try context.processPendingChanges()
    context.delete(soon)
    try context.processPendingChanges()
    #expect(count.value == 0)
  }

  @Test(
    "Lists of several stores exclude unsaved changes on request", arguments: Kind.allCases)
  func savedOnly(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let second = try graph.coordinator.addStore(at: graph.path("/second"), type: kind.type)
    let context = graph.context()
    let ada = try Self.people(context, "Ada")[0]
    try context.insert(Person.self, into: second) { $0.name = "Bob" }
    try context.save()
    context.delete(ada)
    var request = Self.byName
    request.includesPendingChanges = false
    let results = try FetchedResults(request, in: context)
    let count = try LiveResult.count(request, in: context)
    #expect(results.count == 2 && count.value == 2)
    #expect(try results.snapshot.identifiers == context.fetchIdentifiers(request))
    try context.save()
    #expect(results.map(\.name) == ["Bob"] && count.value == 1)
  }

  @Test("A refused request leaves the list and its request unchanged")
  func refusedRequest() throws {
    let context = try Graph(.memory).context()
    _ = try Self.people(context, "Ada", "Bob", "Cleo")
    let others = FetchRequest(
      Person.self, where: try QueryPredicate("name != 'Bob'"), sortedBy: [SortKey("name")])
    let results = try FetchedResults(
      others, in: context,
      sections: FetchedSections("name") { $0.plainText == "Bob" ? "one" : "other" })
    var count = 0
    results.onChange = { _ in count += 1 }
    let before = results.snapshot
    let error = #expect(throws: ContextError.self) { try results.change(to: Self.byName) }
    #expect(error?.code == .notSupported)
    #expect(throws: QueryError.self) {
      try results.change(to: FetchRequest(Person.self, sortedBy: [SortKey("nothing")]))
    }
    #expect(results.snapshot == before && results.request == others && count == 0)
    _ = try Self.people(context, "Dora", "Bob")
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada", "Cleo", "Dora"] && count == 1)
  }

  @Test("Lists follow stores that are added, moved or removed", arguments: Kind.allCases)
  func otherStores(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    _ = try Self.people(context, "Ada")
    try context.save()
    let results = try FetchedResults(Self.byName, in: context)
    let count = try LiveResult.count(Self.byName, in: context)
    var told: [FetchedResultsChange] = []
    results.onChange = { told.append($0) }

    let second = try graph.coordinator.addStore(at: graph.path("/second"), type: kind.type)
    try context.insert(Person.self, into: second) { $0.name = "Bob" }
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada", "Bob"] && count.value == 2)
    #expect(told.last?.applied() == results.snapshot.identifiers)
    try context.save()

    let moved = try graph.coordinator.migrate(second, to: graph.path("/third"), type: .binary)
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada", "Bob"] && count.value == 2)
    #expect(results.snapshot.identifiers.last?.store == moved.tag)
    #expect(told.last?.applied() == results.snapshot.identifiers)
    let other = graph.context()
    try other.fetch(Person.self, where: QueryPredicate("name == 'Bob'"))[0].name = "Bert"
    try other.save()
    context.refreshAllObjects()
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada", "Bert"])

    try graph.coordinator.remove(moved)
    try context.processPendingChanges()
    #expect(results.map(\.name) == ["Ada"] && count.value == 1)
  }

  @Test("A list evaluates a change only for the changed objects")
  func cost() throws {
    let context = try Graph(.memory).context()
    let all = try (0..<2000).map { number in
      try context.insert(Person.self) { $0.name = "P\(number)" }
    }
    try context.save()
    let asked = Mutex(0)
    // A full search computes the name of a section once for each value.
    let results = try FetchedResults(
      Self.byName, in: context,
      sections: FetchedSections("name") { name in
        asked.withLock { $0 += 1 }
        return name.plainText
      })
    #expect(asked.withLock { $0 } == 2000)
    asked.withLock { $0 = 0 }
    for (index, name) in ["P17", "Q", "A"].enumerated() {
      all[index].name = name
      all[index + 100].age += 1
      context.delete(all[index + 200])
      _ = try Self.people(context, "N\(index)")
      try context.processPendingChanges()
    }
    try context.save()
    #expect(asked.withLock { $0 } < 30 && results.count == 2000)
  }

  @Test("The program stops if a list of a private queue is read outside of its turn")
  func place() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = ManagedObjectContext(try Graph(.memory).coordinator)
      let results = try context.performAndWait {
        try FetchedResults(FetchRequest(Person.self), in: context)
      }
      _ = results.count
    }
    #expect(MisuseTests.text(result).contains("was used on the wrong thread."))
  }

  @Test("A new list is current after all earlier lists have ended", arguments: Kind.allCases)
  func followedAgain(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let ada = try Self.people(context, "Ada")[0]
    try context.save()
    var first: FetchedResults<Person>? = try FetchedResults(Self.byName, in: context)
    #expect(first?.map(\.name) == ["Ada"])
    first = nil
    _ = try Self.people(context, "Bob")
    context.delete(ada)
    try context.save()
    #expect(context.workspace.observation.following == nil)

    let again = try FetchedResults(Self.byName, in: context)
    let count = try LiveResult.count(
      FetchRequest(Person.self, where: QueryPredicate("name == 'Ada'")), in: context)
    #expect(again.map(\.name) == ["Bob"] && count.value == 0)
    _ = try Self.people(context, "Ada")
    try context.processPendingChanges()
    #expect(again.map(\.name) == ["Ada", "Bob"] && count.value == 1)
  }

  @Test("A new list is current if an earlier list ends in the same turn", arguments: Kind.allCases)
  func followedAtOnce(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    var first: FetchedResults<Person>? = try FetchedResults(Self.byName, in: context)
    #expect(first?.isEmpty ?? false)
    _ = try Self.people(context, "Bob")
    first = nil
    let again = try FetchedResults(Self.byName, in: context)
    #expect(again.map(\.name) == ["Bob"])
  }
}
