import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// The cases of a store's metadata, its leases of keys, and its closing.
extension CaseRun {
  func metadata() throws {
    var store = try make()
    var snapshot = try store.snapshot()
    let first = try snapshot.metadata
    check(
      "The type in the metadata", is: store.type.rawValue, found: first.type?.rawValue ?? "none")
    check(
      first.uuid.map(StoreTag.init) == store.tag,
      "The tag of the store is not the first eight bytes of the UUID in its metadata.")
    check(
      first.versionHashes == StoreConformance.model.versionHashes,
      "The version hashes in the metadata are not those of the model.")
    var changed = first
    changed.values["owner"] = .dictionary(["name": .string("Ada"), "n": .integer(-3)])
    snapshot = try store.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: changed))
    check(
      try snapshot.metadata == changed,
      "The snapshot that a commit of new metadata returns does not have the saved metadata.")
    store = try reopen(store)
    check(
      try store.snapshot().metadata == changed,
      "The reopened store does not have the saved metadata.")
    try store.close()
  }

  func leases() throws {
    var store = try make()
    var seen: Set<UInt64> = []
    let number = try key(store, "Thing", 1).entity
    for (round, count) in [1, 10, 5000, 1, 70_000, 3, 2].enumerated() {
      let lease = try store.leaseKeys(ofEntity: number, count: count)
      check(
        lease.count >= count && lease.lowerBound >= 1,
        "Asked for \(count) keys, the store returned \(lease.lowerBound)..<\(lease.upperBound): expected at least "
          + "\(count) keys, from 1 on.")
      guard lease.count < 1 << 24 else {
        throw End.finding(
          "Asked for \(count) keys, the store returned \(lease.count) keys, which is too many.")
      }
      let again = lease.filter { !seen.insert($0).inserted }
      check(
        again.isEmpty,
        "Of the \(lease.count) keys \(lease.lowerBound)..<\(lease.upperBound), \(again.count) were returned "
          + "before, such as \(again.first ?? 0).")
      if round == 1 || round == 5 { store = try reopen(store) }
    }
    // An object may come with a key of another store, such as in a copy.
    let foreign = ObjectKey(entity: number, number: seen.max()! + 700)
    try store.commit(request(1, for: foreign, above: store.snapshot()))
    store = try reopen(store)
    for _ in 0..<4 {
      let lease = try store.leaseKeys(ofEntity: number, count: 500)
      check(
        !lease.contains(foreign.number),
        "The store leased the keys \(lease.lowerBound)..<\(lease.upperBound), but an object with the key \(foreign.number) is there."
      )
    }
    try store.close()
  }

  func closing() throws {
    let store = try make()
    let snapshot = try store.snapshot()
    try store.close()
    do { try store.close() } catch {
      check(
        false, "Closing a closed store must do nothing, but failed: \(CaseRun.text(error))"
      )
    }
    check(
      "A snapshot from before its store was closed", snapshot.schema, holds: [:],
      found: try StoreConformance.objects(snapshot))
    refused(.closed, "Asking a closed store for a snapshot") { try store.snapshot() }
    refused(.closed, "Committing to a closed store") {
      try store.commit(CommitRequest(Layer(), basedOn: snapshot))
    }
  }
}
