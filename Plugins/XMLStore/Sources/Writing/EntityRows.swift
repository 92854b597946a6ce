import ObjectModel
import Rows

/// The objects of one entity in the order of their numbers, with the places of their rows.
struct EntityRows {
  let layout: Layout
  let blocks: [Block]
  let keys: [UInt64]
  /// For each object its block in 40 bits and its row there in 24 bits.
  let locations: [UInt64]

  /// Creates the rows of the objects that a view shows.
  init(_ layout: Layout, _ view: View) throws {
    self.layout = layout
    let batches = try view.batches(of: layout)
    blocks = batches.map(\.block)
    var found: [(key: UInt64, location: UInt64)] = []
    found.reserveCapacity(batches.reduce(0) { $0 + $1.rowCount })
    var ascends = true
    for (index, batch) in batches.enumerated() {
      let keys = try batch.block.keys
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        let key = UInt64(bitPattern: keys.integer(at: row))
        if let last = found.last, last.key > key { ascends = false }
        found.append((key, UInt64(index) << 24 | UInt64(row)))
      }
    }
    if !ascends { found.sort { $0.key < $1.key } }
    keys = found.map(\.key)
    locations = found.map(\.location)
  }

  /// Returns the position of the object with the given number, or `nil`.
  func place(of key: UInt64) -> Int? {
    guard let first = keys.first, let last = keys.last, key >= first, key <= last else {
      return nil
    }
    // Without gaps, the position follows from the number.
    if last - first == UInt64(keys.count - 1) { return Int(key - first) }
    let place = keys.firstPosition { $0 >= key }
    return keys[place] == key ? place : nil
  }
}
