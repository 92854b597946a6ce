import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of stores that free unused space on request.
struct SpaceCases {
  let run: CaseRun

  /// Frees the space of removed objects, and checks that nothing else has changed.
  func freeing() throws {
    let store = try run.make()
    guard let vacuuming = store.features.vacuuming else {
      throw CaseRun.End.skipped("the store has no function that frees space")
    }
    var generator = SeededGenerator(seed: run.suite.seed)
    try StoreConformance.populate(store, count: 200, &generator)
    let early = try store.snapshot()
    let earlyObjects = try StoreConformance.objects(early)
    try removeTags(store)
    let before = try store.snapshot()
    let objects = try StoreConformance.objects(before)
    let commits = try store.commits().map(\.number)

    try vacuuming.vacuum()

    try run.check("The store after its space was freed", store, holds: objects)
    run.check(
      "A snapshot from before the space was freed", early.schema, holds: earlyObjects,
      found: try StoreConformance.objects(early))
    run.check(
      "The number of the newest commit, after the space was freed", is: before.commit,
      found: try store.snapshot().commit)
    for commit in try store.commits().map(\.number) {
      run.check(
        commits.contains(commit), "Commit \(commit) is listed only after the space was freed.")
      _ = try StoreConformance.objects(store.snapshot(ofCommit: commit))
    }
    let reopened = try run.reopen(store)
    // A store whose file contains only objects numbers its rows and commits again when it is opened.
    guard run.suite.keepsRows else { return try reopened.close() }
    try run.check("The reopened store, after its space was freed", reopened, holds: objects)
    let next = try run.request(
      1, for: try run.key(reopened, "Thing", 100_000), above: try reopened.snapshot())
    let saved = try reopened.commit(next)
    run.check(
      saved.commit > before.commit,
      "The first commit after the space was freed has the number \(saved.commit), which is not above \(before.commit)."
    )
    try reopened.close()
  }

  /// Removes the tags of the store, and the links to them.
  private func removeTags(_ store: any Store) throws {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let tags = try run.key(base, "Tag", 1).entity
    for number in try base.view.keys(ofEntity: tags) {
      builder.remove(ObjectKey(entity: tags, number: number), basis: base.commit)
    }
    try builder.removeLinks(of: base)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }
}
