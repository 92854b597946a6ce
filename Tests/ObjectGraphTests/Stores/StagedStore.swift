import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// A store in memory that refuses what a test says, and whose clock is the test's.
final class StagedStore: Store {
  private let inner: MemoryStore
  private let stage = Mutex(Stage())

  /// What a test asks for.
  struct Stage {
    /// Which commits are refused, counted from 1, and with what.
    var refusals: [Int: StoreError] = [:]
    /// How many commits were asked for.
    var commitCount = 0
    /// What happens before a commit is refused.
    var whenRefusing: (@Sendable () throws -> Void)?
    /// The times of commits, by their numbers, where they are not the true ones.
    var times: [Int64: Date] = [:]
  }

  init(_ model: Model, refusing refusals: [Int: StoreError] = [:]) throws {
    inner = try MemoryStore(model, keepsHistory: true)
    stage.withLock { $0.refusals = refusals }
  }

  /// Says what happens before a commit is refused.
  func whenRefusing(_ action: @escaping @Sendable () throws -> Void) {
    stage.withLock { $0.whenRefusing = action }
  }

  /// Says when a commit was made.
  func setTime(_ time: Date, ofCommit number: Int64) { stage.withLock { $0.times[number] = time } }

  var type: StoreType { inner.type }
  var capabilities: StoreCapabilities { inner.capabilities }
  var tag: StoreTag { inner.tag }
  var path: String? { nil }

  func snapshot() throws -> any StoreSnapshot { try inner.snapshot() }
  func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    let (refusal, whenRefusing) = stage.withLock { stage in
      stage.commitCount += 1
      return (stage.refusals[stage.commitCount], stage.whenRefusing)
    }
    if let refusal {
      try whenRefusing?()
      throw refusal
    }
    return try inner.commit(request)
  }
  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try inner.leaseKeys(ofEntity: number, count: count)
  }
  func commits() throws -> [CommitSummary] {
    let times = stage.withLock { $0.times }
    return try inner.commits().map { commit in
      var commit = commit
      commit.time = times[commit.number] ?? commit.time
      return commit
    }
  }
  func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try inner.snapshot(ofCommit: number)
  }
  func keepCommits(where isKept: (Int64) -> Bool) throws { try inner.keepCommits(where: isKept) }
  func describe() throws -> StoreDescription { try inner.describe() }
  func close() throws { try inner.close() }
}
