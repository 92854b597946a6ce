import StoreInterface

/// The leased keys for new objects of one entity. The store gives them to no other object.
struct KeyLease {
  private var keys: Range<UInt64> = 0..<0
  /// The number of keys of the next lease; `nil` before the first lease.
  private var leaseSize: Int?
  /// The most keys of one lease. A lease costs a write to the disk, so leases double in size up to this number.
  private static let largestLease = 65_536

  /// Returns the next key.
  mutating func next(ofEntity entity: UInt16, in store: PersistentStore) throws -> UInt64 {
    if keys.isEmpty {
      let count = leaseSize ?? store.firstLeaseCount
      keys = try store.store.leaseKeys(ofEntity: entity, count: count)
      leaseSize = min(count * 2, KeyLease.largestLease)
    }
    defer { keys = keys.dropFirst() }
    return keys.lowerBound
  }
}
