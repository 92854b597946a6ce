import ObjectModel
import Rows
import StoreInterface

/// The cases of stores in documents: commits with a number and a confirmation, and stores opened at a commit.
struct ConfirmationCases {
  let run: CaseRun

  /// A store with one commit, opened at this commit.
  private struct Confirming {
    let path: String
    let number: Int64
    let thing: ObjectKey
    let store: any ConfirmingStore
    /// The path for the next commit: the store's own, or a new file for a store that keeps no earlier commits.
    let nextPath: String
    let keepsCommits: Bool

    /// The objects of a store after the thing got a number.
    func objects(_ number: Int64) -> StoreConformance.Objects {
      [thing: ["large": .integer(number)]]
    }
  }

  private func confirming() throws -> Confirming {
    let ground = try run.ground()
    guard ground.backend.capabilities.contains(.confirmation) else {
      throw CaseRun.End.skipped("the store does not declare the capability 'confirmation'")
    }
    let path = ground.newPath()
    let first = try run.create(at: path)
    let thing = try run.key(first, "Thing", 1)
    let head = try first.commit(run.request(1, for: thing, above: first.snapshot()))
    try first.close()
    let store = try run.open(path, StoreOpening(commit: head.commit)).confirming
    let keepsCommits = ground.backend.capabilities.contains(.history)
    return Confirming(
      path: path, number: head.commit, thing: thing, store: store,
      nextPath: keepsCommits ? path : ground.newPath(), keepsCommits: keepsCommits)
  }

  func confirmed() throws {
    let one = try confirming()
    let store = one.store
    let base = try store.snapshot()
    run.check(
      "The commit of a store that was opened at commit \(one.number)", is: one.number,
      found: base.commit)
    let number = one.number + 5
    let after = one.objects(2)
    var callCount = 0
    let head = try store.commit(
      run.request(2, for: one.thing, above: base),
      at: StorePosition(path: one.nextPath, commit: number)
    ) { snapshot in
      callCount += 1
      run.check("The number of the commit in its confirmation", is: number, found: snapshot.commit)
      run.check(
        "The objects in the confirmation of a commit", snapshot.schema, holds: after,
        found: try StoreConformance.objects(snapshot))
    }
    run.check("Calls of the confirmation", is: 1, found: callCount)
    run.check("The number of a confirmed commit", is: number, found: head.commit)
    try run.check("A store after a confirmed commit", store, holds: after)
    var nothing = CommitRequest(Layer(), basedOn: base)
    nothing.requiredCommit = base.commit
    run.refused(
      .overtaken,
      "A request without changes that must follow commit \(base.commit), when commit \(number) is the newest,"
    ) {
      try store.commit(nothing, at: StorePosition(path: one.nextPath, commit: number)) { _ in }
    }
    run.check(
      "A snapshot from before a confirmed commit", base.schema,
      holds: one.objects(1),
      found: try StoreConformance.objects(base))
    try store.close()

    let again = try run.open(one.nextPath, StoreOpening(commit: number))
    run.check(
      "The commit of a store that was opened at commit \(number)", is: number,
      found: try again.snapshot().commit)
    try run.check("A store that was opened at a confirmed commit", again, holds: after)
    try again.close()
    let old = try run.open(one.path, StoreOpening(commit: one.number))
    run.check(
      "The commit of a store that was opened at its former commit", is: one.number,
      found: try old.snapshot().commit)
    try run.check(
      "A store that was opened at its former commit", old, holds: one.objects(1))
    try old.close()
  }

  func unconfirmed() throws {
    struct Refusal: Error {}
    let one = try confirming()
    let store = one.store
    let base = try store.snapshot()
    let before = one.objects(1)
    let change = try run.request(2, for: one.thing, above: base)
    do {
      try store.commit(change, at: StorePosition(path: one.nextPath, commit: one.number + 1)) { _ in
        throw Refusal()
      }
      run.check(
        false, "A commit whose confirmation throws must throw the same error, but succeeded.")
    } catch is Refusal {
    } catch {
      run.check(
        false,
        "A commit whose confirmation throws must throw the same error, but threw: \(CaseRun.text(error))"
      )
    }
    run.check(
      "The commit of a store after an unconfirmed one", is: one.number,
      found: try store.snapshot().commit)
    let uncounted = one.number + 1
    // A server may have rolled the commit back, and then nothing has its number.
    if one.keepsCommits, try !run.ground().backend.recognizesAddress(one.path) {
      let again = try run.open(one.path, StoreOpening(readOnly: true, commit: one.number))
      run.check(
        "The highest commit of a store that was opened before an unconfirmed one", is: uncounted,
        found: try again.describe().highestCommit)
      try again.close()
    }
    try run.check("A store after an unconfirmed commit", store, holds: before)

    // The number of the unconfirmed commit is not used again.
    let nextPath = one.keepsCommits ? one.path : try run.ground().newPath()
    let number = one.number + 2
    try store.commit(
      run.request(3, for: one.thing, above: base), at: StorePosition(path: nextPath, commit: number)
    ) { _ in }
    try run.check(
      "A store after an unconfirmed commit and a confirmed one", store,
      holds: one.objects(3))
    run.check(
      try !store.commits().contains { $0.number == uncounted },
      "The store lists commit \(uncounted), which was not confirmed: expected only commits that count."
    )
    try store.close()
    let again = try run.open(nextPath, StoreOpening(commit: number))
    try run.check(
      "A reopened store after an unconfirmed commit and a confirmed one", again,
      holds: one.objects(3))
    try again.close()
    let old = try run.open(one.path, StoreOpening(commit: one.number))
    try run.check(
      "A store that was opened at the commit before an unconfirmed one", old, holds: before)
    try old.close()
  }

  func lostCommits() throws {
    let one = try confirming()
    try one.store.close()
    // A store that keeps no earlier commits may not know the number of the commit in its file.
    guard one.keepsCommits else {
      throw CaseRun.End.skipped(
        "the store keeps no earlier commits, so a document names a file for each commit")
    }
    for number in [one.number + 1, 1_000_000] {
      run.refused(
        .notFound, or: .damaged, "Opening a store at commit \(number), which it does not have,"
      ) {
        try run.open(one.path, StoreOpening(commit: number))
      }
    }
    let store = try run.open(one.path)
    try run.check(
      "A store that was not opened at a lost commit", store, holds: one.objects(1)
    )
    try store.close()
  }

  func advancing() throws {
    let one = try confirming()
    let writer = one.store
    guard writer.features.isShared else {
      throw CaseRun.End.skipped("the store does not declare the capability 'shared'")
    }
    let reader = try run.open(one.path, StoreOpening(commit: one.number)).confirming
    let number = one.number + 3
    let position = StorePosition(path: one.nextPath, commit: number)
    try writer.commit(run.request(2, for: one.thing, above: writer.snapshot()), at: position) { _ in
    }
    try run.check(
      "A store that is not told of another one's commit", reader,
      holds: one.objects(1))
    do {
      // A store that keeps no earlier commits has a file for each commit, which need not contain the number.
      let path = one.keepsCommits ? one.path : try run.ground().newPath()
      try reader.advance(to: StorePosition(path: path, commit: number + 100))
      run.check(false, "Advancing to a commit that does not exist must be refused, but succeeded.")
    } catch {}
    try run.check(
      "A store that could not advance", reader, holds: one.objects(1))
    // Another commit follows, which the reader is not told of yet.
    let later = StorePosition(
      path: one.keepsCommits ? one.path : try run.ground().newPath(), commit: number + 2)
    try writer.commit(run.request(3, for: one.thing, above: writer.snapshot()), at: later) { _ in }
    try reader.advance(to: position)
    run.check(
      "The commit of a store that advanced", is: number, found: try reader.snapshot().commit)
    try run.check("A store that advanced", reader, holds: one.objects(2))
    try reader.advance(to: later)
    try run.check("A store that advanced again", reader, holds: one.objects(3))
    try reader.close()
    try writer.close()
  }
}
