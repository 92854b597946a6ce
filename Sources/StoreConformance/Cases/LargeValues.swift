import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The cases of values of kilobytes and megabytes.
extension CaseRun {
  func largeValues() throws {
    var store = try make()
    let snapshot = try store.snapshot()
    var objects: StoreConformance.Objects = [:]
    let builder = LayerBuilder(snapshot.schema)
    for (index, size) in [0, 1, 16_383, 16_384, 16_385, 300_000, 5_000_000].enumerated() {
      let key = try key(store, "Thing", UInt64(index + 1))
      let bytes = StoreConformance.bytes(size, step: 7, from: index)
      builder.insert(key)
      builder.set(.binary(bytes), "bytes", of: key, snapshot.schema)
      builder.set(
        .string(String(repeating: "é", count: size / 2)), "name", of: key, snapshot.schema)
      objects[key] = [
        "bytes": .binary(bytes), "name": .string(String(repeating: "é", count: size / 2)),
      ]
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    store = try reopen(store)
    try check("A reopened store with values of up to 5 MB", store, holds: objects)
    try store.close()
  }

  /// Checks that large values survive changes of the values around them, also in earlier snapshots.
  func largeValuesStay() throws {
    var store = try make()
    let keys = try (1...4).map { try key(store, "Thing", UInt64($0)) }
    func value(_ number: Int, _ byteCount: Int) -> Value {
      .binary(StoreConformance.bytes(byteCount, step: 13, from: number))
    }
    func save(_ change: (LayerBuilder, any StoreSnapshot) throws -> Void) throws {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      try change(builder, base)
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    var objects: StoreConformance.Objects = [:]
    try save { builder, base in
      for (index, key) in keys.enumerated() {
        let bytes = value(index + 1, 30_000 * (index + 1))
        builder.insert(key)
        builder.set(bytes, "bytes", of: key, base.schema)
        objects[key] = ["bytes": bytes]
      }
    }
    let before = (snapshot: try store.snapshot(), objects: objects)
    for round in 0..<40 {
      let key = keys[round % 3]
      try save { builder, base in
        builder.set(
          .string("\(round)"), "name", of: key, base.schema,
          basis: try version(of: key, in: base))
      }
      objects[key]!["name"] = .string("\(round)")
    }
    try save { builder, base in
      let bytes = value(9, 70_000)
      func version(_ index: Int) throws -> Int64 { try self.version(of: keys[index], in: base) }
      builder.set(bytes, "bytes", of: keys[0], base.schema, basis: try version(0))
      builder.set(.null, "bytes", of: keys[1], base.schema, basis: try version(1))
      builder.remove(keys[3], basis: try version(3))
      objects[keys[0]]!["bytes"] = bytes
      objects[keys[1]]!["bytes"] = nil
      objects[keys[3]] = nil
    }

    try check("After 41 changes around large values", store, holds: objects)
    check(
      "A snapshot from before large values were changed", before.snapshot.schema,
      holds: before.objects, found: try StoreConformance.objects(before.snapshot))
    store = try reopen(store)
    try check("A reopened store after large values were changed", store, holds: objects)
    try store.close()
  }
}
