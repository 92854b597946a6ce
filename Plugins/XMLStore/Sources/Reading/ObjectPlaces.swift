/// The places of a document's objects, by their numbers.
struct ObjectPlaces {
  /// The place of an object: its entity, and its position among the entity's objects.
  struct Place {
    var entity: Int
    var row: Int
  }

  /// The places of objects with low numbers, by number: the entity in 24 bits, and the row, counted from 1, in 40 bits.
  private var dense: [UInt64] = []
  private var sparse: [UInt64: UInt64] = [:]
  private(set) var count = 0

  /// The place of the object with the given number, if any.
  subscript(number: UInt64) -> Place? {
    let packed: UInt64
    if number < UInt64(dense.count) {
      packed = dense[Int(number)]
    } else {
      guard let found = sparse[number] else { return nil }
      packed = found
    }
    guard packed != 0 else { return nil }
    return Place(entity: Int(packed >> 40), row: Int(packed & (1 << 40 - 1)) - 1)
  }

  /// Adds an object. Returns `false` if another object has the same number.
  mutating func insert(_ number: UInt64, _ place: Place) -> Bool {
    let packed = UInt64(place.entity) << 40 | UInt64(place.row + 1)
    // An array would waste memory on numbers far above the count.
    if number < UInt64(dense.count) || number < UInt64(count) * 4 + 4096 {
      if number >= UInt64(dense.count) {
        if !sparse.isEmpty, sparse[number] != nil { return false }
        let room = max(Int(number) + 1, dense.count * 2)
        let first = dense.count
        dense.reserveCapacity(room)
        dense.append(contentsOf: repeatElement(0, count: room - first))
        if !sparse.isEmpty {
          for (key, value) in sparse where key < UInt64(room) {
            dense[Int(key)] = value
            sparse[key] = nil
          }
        }
      }
      if dense[Int(number)] != 0 { return false }
      dense[Int(number)] = packed
    } else {
      if sparse.updateValue(packed, forKey: number) != nil { return false }
    }
    count += 1
    return true
  }
}
