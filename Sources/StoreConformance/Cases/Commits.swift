import ObjectModel
import Rows
import StoreInterface

/// The cases of snapshots and conflicting commits.
extension CaseRun {
  func snapshotsStay() throws {
    let store = try make()
    let key = try key(store, "Thing", 1)
    var snapshots: [any StoreSnapshot] = [try store.snapshot()]
    for number in 0..<40 {
      let base = snapshots[number]
      let builder = LayerBuilder(base.schema)
      if number == 0 { builder.insert(key) }
      builder.set(
        .integer(Int64(number)), "large", of: key, base.schema,
        basis: number == 0 ? 0 : try version(of: key, in: base))
      snapshots.append(try store.commit(CommitRequest(builder.freeze(), basedOn: base)))
    }
    for (number, snapshot) in snapshots.enumerated() {
      check(
        "The snapshot after save \(number) of 40, read after all saves",
        snapshot.schema,
        holds: number == 0 ? [:] : [key: ["large": .integer(Int64(number - 1))]],
        found: try StoreConformance.objects(snapshot))
    }
    try check("The store after 40 saves", store, holds: [key: ["large": .integer(39)]])
    try store.close()
  }

  func conflicts() throws {
    let store = try make()
    let empty = try store.snapshot()
    let keys = try (1...4).map { try key(store, "Thing", $0) }
    let builder = LayerBuilder(empty.schema)
    for key in keys {
      builder.insert(key)
      builder.set(.string("first"), "name", of: key, empty.schema)
    }
    let base = try store.commit(CommitRequest(builder.freeze(), basedOn: empty))
    func change(_ key: ObjectKey, _ name: String) throws -> Layer {
      let builder = LayerBuilder(base.schema)
      builder.set(
        .string(name), "name", of: key, base.schema, basis: try version(of: key, in: base))
      return builder.freeze()
    }
    // Two later saves change one object and remove another one.
    let others = try store.commit(CommitRequest(change(keys[0], "theirs"), basedOn: base))
    let removal = LayerBuilder(base.schema)
    removal.remove(keys[1], basis: try version(of: keys[1], in: others))
    let head = try store.commit(CommitRequest(removal.freeze(), basedOn: others))

    // An object unchanged since the old snapshot may be changed on its base.
    try store.commit(CommitRequest(change(keys[2], "ours"), basedOn: base))
    for (key, done) in [(keys[0], "changed"), (keys[1], "removed")] {
      let late = try change(key, "ours")
      guard
        let error = refused(
          .conflict, "Changing an object that another save has \(done) since",
          { try store.commit(CommitRequest(late, basedOn: base)) })
      else { continue }
      check(
        "The keys in the refusal for an object that another save has \(done)", is: [key],
        found: error.conflicts.map(\.key))
      check(
        "The version in the refusal for an object that another save has \(done)",
        is: try head.view.row(of: key)?.version, found: error.conflicts.first?.current)
    }
    // An object that exists can't be inserted again.
    let again = LayerBuilder(base.schema)
    again.insert(keys[3])
    let insertion = again.freeze()
    refused(.conflict, "Inserting an object that another save has inserted since") {
      try store.commit(CommitRequest(insertion, basedOn: empty))
    }
    try check(
      "After accepted and refused changes", store,
      holds: [
        keys[0]: ["name": .string("theirs")], keys[2]: ["name": .string("ours")],
        keys[3]: ["name": .string("first")],
      ])
    try store.close()
  }

  /// Checks that a commit that requires a certain newest commit is refused after any other commit.
  func overtaken() throws {
    let store = try make()
    let empty = try store.snapshot()
    let keys = try (1...3).map { try key(store, "Thing", $0) }
    func insertion(_ key: ObjectKey) -> Layer {
      let builder = LayerBuilder(empty.schema)
      builder.insert(key)
      return builder.freeze()
    }
    var request = CommitRequest(insertion(keys[0]), basedOn: empty)
    request.requiredCommit = empty.commit
    let first = try store.commit(request)
    // Leasing keys is not a commit.
    _ = try store.leaseKeys(ofEntity: keys[0].entity, count: 5000)
    request = CommitRequest(insertion(keys[1]), basedOn: empty)
    for required in [empty.commit, first.commit + 1] {
      request.requiredCommit = required
      refused(
        .overtaken,
        "Changes that must follow commit \(required), when commit \(first.commit) is the newest,"
      ) { try store.commit(request) }
    }
    request = CommitRequest(Layer(), basedOn: empty)
    request.requiredCommit = empty.commit
    refused(.overtaken, "A request without changes that must follow an old commit,") {
      try store.commit(request)
    }
    try check("After changes that followed an old commit", store, holds: [keys[0]: [:]])
    check(
      "The newest commit after refused commits", is: first.commit,
      found: try store.snapshot().commit)
    request = CommitRequest(insertion(keys[1]), basedOn: empty)
    request.requiredCommit = first.commit
    try store.commit(request)
    // A request that is in conflict and comes too late is refused as a conflict.
    request = CommitRequest(insertion(keys[1]), basedOn: empty)
    request.requiredCommit = first.commit
    refused(
      .conflict, "Changes that follow an old commit, of an object that another save has changed,"
    ) {
      try store.commit(request)
    }
    try store.commit(CommitRequest(insertion(keys[2]), basedOn: empty))
    try check("After all commits", store, holds: [keys[0]: [:], keys[1]: [:], keys[2]: [:]])
    try store.close()
  }

  /// Checks that only the newest commit can be held, and that the store accepts commits afterwards.
  func holding() throws {
    let store = try make()
    let first = try store.snapshot()
    let builder = LayerBuilder(first.schema)
    builder.insert(try key(store, "Thing", 3))
    let next = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    check(
      "The newest commit while it is held", is: next.commit,
      found: try store.holding(commit: next.commit) { try store.snapshot().commit })
    var isCalled = false
    refused(.overtaken, "Holding a commit that is not the newest") {
      try store.holding(commit: first.commit) { isCalled = true }
    }
    check(
      !isCalled, "Holding a commit that is not the newest must not run the body, but ran it."
    )
    struct Enough: Error {}
    do {
      try store.holding(commit: next.commit) { throw Enough() }
      check(false, "An error that is thrown while a commit is held must be rethrown, but was not.")
    } catch is Enough {
    } catch {
      check(
        false,
        "An error that is thrown while a commit is held must be rethrown unchanged, but was rethrown as: "
          + CaseRun.text(error))
    }
    do {
      try store.commit(CommitRequest(Layer(), basedOn: next, metadata: next.metadata))
    } catch {
      check(
        false,
        "A commit after the end of a hold must succeed, but was refused: "
          + CaseRun.text(error))
    }
    try store.close()
  }
}
