import Dispatch
import Foundation
import ObjectGraph
import Testing

/// Saves by another context after a save has prepared its changes and before it commits them.
@Suite("Saves that are overtaken")
struct OvertakenTests {
  /// Saves a context while another context of the coordinator saves first, up to five times.
  ///
  /// - Parameter onThread: Whether the other context saves on a thread of its own. The first save waits a
  ///   moment for it.
  /// - Returns: The number of attempts of the first save.
  private func attempts(_ graph: Graph, onThread: Bool) throws -> Int {
    let one = graph.context()
    let other = ManagedObjectContext(
      graph.coordinator, concurrency: onThread ? .privateQueue : .confined)
    try one.insert(Person.self) { $0.name = "one" }
    @Sendable func overtake() throws {
      try other.performAndWait {
        try other.insert(Person.self) { $0.name = "other" }
        try other.save()
      }
    }
    let running = DispatchGroup()
    let count = try overtaking(
      one, times: 5,
      by: {
        guard onThread else { return try overtake() }
        guard running.wait(timeout: .now()) == .success else { return }
        running.enter()
        Thread.detachNewThread {
          do { try overtake() } catch { Issue.record(error) }
          running.leave()
        }
        // If the other save takes longer than 200 ms, it is waiting for the save of `one`.
        _ = running.wait(timeout: .now() + .milliseconds(200))
      },
      during: { try one.save() })
    running.wait()
    return count
  }

  @Test(
    "A save that is overtaken repeatedly comes first, and the other saves follow",
    arguments: Kind.allCases)
  func givenWay(_ kind: Kind) throws {
    let graph = try Graph(kind)
    // If no save gave way, the sixth attempt would succeed, because five saves come first.
    #expect(try attempts(graph, onThread: true) < 6)
    let names = try graph.context().fetch(Person.self).map(\.name)
    #expect(names.count { $0 == "one" } == 1 && names.count { $0 == "other" } >= 1)
  }

  @Test("A save within another save of the same thread comes first", arguments: Kind.allCases)
  func within(_ kind: Kind) throws {
    let graph = try Graph(kind)
    #expect(try attempts(graph, onThread: false) == 6)
    #expect(try graph.context().fetch(Person.self).count == 6)
  }

  @Test(
    "A save is retried after each save of another coordinator, as after one of another process",
    arguments: Kind.files)
  func otherCoordinator(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (
      graph.context(), ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    )
    try one.insert(Person.self) { $0.name = "one" }

    let attempts = try overtaking(
      one, times: 5,
      by: {
        try other.insert(Person.self) { $0.name = "other" }
        try other.save()
      },
      during: { try one.save() })

    #expect(attempts == 6)
    #expect(try graph.context().fetch(Person.self).count == 6)
  }

  @Test(
    "A save is refused if its unique value was saved meanwhile", arguments: Kind.allCases)
  func uniqueness(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(passport: "mine", number: "7")
      s.outside.insert(passport: "theirs", number: "7")
      s.one.save(expecting: .sharedValue("mine"), overtakenBy: { s.outside.save() })

      s.one.expectChanges().step("expect one insertion") { context in
        let count = context.insertedObjects.count
        if count != 1 { throw StepFailure("There are \(count).") }
      }
      s.store.contains(passport: ["theirs"]).expect("theirs", number: "7")
      s.one.set("mine", number: "8").save()
      s.store.contains(passport: ["mine", "theirs"])
    }
  }

  @Test(
    "A save clears a reference to an object that another context has deleted meanwhile",
    arguments: Kind.allCases)
  func deletion(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").save()
      s.one.insert("trip", owner: "ada", members: ["ada", "bob"])
      s.one.save(attempts: 2, overtakenBy: { s.outside.delete("ada").save() })

      s.one.expect("trip", owner: nil, members: ["bob"])
      s.store.contains(trip: ["trip"]).expect("trip", owner: nil, members: ["bob"])
    }
  }

  @Test(
    "A deletion includes objects that another context adds meanwhile", arguments: Kind.allCases
  )
  func member(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(trip: "coast").insert(person: "ada").insert(trip: "hills").save()
      s.one.expect("hills", owner: nil).delete("coast", "ada")
      s.one.save(overtakenBy: {
        s.outside.insert("stop", trip: "coast").set("hills", owner: "ada").save()
      })

      s.store.contains(stop: [], trip: [], person: [])
    }
  }

  @Test(
    "The merge policy resolves a conflict with a save that came first", arguments: Kind.allCases)
  func conflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").save()
      s.one.policy(.storeWins).set("ada", name: "mine", age: 7)
      s.one.save(overtakenBy: { s.outside.set("ada", name: "theirs").save() })

      s.one.expect("ada", name: "theirs", age: 7)
      s.store.contains(person: ["ada"]).expect("ada", name: "theirs", age: 7)
    }
  }

  @Test(
    "A save of unrelated objects needs no second attempt",
    arguments: Kind.allCases)
  func unrelated(_ kind: Kind) throws {
    try scenario(kind) { s in
      let numbers = ["1", "2", "3"]
      s.one.insert("stop")
      s.one.save(
        attempts: 1,
        overtakenBy: {
          for number in numbers { s.outside.insert(passport: .text(number)).save() }
        })

      s.store.contains(passport: ["1", "2", "3"], stop: ["stop"])
      s.one.expectCount("Passport", 3)
    }
  }

  @Test(
    "A save that is overtaken calls willSave again, and didSave once", arguments: Kind.allCases)
  func hooks(_ kind: Kind) throws {
    let graph = try Graph(kind, model: HookTests.model, classes: [Diarist.self])
    let (one, other) = (graph.context(), graph.context())
    let name = "\(#function) \(kind) overtaken"
    (one.name, one.mergePolicy) = (name, .storeWins)
    let mine = try one.insert(Diarist.self)
    try one.save()
    _ = Diary.shared.take(name)
    mine.text = "mine"

    let attempts = try overtaking(
      one,
      by: {
        let theirs = try #require(try other.existingObject(with: mine.objectID) as? Diarist)
        theirs.count = 7
        try other.save()
      },
      during: { try one.save() })

    #expect(attempts == 2)
    let events = Diary.shared.take(name).filter { $0.hasSuffix("Save") }
    #expect(events == ["willSave", "willSave", "didSave"])
    #expect(mine.text == "mine" && mine.count == 7)
  }

  @Test(
    "A pinned context is compared with the newest commit when it saves", arguments: Kind.allCases)
  func pinned(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").save().pin()
      s.two.insert(passport: "theirs", number: "7").save()
      s.one.insert(passport: "mine", number: "7").save(expecting: .sharedValue("mine"))

      s.one.set("mine", number: "8", holder: "ada").save()
      s.one.contains(passport: ["theirs", "mine"])
      s.two.insert(passport: "third", number: "9").save()
      s.one.expectCount("Passport", 2)
    }
  }
}
