import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Synchronization
import Testing

@Suite("Contexts on many threads")
struct ConcurrencyTests {
  @Test(
    "Many contexts insert, change, relate, delete, merge and save at once, and nothing is lost",
    arguments: Kind.allCases)
  func manyContexts(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let errors = Mutex<[String]>([])
    let kept = Mutex<[ObjectID: Int32]>([:])
    let threads = DispatchGroup()
    for number in 0..<4 {
      DispatchQueue.global().async(group: threads) {
        let context = ManagedObjectContext(graph.coordinator)
        context.automaticallyMergesChangesFromParent = number % 2 == 0
        context.mergePolicy = number < 2 ? .objectWins : .storeWins
        let child = ManagedObjectContext(parent: context)
        var random = SeededGenerator(seed: UInt64(number))
        for round in 0..<25 {
          do {
            let working = round % 3 == 0 ? child : context
            let added: [ObjectID: Int32] = try working.performAndWait {
              var mine: [ObjectID: Int32] = [:]
              for place in 0..<4 {
                let age = Int32.random(in: 0...100, using: &random)
                let person = try working.insert(Person.self) {
                  $0.name = "\(number)-\(round)-\(place)"
                  $0.age = age
                }
                let trip = try working.insert(Trip.self) {
                  $0.name = person.name
                  $0.owner = person
                }
                trip.members = [person]
                mine[person.objectID] = age
              }
              let own = try working.fetch(
                Person.self, where: try QueryPredicate("name BEGINSWITH %@", "\(number)-"))
              if own.count > 20, let doomed = own.randomElement(using: &random) {
                working.delete(doomed)
                mine[doomed.objectID] = -1
              }
              try working.save()
              return mine
            }
            if working === child { try context.performAndWait { try context.save() } }
            kept.withLock { all in
              for (id, age) in added { all[id] = age < 0 ? nil : age }
            }
          } catch { errors.withLock { $0.append("\(number)/\(round): \(error)") } }
        }
      }
    }
    threads.wait()

    #expect(errors.withLock { $0 } == [])
    let context = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let people = try context.fetch(Person.self)
    let found = Dictionary(uniqueKeysWithValues: people.map { ($0.objectID, $0.age) })
    #expect(found == kept.withLock { $0 })
    #expect(people.allSatisfy { $0.trips.count == 1 && Array($0.joined) == Array($0.trips) })
  }

  @Test("Any thread may release objects while their context is in use", arguments: Kind.allCases)
  func droppedAnywhere(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = ManagedObjectContext(graph.coordinator)
    try context.performAndWait {
      for number in 0..<200 { try context.insert(Person.self) { $0.name = "\(number)" } }
      try context.save()
    }
    let group = DispatchGroup()
    for _ in 0..<60 {
      // Sendable: the threads only release the objects and never use them.
      nonisolated(unsafe) var objects: [Person]? = try context.performAndWait {
        try context.fetch(Person.self)
      }
      let box = Dropping(objects!)
      objects = nil
      DispatchQueue.global().async(group: group) { box.drop() }
      context.performAndWait { _ = context.registeredObjects.count }
    }
    group.wait()

    context.performAndWait { #expect(context.registeredObjects.isEmpty) }
  }

  @Test("Objects outlive their context and may be released after it", arguments: Kind.allCases)
  func orphans(_ kind: Kind) throws {
    let graph = try Graph(kind)
    var context: ManagedObjectContext? = graph.context()
    let ada = try context!.insert(Person.self) { $0.name = "Ada" }
    try context!.save()
    let bob = try context!.insert(Person.self) { $0.name = "Bob" }
    context = nil

    #expect(ada.managedObjectContext == nil && ada.name == "Ada" && bob.name == "Bob")
    #expect(ada.trips.isEmpty && ada.passport == nil)
  }

  @Test(
    "Objects that the program holds outlive a reset of their context, and then the context",
    arguments: Kind.allCases)
  func heldThroughReset(_ kind: Kind) throws {
    let graph = try Graph(kind)
    var context: ManagedObjectContext? = graph.context()
    let ada = try context!.insert(Person.self) { $0.name = "Ada" }
    try context!.save()
    context!.reset()
    #expect(try context!.fetch(Person.self).map(\.name) == ["Ada"])
    context = nil

    #expect(!ada.isDeleted && ada.trips.isEmpty && ada.managedObjectContext == nil)
  }

  @Test("A context that ends is deallocated together with its objects", arguments: Kind.allCases)
  func nothingLeaks(_ kind: Kind) throws {
    let graph = try Graph(kind)
    weak var gone: ManagedObjectContext?
    weak var object: Person?
    weak var deleted: Person?
    weak var fault: Trip?
    func work() throws {
      let context = graph.context()
      gone = context
      let ada = try context.insert(Person.self) { $0.name = "Ada" }
      try context.insert(Trip.self) {
        $0.name = "Faro"
        $0.owner = ada
      }
      try context.save()
      let other = graph.context()
      object = try other.fetch(Person.self).first
      fault = object?.trips.first
      deleted = ada
      context.delete(ada)
    }
    try work()

    #expect(gone == nil && object == nil && deleted == nil && fault == nil)
  }

  @Test("Any thread may read and set the settings of a context")
  func settings() throws {
    let context = ManagedObjectContext(try Graph(.memory).coordinator)
    DispatchQueue.concurrentPerform(iterations: 2000) { number in
      let text = "A text that needs memory of its own: \(number)"
      context.transactionAuthor = text
      context.transactionMessage = context.transactionAuthor
      context.userInfo = ["text": text, "reader": Reader(context)]
      if number % 2 == 0 { context.mergePolicy = .objectWins }
      _ = (context.userInfo["text"], context.name, context.retainsRegisteredObjects)
    }
    #expect(context.transactionMessage?.hasPrefix("A text") == true)
    #expect((context.userInfo["text"] as? String)?.hasPrefix("A text") == true)
    context.userInfo = [:]
  }
}

/// A value that reads a setting of its context when it ends.
private final class Reader: Sendable {
  let context: ManagedObjectContext
  init(_ context: ManagedObjectContext) { self.context = context }
  deinit { _ = context.name }
}

/// Objects that another thread is to release.
private final class Dropping: @unchecked Sendable {
  // Sendable: no thread reads the objects.
  private var objects: [Person]
  init(_ objects: [Person]) { self.objects = objects }
  func drop() { objects = [] }
}
