/// Where each of some keys is in a list: names or numbers, none of them there twice.
///
/// Keys that ascend, as those of most lists do, are found by halving the list and take nothing beside it.
/// Of others a table is kept.
struct KnownPositions<Key: Hashable & Comparable & Sendable>: Hashable, Sendable {
  /// `nil` where the keys ascend.
  private let table: [Key: Int]?

  /// The positions of so many keys; `nil` when one is there twice.
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

  /// The position of a key among so many; `nil` when it is not there.
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
