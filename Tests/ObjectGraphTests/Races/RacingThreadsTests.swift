import Dispatch
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

/// Contexts of several coordinators over one file, on several threads, that all make the same changes.
@Suite("Saves that race")
struct RacingThreadsTests {
  /// Runs `body` on several threads at once, each with a coordinator of its own, and returns the thrown errors.
  private func race(
    _ graph: RealGraph, threads count: Int,
    _ body: @escaping @Sendable (Int, ManagedObjectContext) throws -> Void
  ) throws -> [String] {
    let coordinators = try (0..<count).map { _ in try graph.opened() }
    let errors = Mutex<[String]>([])
    let threads = DispatchGroup()
    for number in 0..<count {
      DispatchQueue.global().async(group: threads) {
        let context = ManagedObjectContext(coordinators[number])
        do {
          try context.performAndWait { try body(number, context) }
        } catch { errors.withLock { $0.append("\(number): \(error)") } }
      }
    }
    threads.wait()
    return errors.withLock { $0 }
  }

  @Test(
    "One of several threads that save the same unique value succeeds", arguments: Kind.allCases)
  func uniqueness(_ kind: Kind) throws {
    let graph = try RealGraph(kind)
    defer { graph.remove() }
    let winners = Mutex<[String: [Int]]>([:])
    let errors = try race(graph, threads: 4) { thread, context in
      for round in 0..<12 {
        let passport = try context.insert(Passport.self) { $0.number = "\(round)" }
        do {
          try context.save()
          winners.withLock { $0["\(round)", default: []].append(thread) }
        } catch let error as ContextError where error.constraintConflicts.count == 1 {
          context.delete(passport)
          try context.save()
        }
      }
    }

    #expect(errors == [])
    let fresh = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    let numbers = try fresh.fetch(Passport.self).map(\.number)
    #expect(Set(numbers) == Set((0..<12).map { "\($0)" }) && numbers.count == 12)
    #expect(winners.withLock { $0.values.allSatisfy { $0.count == 1 } && $0.count == 12 })
  }

  @Test(
    "Both ends of one-to-one relationships agree after several threads set and delete them",
    arguments: Kind.allCases)
  func oneToOne(_ kind: Kind) throws {
    let graph = try RealGraph(kind)
    defer { graph.remove() }
    let setUp = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    for number in 0..<4 {
      try setUp.insert(Person.self) { $0.name = "P\(number)" }
      try setUp.insert(Passport.self) { $0.number = "\(number)" }
      try setUp.insert(Trip.self) { $0.name = "T\(number)" }
    }
    try setUp.save()
    let errors = try race(graph, threads: 4) { thread, context in
      context.mergePolicy = thread % 2 == 0 ? .objectWins : .storeWins
      for round in 0..<12 {
        let people = try context.fetch(Person.self, sortedBy: [SortKey("name")])
        let passports = try context.fetch(Passport.self, sortedBy: [SortKey("number")])
        let trips = try context.fetch(Trip.self, sortedBy: [SortKey("name")])
        if let person = people[safe: (thread + round) % 4] {
          person.passport = passports[safe: (thread * round) % 4]
          trips[safe: round % 4]?.owner = person
          trips[safe: thread % 4]?.members = RelatedObjects(people)
        }
        if round % 5 == 4, let doomed = people[safe: thread] {
          context.delete(doomed)
          try context.insert(Person.self) { $0.name = "P\(thread)" }
          try context.insert(Passport.self) { $0.number = "\(thread)-\(round)" }
        }
        if round % 4 == 3 { try context.insert(Trip.self) { $0.name = "T\(thread)\(round)" } }
        try context.save()
      }
    }

    #expect(errors == [])
    let fresh = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension ManagedObjectContext {
  /// Returns the references between trips, stops, people and passports that refer to a missing object or lack the
  /// inverse reference.
  func disagreements() throws -> [String] {
    var found: [String] = []
    for person in try fetch(Person.self) {
      if person["passport"] != .null, person.passport?.holder != person {
        found.append(
          "\(person.name) has \(person["passport"].text), which is another's or nobody's")
      }
    }
    for passport in try fetch(Passport.self)
    where passport["holder"] != .null && passport.holder?.passport != passport {
      found.append("\(passport.number) is of \(passport["holder"].text), who has another or none")
    }
    let people = Set(try fetch(Person.self))
    for trip in try fetch(Trip.self) {
      if trip["owner"] != .null, trip.owner.map({ !people.contains($0) }) ?? true {
        found.append("\(trip.name) is owned by \(trip["owner"].text), who is nowhere")
      }
      for member in trip.members where !people.contains(member) {
        found.append("\(trip.name) has a member \(member.objectID.uri), who is nowhere")
      }
    }
    let trips = Set(try fetch(Trip.self))
    for stop in try fetch(Stop.self)
    where stop["trip"] != .null && stop.trip.map({ !trips.contains($0) }) ?? true {
      found.append("\(stop.place) is of \(stop["trip"].text), which is nowhere")
    }
    return found
  }
}
