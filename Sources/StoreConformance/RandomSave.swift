import Foundation
import ObjectModel
import Rows
public import SeededRandom
public import StoreInterface

extension StoreConformance {
  /// Returns random changes of things: some are inserted, some changed, some removed.
  ///
  /// - Parameters:
  ///   - objects: The objects in the snapshot.
  ///   - valueByteCount: The number of bytes of a value that the first changed thing gets.
  ///   - keys: The numbers of the things.
  /// - Returns: The objects as they are once the request is committed, and the request.
  public static func randomSave(
    of changes: Int, to objects: Objects, above base: any StoreSnapshot, valueByteCount: Int = 0,
    keys: ClosedRange<UInt64> = 1...30,
    _ generator: inout SeededGenerator
  ) throws -> (objects: Objects, request: CommitRequest) {
    let view = base.view
    let builder = LayerBuilder(base.schema)
    var next = objects
    let entity = base.schema["Thing"]!.entityNumber
    for index in 0..<changes {
      let key = ObjectKey(entity: entity, number: .random(in: keys, using: &generator))
      let version = try view.row(of: key)?.version
      if next[key] == nil {
        if objects[key] != nil { continue }
        builder.insert(key)
        next[key] = [:]
      } else if objects[key] != nil, Int.random(in: 0..<4, using: &generator) == 0 {
        builder.remove(key, basis: version!)
        next[key] = nil
        continue
      }
      let number = Value.integer(.random(in: 0...1_000_000, using: &generator))
      builder.set(number, "large", of: key, base.schema, basis: version ?? 0)
      next[key]!["large"] = number
      if valueByteCount > 0, index == 0 {
        let bytes = Value.binary(
          StoreConformance.bytes(valueByteCount, step: 31))
        builder.set(bytes, "bytes", of: key, base.schema, basis: version ?? 0)
        next[key]!["bytes"] = bytes
      }
    }
    return (next, CommitRequest(builder.freeze(), basedOn: base))
  }

  /// Returns bytes of which each is greater than the previous one by a step. They repeat after 256 bytes.
  ///
  /// Copying the period is much faster than computing each byte, which matters for megabytes in a debug build.
  static func bytes(_ count: Int, step: Int, from first: Int = 0) -> Data {
    let period = Data((0..<256).map { UInt8(truncatingIfNeeded: $0 &* step &+ first) })
    var bytes = Data(capacity: count + period.count)
    while bytes.count < count { bytes.append(period) }
    return bytes.prefix(count)
  }
}
