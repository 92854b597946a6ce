/// A hash table from keys to numbers: open addressing, sixteen bytes for each slot, at most three quarters full.
///
/// The builder of a layer finds its pending rows with this table. Layers need no table, because their keys are
/// sorted.
struct KeyTable {
  private var keys: [UInt64] = []
  private var values: [UInt64] = []
  private(set) var count = 0

  /// The number that marks a removed key. It is never stored as a value.
  private static let taken = UInt64.max
  /// The key that marks a slot that was never used. Keys have 48 bits.
  private static let free = UInt64.max

  private func slot(of key: UInt64) -> Int {
    let mask = keys.count - 1
    var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
    while keys[slot] != key && keys[slot] != KeyTable.free { slot = (slot + 1) & mask }
    return slot
  }

  /// The number stored for the given key.
  subscript(key: UInt64) -> UInt64? {
    get {
      guard !keys.isEmpty else { return nil }
      let slot = slot(of: key)
      return keys[slot] == key && values[slot] != KeyTable.taken ? values[slot] : nil
    }
    set {
      if newValue != nil, (count + 1) * 4 > keys.count * 3 { grow() }
      guard !keys.isEmpty else { return }
      let slot = slot(of: key)
      guard let newValue else {
        // The key stays, so that keys after it are still found.
        if keys[slot] == key { values[slot] = KeyTable.taken }
        return
      }
      if keys[slot] != key {
        keys[slot] = key
        count += 1
      }
      values[slot] = newValue
    }
  }

  private mutating func grow() {
    let (oldKeys, oldValues) = (keys, values)
    let capacity = max(16, keys.count * 2)
    keys = [UInt64](repeating: KeyTable.free, count: capacity)
    values = [UInt64](repeating: KeyTable.taken, count: capacity)
    count = 0
    for (key, value) in zip(oldKeys, oldValues) where value != KeyTable.taken {
      let slot = slot(of: key)
      keys[slot] = key
      values[slot] = value
      count += 1
    }
  }
}
