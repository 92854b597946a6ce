// SAFETY: There are words up to the highest number of each entity.

import ObjectModel

/// A set of objects, for many membership tests.
///
/// The set uses one bit for each number up to a limit that grows with the set, and a hash table for higher numbers. Numbers
/// of other lanes are far above the others, and must not cost the others their bits.
struct KeySet {
  private var bits: [UInt16: [UInt64]] = [:]
  private var scattered: Set<ObjectKey> = []

  init(_ keys: [ObjectKey]) {
    let limit = (UInt64(keys.count) * 4 + 65_536) * 64
    var highest: [UInt16: UInt64] = [:]
    for key in keys where key.number < limit {
      highest[key.entity] = max(highest[key.entity] ?? 0, key.number)
    }
    for (entity, number) in highest {
      bits[entity] = Array(repeating: 0, count: Int(number / 64) + 1)
    }
    // The keys are added entity by entity, so that the words are looked up once for each entity.
    for entity in bits.keys {
      unsafe bits[entity]!.withUnsafeMutableBufferPointer { words in
        for key in keys where key.entity == entity && key.number < limit {
          unsafe words[Int(key.number / 64)] |= 1 << (key.number % 64)
        }
      }
    }
    for key in keys where key.number >= limit { scattered.insert(key) }
  }

  @inline(__always)
  func contains(_ key: ObjectKey) -> Bool {
    if let words = bits[key.entity], case let word = key.number / 64, word < UInt64(words.count) {
      return words[Int(word)] >> (key.number % 64) & 1 != 0
    }
    return !scattered.isEmpty && scattered.contains(key)
  }
}
