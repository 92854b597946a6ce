import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface
import Synchronization
import Testing

@Suite(
  "Unique values that several programs save at once",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(20)))
struct UniquenessTests {
  private let places = StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk())

  private func model() throws -> Model {
    var person = Entity("Person")
    person.declaredProperties = [
      .attribute(Attribute("email", .string)), .attribute(Attribute("count", .int64)),
    ]
    person.uniquenessConstraints = [["email"]]
    return try Model(entities: [person])
  }

  /// Lets several programs insert objects with the same values at once.
  ///
  /// - Returns: The numbers of saves and of refused saves.
  private func race(
    _ address: String, _ policy: MergePolicy
  ) throws -> (saved: Int, refused: Int) {
    let model = try model()
    let counts = Mutex((saved: 0, refused: 0))
    let containers = try (0..<4).map { _ in
      try PersistentContainer(model, at: address, places: places)
    }
    DispatchQueue.concurrentPerform(iterations: containers.count) { index in
      let context = containers[index].newBackgroundContext()
      for number in 0..<15 {
        context.performAndWait {
          context.mergePolicy = policy
          do {
            let person = try context.insert("Person")
            person["email"] = .string("\(number)@example.org")
            person["count"] = .integer(Int64(index))
            try context.save()
            counts.withLock { $0.saved += 1 }
          } catch let error as ContextError where !error.constraintConflicts.isEmpty {
            counts.withLock { $0.refused += 1 }
            context.rollback()
          } catch { Issue.record("\(error)") }
        }
      }
    }
    return counts.withLock { $0 }
  }

  private func values(_ address: String) throws -> [String] {
    let container = try PersistentContainer(model(), at: address, places: places)
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      try context.fetch(FetchRequest<ManagedObject>("Person")).map { "\($0["email"])" }
    }
  }

  @Test("Of several programs that save the same value, one succeeds and the others have a conflict")
  func conflicts() throws {
    let site = try StoreSite()
    try site.create(model()).close()

    let counts = try race(site.address, .error)

    let found = try values(site.address)
    #expect(found.count == 15 && Set(found).count == 15)
    #expect(counts.saved == 15 && counts.refused == 45)
  }

  @Test("A merge policy merges the object of another program, and no value exists twice")
  func merges() throws {
    let site = try StoreSite()
    try site.create(model()).close()

    let counts = try race(site.address, .objectWins)

    let found = try values(site.address)
    #expect(found.count == 15 && Set(found).count == 15)
    #expect(counts.saved == 60)
  }

  @Test("Two programs exchange unique values in one save")
  func exchange() throws {
    let site = try StoreSite()
    try site.create(model()).close()
    let container = try PersistentContainer(model(), at: site.address, places: places)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let (one, other) = (try context.insert("Person"), try context.insert("Person"))
      (one["email"], other["email"]) = (.string("a"), .string("b"))
      try context.save()
      (one["email"], other["email"]) = (.string("b"), .string("a"))
      try context.save()
    }
    #expect(try values(site.address).count == 2)
  }
}
