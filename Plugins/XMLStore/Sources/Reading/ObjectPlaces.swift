/// Where the objects of a document are, by their numbers.
struct ObjectPlaces {
  /// An object: which entity's, and which of its objects.
  struct Place {
    var entity: Int
    var row: Int
  }

  /// Places of low numbers, by number: entity and row in 24 and 40 bits, from 1.
  private var dense: [UInt64] = []
  private var sparse: [UInt64: UInt64] = [:]
  private(set) var count = 0
  /// The highest number.
  private(set) var highest: UInt64 = 0

  /// The object with the given number; `nil` when there is none.
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

  /// Notes an object; false when one has the number already.
  mutating func insert(_ number: UInt64, _ place: Place) -> Bool {
    let packed = UInt64(place.entity) << 40 | UInt64(place.row + 1)
    // Numbers that are far above the count would take memory for nothing.
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
    highest = max(highest, number)
    return true
  }
}
