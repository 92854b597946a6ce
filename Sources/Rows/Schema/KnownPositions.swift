/// The positions of keys in a list. The keys are names or numbers without duplicates.
///
/// In most lists the keys ascend; they are found by binary search and need no extra memory. Otherwise a table is
/// kept.
struct KnownPositions<Key: Hashable & Comparable & Sendable>: Hashable, Sendable {
  /// The table; `nil` if the keys ascend.
  private let table: [Key: Int]?

  /// Creates the positions of `count` keys; `nil` when a key occurs twice.
  init?(_ count: Int, _ key: (Int) -> Key) {
    var ascends = true
    var index = 1
    while ascends, index < count {
      ascends = key(index - 1) < key(index)
      index += 1
    }
    if ascends {
      table = nil
      return
    }
    var table: [Key: Int] = [:]
    table.reserveCapacity(count)
    for index in 0..<count where table.updateValue(index, forKey: key(index)) != nil { return nil }
    self.table = table
  }

  /// Returns the position of a key in a list of `count` keys; `nil` when the list lacks the key.
  func position(of wanted: Key, among count: Int, _ key: (Int) -> Key) -> Int? {
    if let table { return table[wanted] }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key(middle) < wanted { low = middle + 1 } else { high = middle }
    }
    return low < count && key(low) == wanted ? low : nil
  }
}
