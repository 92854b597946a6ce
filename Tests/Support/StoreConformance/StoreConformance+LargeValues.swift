import Foundation
import ObjectModel
import Rows
import StoreInterface
import Testing

extension StoreConformance {
  /// Large values stay what they are while everything around them changes, and in what was read before.
  func largeValuesStay() throws {
    var store = try make(Self.model)
    let entity = try store.snapshot().schema["Thing"]!.entityNumber
    func key(_ number: UInt64) -> ObjectKey { ObjectKey(entity: entity, number: number) }
    func value(_ number: Int, _ byteCount: Int) -> Value {
      .binary(Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ number) }))
    }
    func save(_ change: (LayerBuilder, any StoreSnapshot) throws -> Void) throws {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      try change(builder, base)
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    var objects: Objects = [:]
    try save { builder, base in
      for number in 1...4 {
        let bytes = value(number, 30_000 * number)
        builder.insert(key(UInt64(number)))
        builder.set(bytes, "bytes", of: key(UInt64(number)), base.schema)
        objects[key(UInt64(number))] = ["bytes": bytes]
      }
    }
    let before = (try store.snapshot(), objects)
    for round in 0..<40 {
      let key = key(UInt64(round % 3 + 1))
      try save { builder, base in
        builder.set(
          .string("\(round)"), "name", of: key, base.schema,
          basis: try base.view.row(of: key)!.version)
      }
      objects[key]!["name"] = .string("\(round)")
    }
    try save { builder, base in
      let bytes = value(9, 70_000)
      func version(_ number: UInt64) throws -> Int64 { try base.view.row(of: key(number))!.version }
      builder.set(bytes, "bytes", of: key(1), base.schema, basis: try version(1))
      builder.set(.null, "bytes", of: key(2), base.schema, basis: try version(2))
      builder.remove(key(4), basis: try version(4))
      objects[key(1)]!["bytes"] = bytes
      objects[key(2)]!["bytes"] = nil
      objects[key(4)] = nil
    }

    try expect(store, holds: objects)
    #expect(try Self.objects(before.0) == before.1)
    store = try reopen(store)
    try expect(store, holds: objects)
    try store.close()
  }
}
