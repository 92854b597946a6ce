import Comparison
import DocumentExchange
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

/// Replicas that are edited, exchange versions through folders whose files arrive late, twice, in any order, cut, changed or not
/// at all, and are equal when everything has arrived.
@Suite("Random exchanges of replicas")
struct ReplicaRandomTests {
  private let world = ReplicaWorld()

  /// All changes that were ever saved.
  private final class Saved {
    var nextID: Int64 = 10
    var inserted: Set<Int64> = []
    var deleted: Set<Int64> = []
    /// The titles, stars and colors that a note ever had.
    var titles: [Int64: Set<Value>] = [:]
    var stars: [Int64: Set<Value>] = [:]
    var colors: [Int64: Set<Value>] = [:]
  }

  private static func id(_ object: ManagedObject) -> Int64 {
    if case .integer(let id) = object["id"] { id } else { 0 }
  }

  private func edit(_ replica: Int, _ saved: Saved, _ random: inout SeededGenerator) throws {
    var attachments: [String] = []
    let bytes = [UInt8](repeating: UInt8.random(in: 0..<3, using: &random), count: 10)
    defer { for name in attachments { try? world.attach(name, bytes, to: replica) } }
    let names = try world.attributes(of: "Note", replica)
    try world.edit(replica) { context in
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        func all(_ entity: String) throws -> [ManagedObject] {
          try context.fetch(FetchRequest<ManagedObject>(entity))
            .sorted { Self.id($0) < Self.id($1) }
        }
        let note = try all("Note").randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), note) {
        case (0, let note?):
          saved.deleted.insert(Self.id(note))
          context.delete(note)
        case (1...2, let note?):
          let title = [Value.null, .string("a"), .string("b"), .string("")]
            .randomElement(using: &random)!
          note.setValue(title, forKey: names.contains("name") ? "name" : "title")
          saved.titles[Self.id(note), default: [.null]].insert(title)
        case (3, let note?):
          let stars = Value.integer(Int64.random(in: 0..<3, using: &random))
          note.setValue(stars, forKey: "stars")
          saved.stars[Self.id(note), default: [.null]].insert(stars)
        case (8, let note?) where names.contains("color"):
          let color = Value.string(["red", "blue"].randomElement(using: &random)!)
          note.setValue(color, forKey: "color")
          saved.colors[Self.id(note), default: [.null]].insert(color)
        case (4, let note?):
          try all("List").randomElement(using: &random)!.add(note, to: "notes")
        case (5, let note?):
          let tag = try all("Tag").randomElement(using: &random)!
          let has = note.objects(forKey: "tags").contains { $0 === tag }
          note.setObjects(
            note.objects(forKey: "tags").filter { $0 !== tag } + (has ? [] : [tag]),
            forKey: "tags")
        case (6, _):
          let list = try all("List").randomElement(using: &random)!
          list.setObjects(
            list.objects(forKey: "notes").shuffled(using: &random), forKey: "notes")
        case (7, _):
          attachments.append("\(Int.random(in: 0..<3, using: &random)).txt")
        default:
          let note = try context.insert("Note")
          note.setValue(.integer(saved.nextID), forKey: "id")
          if Bool.random(using: &random) {
            try all("List").randomElement(using: &random)!.add(note, to: "notes")
          }
          saved.inserted.insert(saved.nextID)
          saved.nextID += 1
        }
      }
    }
  }

  /// Exchanges while the disk fails at some step, for once or from then on.
  private func fail(_ replica: Int, _ random: inout SeededGenerator) {
    world.disk.plan(
      .failing(
        [.noSpace, .inputOutput].randomElement(using: &random)!,
        after: Int.random(in: 0..<400, using: &random),
        lasting: Bool.random(using: &random) ? .once : .forGood))
    _ =
      Bool.random(using: &random) ? try? world.syncMigrating(replica) : try? world.sync(replica)
    world.disk.planNoFailures()
  }

  /// Carries a file as a bad carrier does.
  private func carry(_ count: Int, _ random: inout SeededGenerator) throws {
    let from = Int.random(in: 0..<count, using: &random)
    let to = Int.random(in: 0..<count, using: &random)
    guard from != to, let name = try world.files(in: from).randomElement(using: &random) else {
      return
    }
    guard try world.isWhole(name, in: from), try !world.isWhole(name, in: to) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let part = Double.random(in: 0..<1, using: &random)
      try world.carry(name, from: from, to: to) { $0.removeLast(Int(part * Double($0.count))) }
    case 1:
      let (place, bit) = (
        Double.random(in: 0..<1, using: &random), UInt8.random(in: 0..<8, using: &random)
      )
      try world.carry(name, from: from, to: to) { bytes in
        if !bytes.isEmpty { bytes[Int(place * Double(bytes.count))] ^= 1 << bit }
      }
    case 2:
      try world.carry(name, from: from, to: to, as: "copy of \(name)")
    default: try world.carry(name, from: from, to: to)
    }
  }

  @Test(
    "All replicas are equal when everything has arrived, and nothing is lost",
    arguments: Effort.seeds(60))
  func convergence(seed: UInt64) throws {
    try converge(seed, migrates: false)
  }

  @Test(
    "All replicas are equal after migrations to newer models, and nothing is lost",
    arguments: Effort.seeds(60))
  func convergenceOfModels(seed: UInt64) throws {
    try converge(seed, migrates: true)
  }

  /// - Parameter migrates: Whether replicas migrate to newer models, some of them over several versions at a time.
  private func converge(_ seed: UInt64, migrates: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...4, using: &random)
    try world.makeReplicas(count)
    let saved = Saved()
    for _ in 0..<Int.random(in: 6...40, using: &random) {
      let replica = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: try edit(replica, saved, &random)
      case 4: try world.sync(replica)
      case 5: try world.syncMigrating(replica)
      case 6: fail(replica, &random)
      case 7 where Int.random(in: 0..<4, using: &random) == 0:
        _ = try world.on(replica) { try $0.thin(.newestOnly) }
      case 8 where migrates:
        let model = Int.random(in: 0...3, using: &random)
        if try world.model(replica)! < model { try world.migrate(replica, to: model) }
      default: try carry(count, &random)
      }
    }
    try settle(count, seed)
    let first = try world.contents(0)
    for replica in 1..<count {
      let differences = Set(try world.contents(replica)).symmetricDifference(first)
      #expect(differences.isEmpty, "seed \(seed), replica \(replica)")
    }
    for replica in 0..<count {
      let report = try Validator.report(on: ReplicaWorld.path(replica), in: world.places)
      #expect(report.verdict == .valid, "seed \(seed), replica \(replica): \(report.text)")
    }
    try checkNothingLost(saved, seed)
  }

  /// Carries everything, and exchanges until nothing is new. The first replica decides conflicts.
  private func settle(_ count: Int, _ seed: UInt64) throws {
    var trace = ""
    for round in 0..<25 {
      for from in 0..<count {
        for to in 0..<count where to != from { try world.carryAll(from: from, to: to) }
      }
      var (isQuiet, isWaiting) = (true, false)
      for replica in 0..<count {
        let report = try world.syncMigrating(replica) { exchange in
          if replica == 0 { exchange.choose = { _, conflicts in conflicts.map { _ in .ours } } }
        }
        if !report.waiting.isEmpty || !report.olderModel.isEmpty || !report.newerModel.isEmpty {
          isWaiting = true
        }
        trace +=
          "\(round) \(replica): sent \(report.sent.map { ($0.identity.prefix(6), $0.parents.map { $0.prefix(6) }) }) received \(report.received.map { $0.identity.prefix(6) }) conflicts \(report.conflicts.map { ($0.version.identity.prefix(6), $0.reasons) }) model \(try world.model(replica)!) newer \(report.newerModel.map { $0.identity.prefix(6) }) older \(report.olderModel.map { $0.identity.prefix(6) }) waiting \(report.waiting.map { $0.identity.prefix(6) })\n"
        if !report.sent.isEmpty || !report.received.isEmpty || !report.conflicts.isEmpty {
          isQuiet = false
        }
      }
      if isQuiet {
        Effort.report(1, "schedules of replicas")
        #expect(!isWaiting, "seed \(seed): \(trace.suffix(2500))")
        if ProcessInfo.processInfo.environment["TRACE"] != nil { print(trace) }
        return
      }
    }
    Issue.record("seed \(seed): the replicas do not become quiet: \(trace.suffix(2500))")
  }

  private func checkNothingLost(_ saved: Saved, _ seed: UInt64) throws {
    try world.on(0) { document in
      let context = try ReplicaWorld.context(document)
      let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
      let found = Set(notes.map(Self.id))
      #expect(found.isSubset(of: saved.inserted), "seed \(seed)")
      #expect(
        saved.inserted.subtracting(saved.deleted).isSubset(of: found),
        "seed \(seed): lost \(saved.inserted.subtracting(saved.deleted).subtracting(found))")
      for note in notes {
        let id = Self.id(note)
        let names = note.entity.properties.map(\.name)
        if names.contains("color") {
          #expect(saved.colors[id, default: [.null]].contains(note["color"]), "seed \(seed)")
        }
        if names.contains("size") { #expect(note["size"] == .integer(7), "seed \(seed)") }
        let title = note[names.contains("name") ? "name" : "title"]
        #expect(saved.titles[id, default: [.null]].contains(title), "seed \(seed)")
        #expect(saved.stars[id, default: [.null]].contains(note["stars"]), "seed \(seed)")
      }
    }
  }
}
