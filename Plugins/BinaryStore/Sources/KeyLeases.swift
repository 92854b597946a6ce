import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// The keys that an open store has reserved in its file, and that no caller has taken yet: they can be taken without
/// waiting for a save.
final class KeyLeases: Sendable {
  /// The reserved keys of one entity.
  struct Lease {
    var left: Range<UInt64> = 0..<0
    /// The number of keys that the last caller took.
    var wanted: UInt64 = 0
    /// The number of keys that were reserved in the file at a time, last.
    var reserved: UInt64 = 0
    /// The number of times that a caller took keys.
    var takings = 0
  }

  private let leases = Mutex<[UInt16: Lease]>([:])

  /// The most keys of one reservation, unless the caller needs more.
  static let mostReserved: UInt64 = 4096

  subscript(entity: UInt16) -> Lease {
    get { leases.withLock { $0[entity] } ?? Lease() }
    set { leases.withLock { $0[entity] = newValue } }
  }

  /// Returns keys from those reserved in memory; `nil` if too few are left.
  func take(_ entity: UInt16, _ count: UInt64) -> Range<UInt64>? {
    leases.withLock { leases in
      guard let left = leases[entity]?.left, UInt64(left.count) >= count else { return nil }
      leases[entity]!.left = left.lowerBound + count..<left.upperBound
      leases[entity]!.wanted = count
      leases[entity]!.takings += 1
      return left.lowerBound..<left.lowerBound + count
    }
  }

  /// Reserves more keys with a commit at no extra cost. A document's store is written in the background, so a context
  /// that inserts objects meanwhile need not wait for a sync. A program that has taken keys only once may need no more.
  ///
  /// - Returns: For each entity the new end of its reserved keys.
  func refill(
    _ image: inout CommitImage, after head: CommittedState
  ) throws -> [UInt16: UInt64] {
    var ends: [UInt16: UInt64] = [:]
    let known = leases.withLock { $0 }
    for (number, lease) in known
    where lease.takings > 1 && image.record.nextKeys[number] == lease.left.upperBound {
      let least = max(2 * lease.wanted, KeyLeases.mostReserved / 2)
      let end = lease.left.upperBound + 2 * least
      guard UInt64(lease.left.count) < least, end <= ObjectKey.highestNumber else { continue }
      // Another process may have drawn another lane since.
      let numbers = try head.metadata.lanes.countedNumbers
      guard numbers.contains(lease.left.upperBound), end <= numbers.upperBound else { continue }
      image.record.nextKeys[number] = end
      ends[number] = end
    }
    return ends
  }

  /// Makes the keys available that a confirmed commit reserved.
  func extend(to ends: [UInt16: UInt64]) {
    leases.withLock { leases in
      for (number, end) in ends {
        guard let lease = leases[number], lease.left.upperBound < end else { continue }
        leases[number]!.left = lease.left.lowerBound..<end
      }
    }
  }
}
