import DiskSimulation
import DurableFiles
import StoreInterface
import Synchronization

/// The memory that the faulty stores of a process share, for faults that only another process can notice.
final class ProcessMemory: Sendable {
  private struct Shared {
    var nextKey: UInt64 = 1
    var newest: (any StoreSnapshot)?
  }

  /// A process and the path of a store.
  struct Place: Hashable {
    let process: ProcessIdentity
    let path: String

    init?(_ path: String, on disk: any Disk) {
      guard let disk = disk as? SimulatedDisk else { return nil }
      (process, self.path) = (disk.process, path)
    }
  }

  private let places = Mutex<[Place: Shared]>([:])

  /// Returns keys that no store of the process has leased before.
  func leaseKeys(at place: Place, count: Int) -> Range<UInt64> {
    places.withLock { places in
      let first = places[place, default: Shared()].nextKey
      places[place, default: Shared()].nextKey += UInt64(count)
      return first..<first + UInt64(count)
    }
  }

  /// Returns the newest snapshot that the process knows. The first one is read.
  func newest(
    at place: Place, _ read: () throws -> any StoreSnapshot
  ) throws -> any StoreSnapshot {
    if let known = places.withLock({ $0[place]?.newest }) { return known }
    let first = try read()
    note(first, at: place)
    return first
  }

  /// Notes the snapshot of a commit of the process.
  func note(_ snapshot: any StoreSnapshot, at place: Place) {
    places.withLock { $0[place, default: Shared()].newest = snapshot }
  }
}
