import BlockFileFormat
import DurableFiles
import Foundation
import Rows
public import StoreInterface
import Threads

extension BinaryStore: VacuumingStore {
  /// Writes the file again without dead data: superseded rows and unneeded commits. A commit is kept if
  /// ``BinaryStoreOptions/history`` keeps it, if it has a name, or if an observer of this process still needs it.
  ///
  /// Saves do so on their own when enough bytes are dead. Readers of the old file can continue to read it. If the new file
  /// would not be smaller, the old one stays as it is.
  ///
  /// - Throws: `StoreError`; the file is unchanged then.
  public func vacuum() throws {
    try withExclusiveAccess { _, head in
      try compact(head, keeping: retained(before: head.commit, head))
    }
  }

  /// Writes the file again with some of the earlier commits, unless all are kept and no byte would be saved.
  func compact(_ head: CommittedState, keeping kept: [CommittedState]) throws {
    let image = CommitImage(copying: head, compression: compression)
    do {
      show(
        try rewrite(
          image, head, keeping: kept, mergesSegments: true,
          mustShrink: try kept.count + 1 == commits().count))
    } catch is NothingFreed {}
  }

  private struct NothingFreed: Error {}

  /// Writes the file again if enough of its bytes are dead.
  func vacuumIfDue(
    _ state: CommittedState, _ writing: inout Writing
  ) throws -> CommittedState {
    func isDue(_ live: UInt64) -> Bool {
      let dead = state.end - min(live, state.end)
      return dead > UInt64(options.leastDeadByteCount)
        && Double(dead) > Double(state.end) * options.deadShare
    }
    guard isDue(state.record.liveByteCount), state.end >= writing.nextVacuumEnd else {
      return state
    }
    let hasNames = try !state.metadata.namedCommits.isEmpty
    if history != .none || hasNames || firstObservedCommit(before: state.commit) != nil {
      // Data that kept commits refer to are alive. Reading all kept commits takes time, so the file must grow before
      // the next attempt.
      let kept = try retained(before: state.commit, state) + [state]
      guard isDue(try CommittedState.liveByteCount(of: kept)) else {
        writing.nextVacuumEnd = state.end + state.end / 4
        return state
      }
    }
    writing.nextVacuumEnd = 0
    let written = try rewrite(CommitImage(copying: state, compression: compression), state)
    show(written)
    return written
  }

  /// Writes a commit, and all kept earlier ones, into a new file, which atomically replaces the old one. The first slot of
  /// the new file names the last commit that counts, before the file gets its name (spec §4.2.3).
  ///
  /// - Parameters:
  ///   - keeping: The earlier commits to keep, the oldest first; `nil` for those of the policy.
  ///   - mergesSegments: Whether all segments become one, unless an earlier commit is kept. Saves leave the merging to
  ///     the tiers, so that no save takes time in proportion to the size of the file.
  ///   - mustShrink: Whether a new file that is not smaller is given up, with ``NothingFreed``.
  func rewrite(
    _ image: CommitImage, _ head: CommittedState,
    keeping: [CommittedState]? = nil, mergesSegments: Bool = false, mustShrink: Bool = false
  ) throws -> CommittedState {
    let header = FileHeader(
      uuid: uuid, salt: .random(in: 1 ... .max), isCompressed: type == .compressed,
      keepingFeaturesOf: head.file.header)
    let isCopy = !head.file.isAtItsPlace
    let kept = try keeping ?? retained(before: image.record.number, head)
    var image = image
    if mergesSegments, kept.isEmpty, image.segments == nil, head.segments.count > 1 {
      var segments = NextSegments(above: head)
      try head.file.reading { try segments.mergeAll(head.schema) }
      image.segments = segments
    }
    // Readers of this process do not look at the new file until its name is durable.
    current.withLock { $0?.waiting = head }
    defer { current.withLock { $0?.waiting = nil } }
    do {
      // An earlier attempt that did not finish left a file behind. No other process uses that file now, because this
      // process holds the lock.
      _ = try? disk.removeAbandonedReplacements(of: filePath)
      return try disk.replaceLocked(filePath) { writer in
        try writer.write(header.bytes)
        var copied = CommitImage.Copied(start: UInt64(header.byteCount))
        func write(_ image: CommitImage, _ state: CommittedState) throws -> Trailer {
          var copy = try image.copied(from: state, after: copied)
          let trailer = try copy.write(into: &writer, salt: header.salt)
          try writer.write(trailer.bytes)
          copied = copy.copied(behind: trailer)
          return trailer
        }
        var before: Trailer?
        for state in kept {
          before = try write(CommitImage(copying: state, compression: compression), state)
        }
        let last = try write(image, head)
        if mustShrink, try writer.offset >= head.file.file.byteCount() { throw NothingFreed() }
        // A document confirms a new commit later. It keeps the commit before, so there is one.
        let isConfirmed = !isPartOfDocument || image.record.number == head.commit
        var header = header
        if !isCopy { header.place = header.mark(of: try writer.place) }
        try writer.rewrite(
          header.bytes(
            acknowledging: isConfirmed ? last : before!, fileByteCount: UInt64(writer.offset)),
          at: 0)
      } whenInPlace: { _, failure in
        if let failure { throw failure }
        if current.withLock({ $0 == nil }) { throw closed }
        let file = try BinaryStore.file(filePath, disk, isReadOnly)
        let (trailer, record) = try file.newestCommit()
        return try CommittedState(trailer, record, in: file, after: head)
      }
    } catch let error as DiskError {
      throw BinaryStore.failure(error, filePath)
    }
  }

  /// Shows a commit of this process to readers.
  ///
  /// - Parameter byteCount: The size of the file, if it is known.
  func show(_ state: CommittedState, byteCount: Int? = nil) {
    current.withLock { current in
      guard current != nil else { return }
      current = Current(
        head: state, seen: SeenState(endingWith: state, byteCount: byteCount),
        counting: isPartOfDocument ? state.commit : nil)
    }
  }

  // MARK: - Commits to keep

  /// Returns the commits below a number that are kept, the oldest first.
  private func retained(
    before number: Int64, _ head: CommittedState
  ) throws -> [CommittedState] {
    let policy = history
    let observed = firstObservedCommit(before: number)
    let named = try head.metadata.namedCommits
    if policy == .none, observed == nil, named.isEmpty { return [] }
    let earliestNamed = named.keys.min() ?? .max
    return try retained(before: number, head) { place, record, now in
      if let observed, record.number >= observed { return .yes }
      if named[record.number] != nil { return .yes }
      if policy.keeps(place, madeAt: record.date, now) { return .yes }
      // No policy keeps a commit older than one that it drops.
      return record.number > earliestNamed ? .no : .noneFromHere
    }
  }

  /// Returns the earliest commit that an observer needs to read the next one, within the bound of
  /// ``BinaryStoreOptions/observedCommitCount``; `nil` if no observer needs one.
  private func firstObservedCommit(before number: Int64) -> Int64? {
    let lowest = HistoryHold.lowestCommit(
      of: tag, from: number - Int64(options.observedCommitCount))
    return lowest.flatMap { $0 < number ? $0 : nil }
  }

  /// The policy for earlier commits. A document's store keeps all of them until the document drops some.
  private var history: HistoryPolicy { isPartOfDocument ? .all : options.history }

  /// The decision whether a commit is kept.
  enum Keeping {
    case yes, no
    /// Neither this commit nor any earlier one is kept.
    case noneFromHere
  }

  /// Returns the commits below a number that `keeps` accepts, the oldest first.
  func retained(
    before number: Int64, _ head: CommittedState,
    where keeps: (_ place: Int, _ record: CommitRecord, _ now: Date) -> Keeping
  ) throws -> [CommittedState] {
    var kept: [CommittedState] = []
    let now = Date()
    var last = number
    try forEachCommit(from: head) { trailer, record in
      // A commit that only reserved keys repeats the number of the one before.
      guard record.number < last else { return true }
      last = record.number
      switch keeps(kept.count + 1, record, now) {
      case .noneFromHere: return false
      case .no: return true
      case .yes:
        kept.append(try CommittedState(trailer, record, in: head.file, after: kept.last ?? head))
        return true
      }
    }
    return kept.reversed()
  }
}
