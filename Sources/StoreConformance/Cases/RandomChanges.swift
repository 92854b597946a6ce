import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of random changes: the store, opened again now and then, is compared with a dictionary.
extension CaseRun {
  func randomChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var store = try make()
    let entity = try key(store, "Thing", 1).entity
    var objects: StoreConformance.Objects = [:]
    for round in 0..<60 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let view = base.view
      var touched: Set<ObjectKey> = []
      for _ in 0..<Int.random(in: 1...(round % 10 == 0 ? 300 : 8), using: &generator) {
        let key = ObjectKey(entity: entity, number: .random(in: 1...400, using: &generator))
        let version = try view.row(of: key)?.version
        if objects[key] == nil {
          if touched.contains(key) { continue }
          builder.insert(key)
          objects[key] = [:]
        } else if Int.random(in: 0..<5, using: &generator) == 0 {
          builder.remove(key, basis: version ?? 0)
          objects[key] = nil
          touched.insert(key)
          continue
        }
        touched.insert(key)
        let value = Value.integer(.random(in: -5...5, using: &generator))
        let text = Value.string("text \(Int.random(in: 0...9, using: &generator))")
        let (name, new): (String, Value) =
          [("large", value), ("name", text), ("medium", .null)].randomElement(using: &generator)!
        builder.set(new, name, of: key, base.schema, basis: version ?? 0)
        objects[key]![name] = new.isNull ? nil : new
      }
      let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      let found = try StoreConformance.objects(after)
      check(
        "After random save \(round) of seed \(seed)", after.schema, holds: objects, found: found)
      // After a wrong save, all later findings would repeat it.
      if !StoreConformance.differences(objects, found, after.schema).isEmpty { return }
      if round % 7 == 0 { store = try reopen(store) }
    }
    store = try reopen(store)
    try check("The reopened store after the random saves of seed \(seed)", store, holds: objects)
    try store.close()
  }
}
