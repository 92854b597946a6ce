import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// A store in memory that refuses commits and dates them as a test demands.
final class StagedStore: HistoryStore {
  private let inner: MemoryStore
  private let stage = Mutex(Stage())

  /// The demands of a test.
  struct Stage {
    /// The errors of the commits to refuse, by the number of the commit request, from 1.
    var refusals: [Int: StoreError] = [:]
    /// The number of commits that were requested.
    var commitCount = 0
    /// A closure that runs before a commit is refused.
    var whenRefusing: (@Sendable () throws -> Void)?
    /// The times to report for commits instead of the true ones, by commit number.
    var times: [Int64: Date] = [:]
  }

  init(_ model: Model, refusing refusals: [Int: StoreError] = [:]) throws {
    inner = try MemoryStore(model, keepsHistory: true)
    stage.withLock { $0.refusals = refusals }
  }

  /// Sets the closure that runs before a commit is refused.
  func whenRefusing(_ action: @escaping @Sendable () throws -> Void) {
    stage.withLock { $0.whenRefusing = action }
  }

  /// Sets the time that the store reports for a commit.
  func setTime(_ time: Date, ofCommit number: Int64) { stage.withLock { $0.times[number] = time } }

  var type: StoreType { inner.type }
  var features: StoreFeatures { StoreFeatures(inner.features.capabilities, history: self) }
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
  func describe() throws -> StoreSummary { try inner.describe() }
  func close() throws { try inner.close() }
}
