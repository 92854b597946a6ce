import StoreInterface

/// The keys for new objects of one entity that were leased from its store, so that no other object gets them.
struct KeyLease {
  private var keys: Range<UInt64> = 0..<0
  private var leaseSize = 16
  /// The most keys of one lease. Each lease is a step of the disk, so that leases grow with the insertions.
  private static let largestLease = 65_536

  /// Returns the next key.
  mutating func next(ofEntity entity: UInt16, in store: PersistentStore) throws -> UInt64 {
    if keys.isEmpty {
      keys = try store.store.leaseKeys(ofEntity: entity, count: leaseSize)
      leaseSize = min(leaseSize * 2, KeyLease.largestLease)
    }
    defer { keys = keys.dropFirst() }
    return keys.lowerBound
  }
}
