import Foundation
import Synchronization

/// The committed state of a database in memory. Transactions are copies of it.
final class MemoryTables: Sendable {
  /// The database at the newest commit, which nothing changes any more.
  let newest: Mutex<MemoryDatabase>
  /// The lock of the only writer.
  let turn = NSLock()
  /// The highest keys that were leased, by the numbers of entities.
  let keys = Mutex<[UInt16: UInt64]>([:])

  init(_ database: MemoryDatabase) { newest = Mutex(database) }
}
