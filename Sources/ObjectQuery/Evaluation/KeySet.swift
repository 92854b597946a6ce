// SAFETY: There are words up to the highest number of each entity.

import ObjectModel

/// A set of objects, for many membership tests.
///
/// The set uses one bit for each number if the numbers are dense, and a hash table if they are not.
struct KeySet {
  private var bits: [UInt16: [UInt64]] = [:]
  private var scattered: Set<ObjectKey> = []

  init(_ keys: [ObjectKey]) {
    var highest: [UInt16: UInt64] = [:]
    for key in keys { highest[key.entity] = max(highest[key.entity] ?? 0, key.number) }
    for (entity, number) in highest where number / 64 <= UInt64(keys.count) * 4 + 65_536 {
      bits[entity] = Array(repeating: 0, count: Int(number / 64) + 1)
    }
    // The keys are added entity by entity, so that the words are looked up once for each entity.
    for entity in bits.keys {
      unsafe bits[entity]!.withUnsafeMutableBufferPointer { words in
        for key in keys where key.entity == entity {
          unsafe words[Int(key.number / 64)] |= 1 << (key.number % 64)
        }
      }
    }
    for key in keys where bits[key.entity] == nil { scattered.insert(key) }
  }

  @inline(__always)
  func contains(_ key: ObjectKey) -> Bool {
    if let words = bits[key.entity] {
      let word = Int(key.number / 64)
      return word < words.count && words[word] >> (key.number % 64) & 1 != 0
    }
    return !scattered.isEmpty && scattered.contains(key)
  }

  /// The words of the only entity's bits; `nil` if there are several entities or if the numbers are not dense.
  var onlyWords: (entity: UInt16, words: [UInt64])? {
    guard bits.count == 1, scattered.isEmpty, let only = bits.first else { return nil }
    return (only.key, only.value)
  }
}
