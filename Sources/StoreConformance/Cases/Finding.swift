import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import StoreInterface

/// The case of rows that are found by their keys.
struct FindingCases {
  let run: CaseRun

  /// Looks rows up by their keys in a store whose rows were not read before, and compares them with a scan.
  func byKey() throws {
    var store = try run.make()
    var generator = SeededGenerator(seed: run.suite.seed)
    try StoreConformance.populate(store, count: 800, &generator)
    // Reopening may renumber the places of an ordered relationship.
    store = try run.reopen(store)
    let expected = try scanned(store.snapshot())

    // Single look-ups in random order, also of objects that do not exist.
    store = try run.reopen(store)
    let snapshot = try store.snapshot()
    let entities = Set(expected.keys.map(\.entity))
    let absent = entities.flatMap { entity in
      [90_000, 90_063, ObjectKey.highestNumber].map { ObjectKey(entity: entity, number: $0) }
    }
    for key in (expected.keys.sorted() + absent).shuffled(using: &generator).prefix(300) {
      check(key, in: snapshot, against: expected, "looked up by its key")
    }

    // The objects that a request finds, which a store may return together.
    for _ in 0..<8 {
      store = try run.reopen(store)
      let snapshot = try store.snapshot()
      let limit = Int64.random(in: -9999...9999, using: &generator)
      let found = try store.keys(
        QueryRequest("Thing", where: QueryPredicate("large < \(limit)")), in: snapshot)
      for key in found.shuffled(using: &generator) {
        check(key, in: snapshot, against: expected, "found by a request")
      }
    }
    try store.close()
    try afterReopening()
    try afterRemovals()
  }

  /// Keys of random saves. A host asks a store for the rows around a key, so a commit must change rows that are far apart.
  private static let keys: ClosedRange<UInt64> = 1...200

  /// Looks rows up in a store that was opened after commits have changed and removed rows of earlier commits.
  private func afterReopening() throws {
    var store = try run.make()
    var generator = SeededGenerator(seed: run.suite.seed)
    var objects: StoreConformance.Objects = [:]
    for round in 0..<8 {
      try save(round == 0 ? 90 : 9, in: store, &objects, &generator)
      store = try run.reopen(store)
      try checkThings(
        in: store.snapshot(), against: objects,
        "looked up by its key after the store was opened again", &generator)
    }
    try store.close()
  }

  /// Looks rows up in an open store after another open store has changed and removed some of them.
  private func afterRemovals() throws {
    guard let ground = run.suite.ground, ground.backend.capabilities.contains(.shared) else {
      return
    }
    let path = ground.newPath()
    let writer = try run.create(at: path)
    var generator = SeededGenerator(seed: run.suite.seed)
    var objects: StoreConformance.Objects = [:]
    for round in 0..<12 {
      // The reader knows the rows of the commits before, and has read none of them.
      let reader = try run.open(path)
      for _ in 0..<2 { try save(round == 0 ? 90 : 9, in: writer, &objects, &generator) }
      try checkThings(
        in: reader.snapshot(), against: objects,
        "looked up by its key after a save of another open store", &generator)
      try reader.close()
    }
    try writer.close()
  }

  /// Saves random changes of things, and applies them to the expected objects.
  private func save(
    _ changes: Int, in store: any Store, _ objects: inout StoreConformance.Objects,
    _ generator: inout SeededGenerator
  ) throws {
    let save = try StoreConformance.randomSave(
      of: changes, to: objects, above: store.snapshot(), keys: Self.keys, &generator)
    try store.commit(save.request)
    objects = save.objects
  }

  /// Looks up some of the things that random saves may have made.
  private func checkThings(
    in snapshot: any StoreSnapshot, against objects: StoreConformance.Objects, _ way: String,
    _ generator: inout SeededGenerator
  ) throws {
    for number in Self.keys.shuffled(using: &generator).prefix(60) {
      check(try run.key(snapshot, "Thing", number), in: snapshot, against: objects, way)
    }
  }

  /// Returns all objects as a scan of the rows finds them, without a look-up by key. Links have no keys of their own in
  /// some stores, so they are left out.
  private func scanned(_ snapshot: any StoreSnapshot) throws -> StoreConformance.Objects {
    var objects: StoreConformance.Objects = [:]
    for layout in snapshot.schema.layouts {
      for batch in try snapshot.view.batches(of: layout) {
        let keys = try batch.block.keys
        for row in 0..<batch.block.rowCount where batch.hidden?.contains(row) != true {
          let key = ObjectKey(
            entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
          let row = ViewRow(locations: [RowLocation(block: batch.block, row: row)])
          objects[key] = try StoreConformance.values(row, layout)
        }
      }
    }
    return objects
  }

  private func check(
    _ key: ObjectKey, in snapshot: any StoreSnapshot, against expected: StoreConformance.Objects,
    _ way: String
  ) {
    let name = StoreConformance.name(key, snapshot.schema)
    do {
      guard let layout = snapshot.schema[key.entity] else { return }
      let found = try snapshot.view.row(of: key).map { try StoreConformance.values($0, layout) }
      run.check(
        "\(name), \(way)", snapshot.schema, holds: expected.filter { $0.key == key },
        found: found.map { [key: $0] } ?? [:])
    } catch {
      run.check(false, "\(name), \(way), must be readable, but \(CaseRun.text(error))")
    }
  }
}
