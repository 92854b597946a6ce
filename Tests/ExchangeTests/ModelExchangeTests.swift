import Comparison
import DiskSimulation
import DocumentExchange
import Documents
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import StoreInterface
import Testing

/// Exchanges of versions with different models.
@Suite("Exchanges of versions with different models")
struct ModelExchangeTests {
  private let world = ReplicaWorld()

  private func insert(_ id: Int64, _ values: [String: String] = [:], in replica: Int) throws {
    try world.edit(replica) { context in
      let note = try context.insert("Note")
      note.setValue(.integer(id), forKey: "id")
      for (name, value) in values { note.setValue(.string(value), forKey: name) }
    }
  }

  private func identity(_ replica: Int) throws -> VersionIdentity {
    try world.on(replica) { try VersionIdentity(ofVersion: $0.manifest.number, of: $0) }
  }

  /// Carries everything and exchanges, until nothing is new.
  private func settle(_ count: Int = 2) throws {
    for _ in 0..<8 {
      for from in 0..<count {
        for to in 0..<count where to != from { try world.carryAll(from: from, to: to) }
      }
      var isQuiet = true
      for replica in 0..<count {
        let report = try world.syncMigrating(replica)
        #expect(report.conflicts.isEmpty, "\(report.conflicts)")
        isQuiet = isQuiet && report.sent.isEmpty && report.received.isEmpty
      }
      if isQuiet { return }
    }
    Issue.record("The replicas do not become quiet.")
  }

  private func checkEqual(_ count: Int = 2) throws {
    for replica in 0..<count {
      #expect(try world.contents(replica) == world.contents(0), "replica \(replica)")
      let report = try Validator.report(on: ReplicaWorld.path(replica), in: world.places)
      #expect(report.verdict == .valid, "\(report.text)")
    }
  }

  @Test(
    "A replica without changes takes over a migration, and the versions after it, as they are",
    arguments: 1...3)
  func following(model: Int) throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    try world.sync(1)
    try Document.migrate(
      ReplicaWorld.path(0), to: ReplicaWorld.models[model], in: world.places, author: "Ada",
      message: "new")
    try insert(11, ["color": "red"], in: 0)

    #expect(try world.sync(0).sent.count == 2)
    try world.carryAll(from: 0, to: 1)
    let report = try world.syncMigrating(1)

    #expect(report.received.count == 2 && report.sent.isEmpty && report.newerModel.isEmpty)
    #expect(try identity(0) == identity(1))
    let versions = try [0, 1].map { try world.on($0) { Array($0.versions.suffix(2)) } }
    #expect(versions[0].map(\.author) == versions[1].map(\.author))
    #expect(versions[0].map(\.saved) == versions[1].map(\.saved))
    try checkEqual()
    #expect(try world.contents(1).contains { $0.contains("\"a\"") })
    #expect(try world.syncMigrating(0).received.isEmpty)
  }

  @Test("Several migrations follow one another")
  func severalMigrations() throws {
    try world.makeReplicas(2)
    for model in 1...3 {
      try insert(Int64(10 + model), in: 0)
      try world.migrate(0, to: model)
    }
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    try world.syncMigrating(1)
    #expect(try world.model(1) == 3)
    #expect(try identity(0) == identity(1))
    try checkEqual()
  }

  @Test("A replica with changes in the older model takes in a migration", arguments: 1...3)
  func mergingIntoOlder(model: Int) throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try settle()
    try world.migrate(0, to: model)
    try insert(11, ["color": "red"], in: 0)
    try insert(12, ["title": "b"], in: 1)
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)

    let report = try world.syncMigrating(1)

    #expect(report.received.count == 1 && report.newerModel.isEmpty)
    try settle()
    try checkEqual()
    #expect(try identity(0) == identity(1))
    let contents = try world.contents(0)
    for word in ["\"a\"", "\"b\"", "\"red\""] {
      #expect(contents.contains { $0.contains(word) }, "\(word)")
    }
  }

  @Test("A replica with the newer model translates the changes of an older one", arguments: 1...3)
  func mergingFromOlder(model: Int) throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try settle()
    try insert(12, ["title": "b"], in: 1)
    try world.edit(1) { context in
      let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
      notes.first { $0["id"] == .integer(10) }?.setValue(.string("c"), forKey: "title")
    }
    try world.migrate(0, to: model)
    try insert(11, ["color": "red"], in: 0)
    try world.sync(1)
    try world.carryAll(from: 1, to: 0)

    let report = try world.syncMigrating(0)

    #expect(report.received.count == 1 && report.olderModel.isEmpty, "\(report)")
    #expect(try world.contents(0).contains { $0.contains("\"c\"") })
    try settle()
    try checkEqual()
    #expect(try identity(0) == identity(1))
  }

  @Test("Replicas that migrate on their own come to one version", arguments: 1...3)
  func twoMigrations(model: Int) throws {
    try world.makeReplicas(3)
    try insert(10, ["title": "a"], in: 0)
    try settle(3)
    try insert(11, ["title": "b"], in: 1)
    for replica in 0...1 { try world.migrate(replica, to: model) }
    try insert(12, ["color": "red"], in: 0)
    try insert(13, ["title": "c"], in: 2)
    try settle(3)
    try checkEqual(3)
    #expect(
      try world.contents(2).filter { $0.hasPrefix("Note x-") || $0.contains("\"red\"") }.count > 0)
    for replica in 0...2 { #expect(try world.model(replica) == model) }
  }

  @Test("A program with an older model goes on with its own head, and nothing is lost")
  func olderProgram() throws {
    try world.makeReplicas(2)
    try world.migrate(0, to: 2)
    try insert(10, ["name": "new"], in: 0)
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    try insert(11, ["title": "old"], in: 1)

    let report = try world.sync(1)

    #expect(report.newerModel.count == 1 && report.received.isEmpty && report.sent.count == 1)
    #expect(report.conflicts.isEmpty && report.waiting.isEmpty)
    #expect(try world.model(1) == 0)
    #expect(try world.on(1) { try Exchange($0).fetch().newerModel.count } == 1)
    // The newer program has taken in its change meanwhile, and sends it back.
    try world.carryAll(from: 1, to: 0)
    #expect(try world.sync(0).received.count == 1)
    try settle()
    try checkEqual()
    #expect(
      try world.contents(1).filter { $0.contains("\"old\"") || $0.contains("\"new\"") }.count == 2)
  }

  @Test("A migration that would lose values needs a permission")
  func losses() throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try settle()
    let smaller = try Model(
      entities: [
        Entity("Note", properties: [.attribute(Attribute("id", .int64))]),
        ReplicaWorld.models[0]["Tag"]!,
      ].map { Entity($0.name, properties: [.attribute(Attribute("id", .int64))]) })
    var migrator = Migrator.automatic
    migrator.allowsLoss = true
    try Document.migrate(ReplicaWorld.path(0), to: smaller, with: migrator, in: world.places)
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    let before = try world.contents(1)
    #expect(try world.sync(1).newerModel.count == 1)
    let error = #expect(throws: MigrationError.self) {
      try Exchange.migrate(ReplicaWorld.path(1), in: world.places)
    }
    #expect(error?.code == .wouldLose)
    #expect(try world.contents(1) == before)
    try Exchange.migrate(ReplicaWorld.path(1), by: migrator, in: world.places)
    try checkEqual()
    #expect(try identity(0) == identity(1))
  }

  @Test("A migration with changes of the program is taken over with its changes")
  func migrationWithChanges() throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try settle()
    let versions = [0, 1].map { KnownVersion("\($0)", ReplicaWorld.models[$0]) }
    let migrator = Migrator(stages: [
      .custom(
        from: versions[0], to: versions[1],
        after: { context in
          for note in try context.fetch(FetchRequest<ManagedObject>("Note")) {
            note.setValue(.string("blue"), forKey: "color")
          }
        })
    ])
    try Document.migrate(
      ReplicaWorld.path(0), to: ReplicaWorld.models[1], with: migrator, in: world.places,
      author: "Ada")
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    let report = try world.syncMigrating(1)
    #expect(report.sent.isEmpty)
    #expect(try world.contents(1).contains { $0.contains("\"blue\"") })
    try checkEqual()
    #expect(try identity(0) == identity(1))
    #expect(try world.on(1) { $0.versions.last?.author } == "Ada")
  }

  @Test("A migration that can't be inferred is sent whole, and further replicas say so")
  func notInferable() throws {
    try world.makeReplicas(2)
    try insert(10, ["title": "a"], in: 0)
    try settle()
    func model(_ change: (inout [Property]) -> Void) throws -> Model {
      try Model(
        entities: ReplicaWorld.models[0].entities.map { entity in
          var entity = entity
          if entity.name == "Note" { change(&entity.declaredProperties) }
          return entity
        })
    }
    // An attribute becomes a relationship, by way of a version that has neither.
    let between = try model { $0.removeAll { $0.name == "stars" } }
    let last = try model { properties in
      properties.removeAll { $0.name == "stars" }
      properties.append(.relationship(Relationship("stars", to: "Tag")))
    }
    var migrator = Migrator(stages: [
      .lightweight([
        KnownVersion("0", ReplicaWorld.models[0]), KnownVersion("1", between),
        KnownVersion("2", last),
      ])
    ])
    migrator.allowsLoss = true
    try Document.migrate(ReplicaWorld.path(0), to: last, with: migrator, in: world.places)
    #expect(try world.sync(0).sent.count == 1)
    try world.carryAll(from: 0, to: 1)
    try insert(11, ["title": "own"], in: 1)
    let before = try world.contents(1)

    let report = try world.syncMigrating(1)

    #expect(report.newerModel.count == 1 && report.sent.count == 1, "\(report)")
    #expect(try world.contents(1) == before)
    try Exchange.clone(ReplicaWorld.folder(0), to: "/Clone.quire", in: world.places)
    let clone = try Document.open("/Clone.quire", in: world.places)
    #expect(try ReplicaWorld.contents(clone) == world.contents(0))
    try clone.close()
  }

  @Test("A new replica takes in all migrations")
  func cloning() throws {
    try world.makeReplicas(1)
    for model in 1...3 {
      try insert(Int64(10 + model), in: 0)
      try world.sync(0)
      try world.migrate(0, to: model)
    }
    try world.sync(0)
    try Exchange.clone(ReplicaWorld.folder(0), to: ReplicaWorld.path(1), in: world.places)
    try checkEqual()
    #expect(try identity(0) == identity(1))
  }

  @Test("Consolidated packs keep the models")
  func consolidation() throws {
    try world.makeReplicas(2)
    try world.migrate(0, to: 1)
    try world.sync(0)
    try insert(10, in: 0)
    try world.sync(0)
    #expect(try world.on(0) { try Exchange($0).consolidate().consolidatedCount } == 2)
    try world.carryAll(from: 0, to: 1)
    try world.syncMigrating(1)
    try checkEqual()
  }

  @Test("A document whose copy was migrated receives the newer model from it")
  func documents() throws {
    try world.makeReplicas(1)
    try Exchange.clone(ReplicaWorld.path(0), to: ReplicaWorld.path(1), in: world.places)
    try insert(10, ["title": "a"], in: 1)
    try world.migrate(0, to: 2)
    try insert(11, ["name": "b"], in: 0)
    try world.syncMigrating(1)
    try checkEqual()
    try world.migrate(1, to: 3)
    let error = #expect(throws: ExchangeError.self) { try world.sync(1) }
    #expect(error?.hint?.contains("quire pull") ?? false)
  }

  @Test("A crash at any step of a migration loses nothing", arguments: [1, 3])
  func crashes(model: Int) throws {
    for step in stride(from: 0, to: 400, by: 23) {
      let world = ReplicaWorld()
      try world.makeReplicas(2)
      func insert(_ id: Int64, _ replica: Int) throws {
        try world.edit(replica) { context in
          try context.insert("Note").setValue(.integer(id), forKey: "id")
        }
      }
      try insert(10, 1)
      try world.migrate(0, to: model)
      try insert(11, 0)
      try world.sync(0)
      try world.carryAll(from: 0, to: 1)
      world.disk.plan(.failing(.inputOutput, after: step, lasting: .forGood))
      _ = try? world.syncMigrating(1)
      world.disk.planNoFailures()
      for _ in 0..<3 {
        try world.syncMigrating(1)
        try world.carryAll(from: 1, to: 0)
        try world.syncMigrating(0)
        try world.carryAll(from: 0, to: 1)
      }
      #expect(try world.contents(0) == world.contents(1), "step \(step)")
      #expect(
        try world.contents(1).filter { $0.hasPrefix("Note quire") || $0.contains(" id=") }.count
          >= 8)
    }
  }
}
