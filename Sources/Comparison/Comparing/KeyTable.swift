/// The keys of the objects of one entity on one side, with 28 bytes for each object.
struct KeyTable {
  /// The numbers of the objects that have a key, ascending.
  private var numbers: [UInt64] = []
  /// The hashes of the keys, in the order of the numbers.
  private var hashes: [UInt128] = []
  /// The positions of the objects in the order of their hashes.
  private var order: [Int32] = []
  /// The number of objects without a value for some property of the key.
  private(set) var unkeyedCount = 0

  /// Adds an object. Objects are added in the order of their numbers.
  ///
  /// - Parameter hash: The hash of the key; `nil` if the object has none.
  mutating func append(_ number: UInt64, _ hash: UInt128?) {
    guard let hash else {
      unkeyedCount += 1
      return
    }
    numbers.append(number)
    hashes.append(hash)
  }

  /// Sorts the keys. Called once after the last object was added.
  ///
  /// - Returns: The objects of the first key that several objects have, and the number of such keys.
  mutating func sort() -> (objects: [UInt64], keyCount: Int) {
    order = numbers.indices.map { Int32($0) }
    order.sort { (hashes[Int($0)], $0) < (hashes[Int($1)], $1) }
    var (first, keyCount, index) = ([UInt64](), 0, 0)
    while index < order.count {
      let hash = hashes[Int(order[index])]
      let run = order[index...].prefix { hashes[Int($0)] == hash }
      if run.count > 1 {
        keyCount += 1
        let objects = run.map { numbers[Int($0)] }
        if first.isEmpty || objects[0] < first[0] { first = objects }
      }
      index += run.count
    }
    return (first, keyCount)
  }

  /// Returns the hash of an object's key; `nil` if the object has no key or does not exist.
  func hash(of number: UInt64) -> UInt128? {
    let place = numbers.firstPlace { $0 >= number }
    return place < numbers.count && numbers[place] == number ? hashes[place] : nil
  }

  /// Returns the object whose key has the given hash.
  func number(of hash: UInt128) -> UInt64? {
    let place = order.firstPlace { hashes[Int($0)] >= hash }
    guard place < order.count, hashes[Int(order[place])] == hash else { return nil }
    return numbers[Int(order[place])]
  }
}

extension Array {
  /// Returns the position of the first element for which a condition is true. It is false for all elements before.
  fileprivate func firstPlace(where isTrue: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
