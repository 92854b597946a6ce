import Documents
import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Work whose instructions `./run count` counts. It runs in a process of its own, which repeats it.
///
/// The count of two repetitions less the count of one is the work itself, without the start of the process and the
/// preparation.
enum CountedWork: String, CaseIterable {
  case insert
  case fetchWhole = "fetch-whole"
  case fetchSnapshots = "fetch-snapshots"
  case filterAndSort = "filter-and-sort"
  case group
  case walk
  case open
  case saveOne = "save-one"
  case saveMany = "save-many"
  case undo
  case saveDocument = "save-document"

  /// The argument by which this program is told to do one of these pieces of work.
  static let argument = "--counted"

  private static let count = 20_000

  /// Prepares the work, and does it the given number of times.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 2, let work = CountedWork(rawValue: arguments[0]),
      let repetitions = Int(arguments[1])
    else {
      print(allCases.map(\.rawValue).joined(separator: "\n"))
      return
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "quire-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "store").path
    ObjectBench.insert(count, at: path)
    let body = try work.prepared(path)
    for _ in 0..<repetitions { try body() }
  }

  /// Returns the work over a store of people at a path.
  private func prepared(_ path: String) throws -> () throws -> Void {
    let context = ObjectBench.open(path)
    switch self {
    case .insert:
      return { ObjectBench.insert(CountedWork.count, at: path + "-new") }
    case .fetchWhole:
      return { precondition(ObjectBench.readAll(ObjectBench.open(path)) != 0) }
    case .fetchSnapshots:
      return { precondition(ObjectBench.readSnapshots(ObjectBench.open(path)) != 0) }
    case .filterAndSort:
      return { precondition(ObjectBench.readHits(context) != 0) }
    case .group:
      return {
        let groups = try context.fetchTable(ObjectBench.groups).rows.count
        precondition(groups > 0)
      }
    case .walk:
      return {
        let context = ObjectBench.open(path)
        let sum = try context.fetch(CompanyObject.self).reduce(0) { sum, company in
          company.people.reduce(sum) { $0 &+ $1.readAll() &+ $1.company!.city.utf8.count }
        }
        precondition(sum != 0)
      }
    case .open:
      let id = try context.fetchIdentifiers(FetchRequest("Person", limit: 1))[0]
      return {
        for _ in 0..<20 {
          let context = ObjectBench.open(path)
          _ = withExtendedLifetime(context) { context.object(with: id)["note"] }
        }
      }
    case .saveOne:
      let people = try context.fetch(PersonObject.self)
      return {
        for person in people.prefix(100) {
          person.balance += 1
          try context.save()
        }
      }
    case .saveMany:
      let people = try context.fetch(PersonObject.self)
      return {
        for person in people.prefix(2000) {
          person.balance += 1
          person.note += "."
        }
        try context.save()
      }
    case .undo:
      let people = try context.fetch(PersonObject.self)
      return {
        for person in people.prefix(2000) { person.balance += 1 }
        try context.processPendingChanges()
        let stack = context.undoStack!
        try stack.undo()
        try stack.redo()
        try stack.undo()
      }
    case .saveDocument:
      let document = try Document.create(
        path + ".quire", model: People.model, in: ObjectBench.places)
      let coordinator = PersistentStoreCoordinator(model: People.model)
      try coordinator.add(document.stores[0])
      let context = ManagedObjectContext(coordinator, concurrency: .confined)
      let company = try context.insert("Company")
      company["name"] = .string("Company")
      var number = 0
      return {
        for _ in 0..<20 {
          number += 1
          company["city"] = .string("City \(number)")
          try context.save()
        }
        _ = document
      }
    }
  }
}
