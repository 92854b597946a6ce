import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The cases of earlier commits, for stores that keep them.
struct HistoryCases {
  let run: CaseRun

  /// A store after some commits, with the objects, the author and the time of each commit.
  private struct Past {
    var store: any Store
    var states: [Int64: StoreConformance.Objects]
    var authors: [Int64: String] = [:]
    var times: [Int64: Date] = [:]
  }

  private func past() throws -> Past {
    let store = try run.make()
    var past = Past(store: store, states: [try store.snapshot().commit: [:]])
    let (key, short) = (try run.key(store, "Thing", 1), try run.key(store, "Thing", 2))
    for round in 0..<9 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      if round == 0 { builder.insert(key) }
      // Another object lives from the second to the fourth commit.
      if round == 1 { builder.insert(short) }
      if round == 4 { builder.remove(short, basis: try run.version(of: short, in: base)) }
      builder.set(
        .integer(Int64(round)), "large", of: key, base.schema,
        basis: round == 0 ? 0 : try run.version(of: key, in: base))
      var request = CommitRequest(builder.freeze(), basedOn: base)
      if round % 2 == 1 { (request.author, request.contextName) = ("Zoë", "round \(round)") }
      let after = try store.commit(request)
      past.states[after.commit] = try StoreConformance.objects(after)
      past.authors[after.commit] = request.author
      past.times[after.commit] = try store.commits().first { $0.number == after.commit }?.time
      // The times of the commits before and after the pause differ.
      if round == 4 { Thread.sleep(forTimeInterval: 0.01) }
      _ = try store.leaseKeys(ofEntity: key.entity, count: 5000)
    }
    past.store = try run.reopen(store)
    return past
  }

  /// Checks that all commits that the store lists can be opened.
  func history() throws {
    guard try run.make().features.history != nil else {
      throw CaseRun.End.skipped("the store does not declare the capability 'history'")
    }
    let past = try past()
    let store = past.store
    let commits = try store.commits()
    run.check(!commits.isEmpty, "A store that keeps a history lists no commits after nine saves.")
    run.check(
      commits.map(\.number) == commits.map(\.number).sorted(by: >),
      "The commits are not listed with the newest first: \(commits.map(\.number)).")
    for commit in commits { try checkCommit(commit, past) }
    if commits.count > 4 {
      let held = try store.snapshot(ofCommit: commits[4].number)
      try store.features.history?.forgetCommits(before: commits[3].number)
      run.check(
        "The commits after the commits before \(commits[3].number) were forgotten",
        is: commits.prefix(4).map(\.number), found: try store.commits().map(\.number))
      run.check(
        "A snapshot of a commit that was forgotten afterwards", held.schema,
        holds: past.states[held.commit] ?? [:], found: try StoreConformance.objects(held))
      for commit in commits.prefix(4) { try checkCommit(commit, past) }
    }
    try store.close()
  }

  private func checkCommit(_ commit: CommitSummary, _ past: Past) throws {
    let snapshot = try past.store.snapshot(ofCommit: commit.number)
    run.check(
      "The number of the snapshot of commit \(commit.number)", is: commit.number,
      found: snapshot.commit)
    guard let state = past.states[commit.number] else {
      return run.check(false, "The store lists commit \(commit.number), which no save has made.")
    }
    run.check(
      "The snapshot of commit \(commit.number)", snapshot.schema, holds: state,
      found: try StoreConformance.objects(snapshot))
    run.check(
      "The author of commit \(commit.number)", is: past.authors[commit.number], found: commit.author
    )
    run.check(
      "The time of commit \(commit.number), which was listed before as the newest",
      is: past.times[commit.number] ?? commit.time, found: commit.time)
    run.check(
      (commit.contextName == nil) == (commit.author == nil),
      "Commit \(commit.number) lost the name of its context, or has a name that no save gave.")
  }

  /// Checks that the newest commit survives forgetting, and that an unknown commit is refused.
  func forgetting() throws {
    let past = try past()
    let store = past.store
    let newest = try store.snapshot()
    let objects = try StoreConformance.objects(newest)
    run.check(
      "A store that was reopened after nine saves", newest.schema,
      holds: [try run.key(store, "Thing", 1): ["large": .integer(8)]], found: objects)
    try store.features.history?.forgetCommits(before: .max)
    try run.check("After all commits except the newest were forgotten", store, holds: objects)
    run.refused(.notFound, "Opening commit 1000000, which no save has made,") {
      try store.snapshot(ofCommit: 1_000_000)
    }
    try store.close()
  }
}
