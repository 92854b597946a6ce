import Rows
import StoreInterface

/// The lanes of object numbers after a commit.
struct CommitLanes {
  let all: StoreLanes
  /// Whether the commit changes the lanes.
  let isChanged: Bool
  /// Whether the commit draws the lane in which the file counts from then on.
  let isDrawn: Bool

  /// Returns the first free key of each entity after the given changes. A caller may choose keys without reserving
  /// them; the store must not give these keys to another caller (spec §4.4.3). Keys of another lane do not count,
  /// because another copy gives them.
  func nextKeys(_ keys: [UInt16: UInt64], above changes: Layer) throws -> [UInt16: UInt64] {
    var keys = keys
    let numbers = all.countedNumbers
    for entity in changes.entities {
      guard let highest = try entity.put.highestKey(in: numbers) else { continue }
      let next = all.firstFreeNumber(after: keys[entity.entityNumber])
      keys[entity.entityNumber] = max(next, highest + 1)
    }
    return keys
  }
}
