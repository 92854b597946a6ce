import Dispatch
import Foundation
import ObjectQuery
import Rows
import Synchronization
import Testing

@testable import ObjectGraph

/// Objects that one thread hands to another thread.
private final class Box: @unchecked Sendable {
  // Sendable: only one thread at a time uses the objects, unless it only reads them and their context is gone.
  var people: [Person]
  init(_ people: [Person]) { self.people = people }
}

@Suite("The lifetime of the rows of objects")
struct SourceTests {
  /// Returns a context that has fetched a hundred people.
  private func find(_ people: inout [Person]) throws -> ManagedObjectContext {
    let graph = try Graph(.binary)
    let writer = graph.context()
    for number in 0..<100 { try writer.insert(Person.self) { $0.name = "Person \(number)" } }
    try writer.save()
    let context = graph.context()
    people = try context.fetch(Person.self)
    return context
  }

  private func forgetSources(of context: ManagedObjectContext) {
    for state in context.workspace.drafts.states {
      for entity in state.knownEntities { entity.forgetSources() }
    }
  }

  @Test("Rows live as long as an object refers to them, until a sweep of their context")
  func swept() throws {
    var people: [Person] = []
    let context = try find(&people)
    weak let source = people[0].source
    forgetSources(of: context)
    people.removeLast(99)
    context.workspace.sweep()
    #expect(source != nil && people[0].name == "Person 0")

    people = []
    context.workspace.sweep()

    #expect(source == nil)
  }

  @Test(
    "Rows that one fetch has merged are released after many more fetches", arguments: Kind.allCases)
  func gathered(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    for number in 0..<200 { try context.insert(Person.self) { $0.name = "Person \(number)" } }
    try context.save()
    for person in try context.fetch(Person.self) { person.age += 1 }
    var most = 0
    for _ in 0..<1500 {
      _ = try context.fetch(Person.self)
      most = max(
        most,
        context.workspace.drafts.states.flatMap(\.knownEntities).map(\.sources.count).max() ?? 0
      )
    }
    #expect(most < 1000)
    #expect(try context.fetch(Person.self).allSatisfy { $0.age == 1 })
  }

  @Test(
    "Inserted rows are read from their blocks once they are frozen",
    arguments: [1, 2, Draft.maximumRowCount, 2 * Draft.maximumRowCount + 10], [false, true])
  func frozen(_ count: Int, removing removes: Bool) throws {
    let graph = try Graph(.binary)
    let context = graph.context()
    var people: [Person] = []
    for number in 0..<count {
      people.append(
        try context.insert(Person.self) {
          $0.name = number.isMultiple(of: 3) ? "" : "Person \(number)"
          $0.age = Int32(number % 100)
        })
    }
    if removes { context.delete(people.removeFirst()) }
    let last = people.last
    try context.processPendingChanges()

    #expect(people.allSatisfy { $0.source.draft == nil })
    for step in 0..<3 {
      for (index, person) in people.enumerated() {
        let number = index + (removes ? 1 : 0)
        let name = number.isMultiple(of: 3) ? "" : "Person \(number)"
        guard person.name == name, person.age == Int32(number % 100) || person === last else {
          Issue.record("In step \(step), person \(number) is \(person.name), \(person.age).")
          break
        }
      }
      #expect(last.map { $0.age == Int32((count - 1) % 100 + step) } ?? true)
      last?.age += 1
      try context.save()
    }
    #expect(try graph.context().fetch(Person.self).count == people.count)
  }

  @Test(
    "The first read shows the row to which the object's hook has moved it",
    arguments: Kind.allCases)
  func movedByHook(_ kind: Kind) throws {
    let graph = try Graph(kind, model: HookTests.model, classes: [Diarist.self])
    let writer = graph.context()
    let parents = try (0..<2).map { _ in try writer.insert(Diarist.self) { $0.text = "parent" } }
    let children = try (0..<3).map { _ in
      try writer.insert(Diarist.self) {
        $0.text = "old"
        $0.parent = parents[0]
      }
    }
    try writer.save()
    let context = graph.context()
    context.name = "\(#function) \(kind)"
    let found = try context.fetch(Diarist.self, where: QueryPredicate("text == 'old'"))
    for child in children {
      child.parent = parents[1]
      child.text = "new"
    }
    try writer.save()
    var moves = 0
    Diarist.lock.withLock {
      for object in found {
        Diarist.reactions[object.objectID] = { event, object in
          guard event == "fetch" else { return }
          moves += 1
          context.refresh(object, mergeChanges: false)
          forgetSources(of: context)
        }
      }
    }
    defer {
      let gone = Diarist.lock.withLock {
        found.map { Diarist.reactions.removeValue(forKey: $0.objectID) }
      }
      withExtendedLifetime(gone) {}
      _ = Diary.shared.take(context.name ?? "")
    }

    // The first access is a reference, a text, or a change.
    #expect(found[0].parent?.objectID == parents[1].objectID)
    #expect(found[1].text == "new")
    found[2].count = 7
    #expect(moves == 3)
    try context.save()
    writer.refreshAllObjects()
    #expect(children.map(\.count) == found.map { $0 === found[2] ? 7 : 0 })
  }

  @Test("Refreshed objects release their former rows")
  func changed() throws {
    var people: [Person] = []
    let context = try find(&people)
    weak let source = people[0].source
    for person in people { context.refresh(person, mergeChanges: false) }
    forgetSources(of: context)

    #expect(source == nil && people.map(\.name).contains("Person 99"))
    try #expect(context.fetch(Person.self).count == 100)
  }

  @Test("Objects that outlive their context may be released on any thread, all at once")
  func orphans() throws {
    weak var source: RowSource?
    func work() throws -> [Box] {
      var people: [Person] = []
      let context = try find(&people)
      source = people[0].source
      people[3].name = "Changed"
      context.delete(people[4])
      try context.save()
      people[5].name = "Not saved"
      return people.prefix(64).map { Box([$0]) }
    }
    let boxes = try work()
    #expect(source != nil && boxes[3].people[0].name == "Changed")
    #expect(boxes[5].people[0].name == "Not saved" && boxes[6].people[0].name == "Person 6")
    for number in 3...6 { boxes[number].people[0].name = "Too late" }
    #expect(boxes[3].people[0].name == "Changed")
    #expect(boxes[5].people[0].name == "Not saved" && boxes[6].people[0].name == "Person 6")

    DispatchQueue.concurrentPerform(iterations: boxes.count) { boxes[$0].people = [] }

    #expect(source == nil)
  }

  @Test("Threads may read the same objects after their context has ended, and keep nothing")
  func readOrphans() throws {
    func work() throws -> Box {
      var people: [Person] = []
      let context = try find(&people)
      people[5].age = 7
      try context.processPendingChanges()
      return Box(people)
    }
    let box = try work()
    let names = Set((0..<100).map { "Person \($0)" })
    let wrong = Atomic(0)
    #expect(box.people[6].isFault && box.people[6].managedObjectContext == nil)

    // The thread of the context is one of these threads.
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<20 {
        let hasAll = Set(box.people.map(\.name)) == names
        let isAlone = box.people.allSatisfy { $0.passport == nil }
        let changed = box.people[5]
        let isChanged = changed.age == 7 && changed.changedValues().keys.sorted() == ["age"]
        if !hasAll || !isAlone || !isChanged { wrong.add(1, ordering: .relaxed) }
      }
    }

    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(box.people[6].isFault)
    #expect(!box.people[6].source.isCurrent)
  }

  @Test("Objects that leave the table of a living context may be released on any thread")
  func deleted() throws {
    var people: [Person] = []
    let context = try find(&people)
    weak let source = people[0].source
    for person in people { context.delete(person) }
    try context.save()
    forgetSources(of: context)
    #expect(source != nil && people[7].isGone)

    let box = Box(people)
    people = []
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      box.people = []
      isDone.signal()
    }.start()
    isDone.wait()

    #expect(source == nil)
  }
}
