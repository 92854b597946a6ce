import Rows
import StoreInterface

/// A save that touches several stores: what each of them is to commit.
///
/// Stores of one document commit as one. Others commit one after another; when one refuses, those before it
/// commit the opposite of what they took, so that all are as they were. A crash in between leaves some of them
/// saved: only a document is all or nothing then.
struct PreparedSave {
  private let parts: [(store: any Store, request: CommitRequest)]

  init(_ parts: [(store: any Store, request: CommitRequest)]) { self.parts = parts }

  /// Commits all parts.
  ///
  /// - Throws: What the first store throws that refuses. When a store could not take back what it had taken before,
  ///   an error that says so, and has the other as its cause.
  func commit() throws -> [any StoreSnapshot] {
    if let group = parts[0].store.group, parts.allSatisfy({ $0.store.group === group }) {
      return try group.commit(parts)
    }
    var befores: [any StoreSnapshot] = []
    var afters: [any StoreSnapshot] = []
    // A store that would refuse anyway does so before any has committed.
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
          failures.append("the store\(at(store.path)) could not: \(error)")
        }
      }
      guard failures.isEmpty else {
        // Not the code of the first error: whoever is told of a conflict may try again, above what is only partly saved.
        throw StoreError(
          .failed,
          """
          A store refuses the changes: \(error). The others were to take back what they had taken, and \
          \(failures.joined(separator: "; and ")). It has changes of a save that the others do not have.
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
    // Each change is based on the row that this save has left: what others have saved of other objects since is no
    // reason not to take it back.
    let back = try before.changes(since: after)
    // What others keep in the metadata is not this save's.
    let metadata = try part.request.metadata.map { _ in try before.metadata }
    _ = try part.store.commit(CommitRequest(back, basedOn: after, metadata: metadata))
  }
}
