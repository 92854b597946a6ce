import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import SeededRandom
import StoreInterface
import TestEffort
import Testing

/// Heads of one document, changed, merged into each other and thinned in any order, beside a model in dictionaries that
/// forgets nothing.
@Suite("Random merges of heads")
struct HeadRandomTests {
  private let disk = SimulatedDisk()
  private var places: StorePlaces { StorePlaces(.builtIn, on: disk) }
  private static let path = "/Notes.quire"

  /// The properties of the objects, by their `id`.
  private typealias World = [Int64: [String: Value]]

  /// Everything that the naive model knows.
  private struct Naive {
    var heads: [String: Int64] = [:]
    var worlds: [Int64: World] = [:]
    var parents: [Int64: [Int64]] = [:]
    var nextID: Int64 = 1

    mutating func save(_ number: Int64, on head: String, _ world: World, merging: [Int64] = []) {
      guard number != heads[head] else { return }
      parents[number] = [heads[head]].compactMap(\.self) + merging
      worlds[number] = world
      heads[head] = number
    }

    func ancestors(_ number: Int64) -> Set<Int64> {
      (parents[number] ?? []).reduce(into: [number]) { $0.formUnion(ancestors($1)) }
    }

    /// The world of one head with the changes of a second head. One of them wins all conflicts.
    func merged(_ theirs: String, into ours: String, _ winner: MergeSide) -> World {
      let (own, other) = (heads[ours]!, heads[theirs]!)
      let base = worlds[ancestors(own).intersection(ancestors(other)).max()!]!
      let (one, two) = (worlds[own]!, worlds[other]!)
      var result: World = [:]
      for id in Set(base.keys).union(one.keys).union(two.keys) {
        let (before, a, b) = (base[id], one[id], two[id])
        if b == before || a == b {
          result[id] = a
        } else if a == before {
          result[id] = b
        } else if let before, let a, let b {
          result[id] = Dictionary(
            uniqueKeysWithValues: before.keys.map { name in
              let mine = b[name] == before[name] || (a[name] != before[name] && winner == .ours)
              return (name, mine ? a[name]! : b[name]!)
            })
        } else {
          result[id] = winner == .ours ? a : b
        }
      }
      return result
    }
  }

  private func context(_ document: Document) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: try document.model)
    for store in document.stores { try coordinator.add(store) }
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  private static let names = ["id", "title", "stars"]

  private func values(_ object: ManagedObject) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: Self.names.map { ($0, object[$0]) })
  }

  private func world(_ context: ManagedObjectContext) throws -> World {
    var world: World = [:]
    for object in try context.fetch(FetchRequest<ManagedObject>("Note")) {
      guard case .integer(let id) = object["id"] else { continue }
      world[id] = values(object)
    }
    return world
  }

  private func on<R>(_ head: String, _ body: (Document) throws -> R) throws -> R {
    let document = try Document.open(Self.path, in: places, head: head)
    defer { try? document.close() }
    return try body(document)
  }

  private func change(_ document: Document, _ naive: inout Naive, _ random: inout SeededGenerator)
    throws
  {
    let context = try context(document)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let objects = try context.fetch(FetchRequest<ManagedObject>("Note")).sorted {
        "\(values($0)["id"]!)" < "\(values($1)["id"]!)"
      }
      let object = objects.randomElement(using: &random)
      switch (Int.random(in: 0..<6, using: &random), object) {
      case (0, let object?): context.delete(object)
      case (1...3, let object?):
        object.setValue(
          [.null, .string("a"), .string("b")].randomElement(using: &random)!, forKey: "title")
      case (4, let object?):
        object.setValue(.integer(Int64.random(in: 0..<3, using: &random)), forKey: "stars")
      default:
        try context.insert("Note").setValue(.integer(naive.nextID), forKey: "id")
        naive.nextID += 1
      }
    }
    guard context.hasChanges else { return }
    try context.save()
    naive.save(document.versions.last!.number, on: document.head, try world(context))
  }

  @Test(
    "All heads agree with a naive model after any work, and with each other in the end",
    arguments: Effort.seeds(40))
  func agreement(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("id", .int64)), .attribute(Attribute("title", .string)),
        .attribute(Attribute("stars", .int64)),
      ])
    try Document.create(Self.path, model: Model(entities: [note]), in: places).close()
    var naive = Naive()
    try on("main") { naive.save($0.versions.last!.number, on: "main", [:]) }
    var mergeCount = 0
    func merge(_ other: String, into head: String, _ winner: MergeSide) throws {
      let (expected, number) = (naive.merged(other, into: head, winner), naive.heads[other]!)
      try on(head) { document in
        try document.merge(from: other) { _ in winner }
        let found = try world(context(document))
        #expect(found == expected, "seed \(seed): \(other) into \(head), \(winner)")
        naive.save(document.versions.last!.number, on: head, found, merging: [number])
      }
      mergeCount += 1
    }
    for _ in 0..<24 {
      let names = naive.heads.keys.sorted()
      let head = names.randomElement(using: &random)!
      let other = names.filter { $0 != head }.randomElement(using: &random)
      switch (Int.random(in: 0..<8, using: &random), other) {
      case (0, _) where names.count < 4:
        let name = "head\(names.count)"
        try on(head) { try $0.heads.make(name) }
        naive.heads[name] = naive.heads[head]
      case (1, _): _ = try on(head) { try $0.thin(.newestOnly) }
      case (2...3, let other?):
        try merge(other, into: head, Bool.random(using: &random) ? .ours : .theirs)
      default: try on(head) { try change($0, &naive, &random) }
      }
    }
    let others = naive.heads.keys.filter { $0 != "main" }.sorted()
    for head in others { try merge(head, into: "main", .ours) }
    for head in others { try merge("main", into: head, .ours) }
    for head in others {
      #expect(
        naive.worlds[naive.heads[head]!] == naive.worlds[naive.heads["main"]!], "seed \(seed)")
    }
    #expect(others.isEmpty || mergeCount > 0)
    let report = try Validator.report(on: Self.path, in: places)
    #expect(report.verdict == .valid, "seed \(seed): \(report.text)")
  }
}
