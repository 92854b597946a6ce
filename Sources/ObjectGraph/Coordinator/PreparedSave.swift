import Rows
import StoreInterface

/// A save that changes several stores: the commit request of each store.
///
/// Stores of one document commit together. Independent stores commit one after another; if one store refuses, the
/// earlier stores commit the inverse of their changes. A crash in between leaves some of these stores saved: only a
/// document is saved as a whole or not at all.
struct PreparedSave {
  private let parts: [(store: any Store, request: CommitRequest)]

  init(_ parts: [(store: any Store, request: CommitRequest)]) { self.parts = parts }

  /// Commits all parts.
  ///
  /// - Throws: The error of the first store that refuses. If an earlier store could not revert its changes, an error
  ///   that says so, with the first error as its cause.
  func commit() throws -> [any StoreSnapshot] {
    if let group = parts[0].store.features.group,
      parts.allSatisfy({ $0.store.features.group === group })
    {
      return try group.commit(parts)
    }
    var befores: [any StoreSnapshot] = []
    var afters: [any StoreSnapshot] = []
    // If a store would refuse its request, the save fails here, before any store has committed.
    for part in parts {
      let head = try part.store.snapshot()
      try part.request.check(against: head, path: part.store.path)
      befores.append(head)
    }
    do {
      for part in parts { afters.append(try part.store.commit(part.request)) }
    } catch {
      var failures: [String] = []
      for index in afters.indices.reversed() {
        let store = parts[index].store
        do { try takeBack(parts[index], afters[index], to: befores[index]) } catch {
          failures.append("the store\(at(store.path)) failed to revert: \(error)")
        }
      }
      guard failures.isEmpty else {
        // The code differs from the code of the first error. A caller may retry after a conflict, but must not retry
        // when one store is already saved.
        throw StoreError(
          .failed,
          """
          A store refuses the changes: \(error). The other stores had to revert the save, and \
          \(failures.joined(separator: "; and ")). A store that failed to revert keeps changes of this \
          save that the other stores do not have.
          """, cause: error)
      }
      throw error
    }
    return afters
  }

  private func takeBack(
    _ part: (store: any Store, request: CommitRequest), _ after: any StoreSnapshot,
    to before: any StoreSnapshot
  ) throws {
    // Each change is based on the row of this save, so a later save of different objects does not prevent the inverse.
    let back = try before.changes(since: after)
    // The metadata is reverted only if this save has changed it.
    let metadata = try part.request.metadata.map { _ in try before.metadata }
    _ = try part.store.commit(CommitRequest(back, basedOn: after, metadata: metadata))
  }
}
