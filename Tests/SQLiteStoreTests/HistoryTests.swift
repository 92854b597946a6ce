import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import PropertyLists
import Rows
import SQLiteStore
import SeededRandom
import StoreConformance
import StoreInterface
import Testing

@Suite("Earlier commits of a database")
struct HistoryTests {
  /// A store, and its objects after each commit.
  private struct Past {
    let store: any Store
    var states: [Int64: StoreConformance.Objects]

    init(_ path: String, _ options: SQLiteStoreOptions = SQLiteStoreOptions()) throws {
      store = try SQLiteStoreBackend(options: options).create(
        at: path, model: StoreConformance.model, on: RealDisk(), StoreCreation())
      states = [0: try StoreConformance.objects(store.snapshot())]
    }

    @discardableResult
    mutating func save(
      _ change: (LayerBuilder, any StoreSnapshot) throws -> Void,
      metadata: StoreMetadata? = nil
    ) throws -> any StoreSnapshot {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      try change(builder, base)
      var request = CommitRequest(builder.freeze(), basedOn: base)
      request.metadata = metadata
      let after = try store.commit(request)
      states[after.commit] = try StoreConformance.objects(after)
      return after
    }

    /// Inserts, changes and removes random objects, and random links between them.
    mutating func saveAtRandom(_ random: inout SeededGenerator) throws {
      let base = try store.snapshot()
      let things = states[base.commit]!.filter {
        $0.key.entity == base.schema["Thing"]!.entityNumber
      }
      var (_, request) = try StoreConformance.randomSave(
        of: 9, to: things, above: base, &random)
      let links = try linksAtRandom(base, &random)
      request.changes = try request.changes.merged(with: links, schema: base.schema)
      let after = try store.commit(request)
      states[after.commit] = try StoreConformance.objects(after)
    }

    private func linksAtRandom(
      _ base: any StoreSnapshot, _ random: inout SeededGenerator
    ) throws -> Layer {
      let builder = LayerBuilder(base.schema)
      for table in base.schema.linkTables {
        let ends = [
          ("source", table.forward.entities[0]),
          ("target", (table.backward ?? table.forward).entities[0]),
        ]
        for number in Set((0..<3).map { _ in UInt64.random(in: 1...20, using: &random) }).sorted() {
          let key = ObjectKey(entity: table.layout.entityNumber, number: number)
          if let row = try base.view.row(of: key) {
            builder.remove(key, basis: try row.version)
            continue
          }
          builder.insert(key)
          for (name, entity) in ends {
            let end = ObjectKey(entity: entity, number: .random(in: 1...30, using: &random))
            builder.set(.object(end), column: table.layout.index(of: name)!, of: key)
          }
        }
      }
      return builder.freeze()
    }

    func check(_ numbers: [Int64], sourceLocation: SourceLocation = #_sourceLocation) throws {
      for number in numbers {
        let snapshot = try store.snapshot(ofCommit: number)
        #expect(snapshot.commit == number, sourceLocation: sourceLocation)
        #expect(
          try StoreConformance.objects(snapshot) == states[number], "commit \(number)",
          sourceLocation: sourceLocation)
      }
    }
  }

  private func listed(_ store: any Store) throws -> [Int64] { try store.commits().map(\.number) }

  @Test(
    "Each commit shows its own state, even after other commits were forgotten",
    arguments: 1...6 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    var past = try Past(folder.file("a.sqlite"))
    let all: ClosedRange<Int64> = 0...24
    for _ in 0..<24 { try past.saveAtRandom(&random) }
    #expect(try listed(past.store) == all.reversed())
    try past.check(Array(all))

    let kept = Set(all.filter { _ in Bool.random(using: &random) }).union([24])
    try past.store.features.history?.keepCommits { kept.contains($0) }
    #expect(try listed(past.store) == kept.sorted(by: >))
    try past.check(kept.sorted())
    for number in all where !kept.contains(number) {
      #expect(throws: StoreError.self) { try past.store.snapshot(ofCommit: number) }
    }
    for _ in 0..<4 { try past.saveAtRandom(&random) }
    try past.check(kept.sorted() + [25, 26, 27, 28])
    try past.store.close()

    let again = try SQLiteStoreBackend().open(
      folder.file("a.sqlite"), on: RealDisk(), StoreOpening(readOnly: true))
    for number in kept {
      #expect(
        try StoreConformance.objects(again.snapshot(ofCommit: number)) == past.states[number])
    }
  }

  @Test("Two snapshots show the changes of a commit, with the versions of the rows")
  func changes() throws {
    let folder = try TemporaryFolder()
    var past = try Past(folder.file("a.sqlite"))
    let entity = try past.store.snapshot().schema["Thing"]!.entityNumber
    let keys = (1...3).map { ObjectKey(entity: entity, number: $0) }
    try past.save { builder, base in
      for key in keys {
        builder.insert(key)
        builder.set(.string("first"), "name", of: key, base.schema)
      }
    }
    try past.save { builder, base in
      builder.set(.string("second"), "name", of: keys[0], base.schema, basis: 1)
      builder.remove(keys[1], basis: 1)
      builder.insert(ObjectKey(entity: entity, number: 9))
    }
    try past.save { builder, base in
      builder.set(.string("third"), "name", of: keys[0], base.schema, basis: 2)
    }
    let (one, two) = (
      try past.store.snapshot(ofCommit: 1), try past.store.snapshot(ofCommit: 2)
    )
    #expect(try one.view.row(of: keys[0])?.version == 1)
    #expect(try two.view.row(of: keys[0])?.version == 2)
    #expect(try two.view.row(of: keys[2])?.version == 1)
    let layer = try #require(try two.changes(since: one)[entity])
    #expect(try layer.entries().map(\.key) == [1, 2, 9])
    #expect(layer.put.rowCount == 1 && layer.changed.rowCount == 1 && layer.removed.rowCount == 1)
  }

  @Test("Each commit keeps its own metadata")
  func metadata() throws {
    let folder = try TemporaryFolder()
    var past = try Past(folder.file("a.sqlite"))
    var metadata = try past.store.snapshot().metadata
    for number in 1...3 {
      metadata.values["round"] = .integer(Int64(number))
      try past.save({ _, _ in }, metadata: metadata)
    }
    for number in 0...3 as ClosedRange<Int64> {
      let found = try past.store.snapshot(ofCommit: number).metadata
      #expect(found.values["round"] == (number == 0 ? nil : .integer(number)))
      #expect(try found.uuid == past.store.snapshot().metadata.uuid)
    }
    try past.store.features.history?.keepCommits { $0 == 1 }
    #expect(
      try past.store.snapshot(ofCommit: 1).metadata.values["round"] == .integer(1))
  }

  @Test("The oldest commits are forgotten if they exceed the space for history")
  func room() throws {
    let folder = try TemporaryFolder()
    var options = SQLiteStoreOptions()
    (options.historyShare, options.leastHistoryByteCount) = (0.001, 6000)
    var random = SeededGenerator(seed: 3)
    var past = try Past(folder.file("a.sqlite"), options)
    for _ in 0..<40 { try past.saveAtRandom(&random) }
    let numbers = try listed(past.store)
    #expect(numbers.first == 40 && numbers.count > 2 && numbers.count < 30, "\(numbers)")
    try past.check(numbers)

    options.historyShare = 0
    let other = try Past(folder.file("b.sqlite"), options)
    var none = other
    for _ in 0..<3 { try none.saveAtRandom(&random) }
    #expect(try listed(none.store) == [3])
    #expect(throws: StoreError.self) { try none.store.snapshot(ofCommit: 2) }
  }

  @Test("A commit that is too old to be listed is forgotten")
  func many() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    var random = SeededGenerator(seed: 8)
    var past = try Past(path)
    for _ in 0..<4 { try past.saveAtRandom(&random) }
    try past.store.close()
    // Renumbers the newest commit as if it came after thousands of commits without changes.
    let raw = try RawDatabase(path)
    for table in ["QUIRE_COMMIT", "QUIRE_BEFORE"] {
      try raw.run("UPDATE \(table) SET NUMBER = 10001 WHERE NUMBER = 4")
    }
    let store = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening())
    let base = try store.snapshot()
    #expect(base.commit == 10_001)
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: 500))
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try listed(store) == [10_002, 10_001, 3])
    #expect(try StoreConformance.objects(store.snapshot(ofCommit: 3)) == past.states[3])
    try store.close()
    #expect(try raw.value("SELECT min(NUMBER) FROM QUIRE_BEFORE") == .integer(3))
  }

  @Test("Counting the kept commits ends, even if the store's own counts are wrong")
  func counted() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    var random = SeededGenerator(seed: 9)
    var past = try Past(path)
    for _ in 0..<4 { try past.saveAtRandom(&random) }
    try past.store.close()
    try RawDatabase(path).run(
      """
      UPDATE QUIRE_COMMIT SET KEPT = -9223372036854775807 - 1 WHERE NUMBER = 1;
      UPDATE QUIRE_COMMIT SET KEPT = 9223372036854775807 WHERE NUMBER > 1 AND NUMBER < 4
      """)
    let store = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: 500))
    _ = try? store.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try store.snapshot().commit >= 4)
  }

  @Test("A context lists the changes of each save, and shows an earlier commit")
  func transactions() throws {
    let folder = try TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(
      model: StoreConformance.model,
      places: StorePlaces(StoreBackends([SQLiteStoreBackend()]), on: RealDisk()))
    try coordinator.addStore(at: folder.file("a.sqlite"), type: .sqlite)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = "Zoë"
    let thing = try context.insert("Thing")
    thing["name"] = .string("one")
    try context.save()
    let token = try coordinator.historyToken
    thing["name"] = .string("two")
    try context.save()
    context.delete(thing)
    try context.save()

    let all = try coordinator.history()
    #expect(all.map { $0.changes.map(\.kind) } == [[.insert], [.update], [.delete]])
    #expect(all.allSatisfy { $0.author == "Zoë" })
    let later = try coordinator.history(HistoryRequest(after: token))
    #expect(later.map(\.number) == all.dropFirst().map(\.number))
    #expect(later[0].changes[0].changedProperties == ["name"])
  }

  @Test("An earlier commit whose rows are damaged can't be opened, and the newest commit can")
  func damaged() throws {
    for text in [
      "UPDATE QUIRE_BEFORE SET BYTES = zeroblob(length(BYTES))",
      "UPDATE QUIRE_BEFORE SET BYTES = substr(BYTES, 1, length(BYTES) - 9)",
      "UPDATE QUIRE_BEFORE SET BYTES = 'text'",
      "INSERT INTO QUIRE_BEFORE SELECT * FROM QUIRE_BEFORE",
    ] {
      let folder = try TemporaryFolder()
      var random = SeededGenerator(seed: 5)
      var past = try Past(folder.file("a.sqlite"))
      for _ in 0..<5 { try past.saveAtRandom(&random) }
      try past.store.close()
      try RawDatabase(folder.file("a.sqlite")).run(text)
      let store = try SQLiteStoreBackend().open(
        folder.file("a.sqlite"), on: RealDisk(), StoreOpening())
      #expect(try StoreConformance.objects(store.snapshot()) == past.states[5])
      let error = #expect(throws: StoreError.self, "\(text)") {
        _ = try StoreConformance.objects(store.snapshot(ofCommit: 1))
      }
      #expect(error?.code == .damaged && error?.description.contains("QUIRE_BEFORE") == true)
    }
  }
}
