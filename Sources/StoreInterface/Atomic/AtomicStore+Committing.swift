import DurableFiles
import ObjectModel
import Rows
import Threads

extension AtomicStore {
  /// Makes changes durable, all or nothing, by writing the whole file again.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try withExclusiveAccess { _, current in
      guard let next = try next(after: current, request, path: filePath) else {
        return current.head
      }
      try write(next, insteadOf: current)
      return next.head
    }
  }

  /// Writes a new file for the commit, which becomes the store's file once the commit counts.
  @discardableResult
  public func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    try withExclusiveAccess { _, before in
      guard
        let next = try next(after: before, request, as: position.commit, path: before.path)
      else {
        try confirm(before.head)
        return before.head
      }
      do {
        try write(
          next, to: position.path, permissions: try before.file.status().permissions
        ) { _, error in
          if let error { throw error }
        }
      } catch let error as DiskError { throw StoreError(error, path: position.path) }
      try confirm(next.head)
      // The commit counts. A later failure must not be reported as a failed commit.
      let file = try? disk.open(position.path, for: .update)
      let seen = try? file?.status()
      current.withLock { current in
        guard current != nil else { return }
        current!.take(next)
        current!.path = position.path
        if let file, let seen { (current!.file, current!.seen) = (file, seen) }
      }
      return next.head
    }
  }

  /// Calls `body` as the only writer of all processes, if the given commit is the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try withExclusiveAccess { _, current in
      try checkNewest(number, is: current.head.commit)
      return try body()
    }
  }

  /// Reserves keys for new objects.
  ///
  /// The file records the reserved range, so no other process reserves the same keys. Each reservation writes the
  /// whole file, so a larger store reserves more keys at once. Numbers of links are valid for this store object only
  /// and need no reservation. If the file is a copy, the first reservation draws a lane for it.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let links = try current.withLock { current -> Range<UInt64>? in
      guard current != nil else { throw closed }
      let tables = current!.head.schema.linkTables
      guard tables.contains(where: { $0.layout.entityNumber == number }) else { return nil }
      return current!.takeLinkNumbers(max(count, 1))
    }
    if let links { return links }
    return try withExclusiveAccess { writing, current in
      let count = UInt64(max(count, 1))
      if UInt64(writing.lease.count) < count {
        let rows = current.head.layers.reduce(0) { $0 + $1.count }
        let (next, keys) = try reserving(max(count, 64, UInt64(rows / 16)), after: current)
        try write(next, insteadOf: current)
        writing.lease = keys
      }
      let first = writing.lease.lowerBound
      writing.lease = first + count..<writing.lease.upperBound
      return first..<first + count
    }
  }

  /// Returns the state in which free keys are reserved, and the keys. A copy draws a lane for them.
  private func reserving(
    _ count: UInt64, after before: Current
  ) throws -> (next: NextState, keys: Range<UInt64>) {
    var next = NextState(head: before.head, nextKey: before.nextKey, isCopy: false)
    var lanes = next.head.metadata.lanes
    var former: UInt64? = before.nextKey
    func keys() -> Range<UInt64>? {
      let first = lanes.firstFreeNumber(after: former)
      let end = first + count
      let limit = min(lanes.countedNumbers.upperBound, ObjectKey.highestNumber)
      return end <= limit ? first..<end : nil
    }
    var found = lanes.current != nil && !before.isCopy ? keys() : nil
    if found == nil {
      // Only the last lane of a file at its place ends for want of numbers.
      guard before.isCopy || lanes.isFollowed || lanes.current == nil else { throw noKeysLeft }
      if before.isCopy { lanes.forgetUnused([before.nextKey]) }
      lanes.draw()
      former = nil
      next.head.metadata.lanes = lanes
      found = keys()
    }
    guard let found else { throw noKeysLeft }
    next.nextKey = found.upperBound
    return (next, found)
  }

  private var noKeysLeft: StoreError {
    StoreError(.badChange, "The store has no keys left.", path: filePath)
  }

  // MARK: - Steps

  /// The contents of the next file.
  struct NextState {
    var head: LayeredSnapshot
    var nextKey: UInt64
    /// Whether the file still counts as a copy, because no object was inserted into it since it was copied.
    var isCopy: Bool
  }

  /// Returns the state after a request; `nil` if the request is empty.
  private func next(
    after before: Current, _ request: CommitRequest, as number: Int64? = nil, path: String
  ) throws -> NextState? {
    let (lanes, isDrawn) = request.lanes(
      after: before.head.metadata, isCopy: before.isCopy, nextKeys: [before.nextKey])
    guard
      let next = try before.head.committing(request, as: number, lanes: lanes, path: path)
    else { return nil }
    let counted = lanes.countedNumbers
    let highest = try checkNumbers(request.changes, before.head, next.schema).last {
      counted.contains($0)
    }
    let nextKey = lanes.firstFreeNumber(after: isDrawn ? nil : before.nextKey)
    return NextState(
      head: next, nextKey: max(nextKey, highest.map { $0 + 1 } ?? 0),
      isCopy: before.isCopy && !isDrawn)
  }

  /// Calls `body` with the newest state, as the only writer of all processes.
  private func withExclusiveAccess<R>(_ body: (inout Writing, Current) throws -> R) throws -> R {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: filePath)
    }
    return try writing.withLock { writing in
      while true {
        let file = try newest().file
        do throws(DiskError) { try file.lock(.exclusive, waiting: .upTo(patience)) } catch {
          throw StoreError(error, path: filePath)
        }
        defer { try? file.unlock() }
        // The previous lock holder may have saved, and so replaced the file.
        let current = try newest()
        guard current.file === file else { continue }
        let isThere: Bool
        do throws(DiskError) { isThere = try file.isStillAtItsPath() } catch {
          throw StoreError(error, path: filePath)
        }
        guard isThere else {
          throw StoreError(
            .notFound, "The file of the store was removed or replaced by another file.",
            path: filePath)
        }
        if !writing.hasTidied {
          writing.hasTidied = true
          // Files left by a crash do no harm, so an error is ignored.
          _ = try? disk.removeAbandonedReplacements(of: filePath)
        }
        return try body(&writing, current)
      }
    }
  }

  private func newest() throws -> Current {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      try followReservation(&current!)
      return current!
    }
  }

  /// Throws if a new object has the number of another object: all entities share one sequence of numbers.
  ///
  /// - Returns: The numbers of the new objects, ascending.
  private func checkNumbers(
    _ changes: Layer, _ head: LayeredSnapshot, _ schema: Schema
  ) throws -> [UInt64] {
    var added: [(number: UInt64, entity: UInt16)] = []
    let objects = Set(schema.layouts.map(\.entityNumber))
    for entity in changes.entities where objects.contains(entity.entityNumber) {
      for block in entity.put.blocks {
        let keys = try block.keys
        for row in 0..<block.rowCount {
          added.append((UInt64(bitPattern: keys.integer(at: row)), entity.entityNumber))
        }
      }
    }
    added.sort { $0.number < $1.number }
    let view = head.view
    // Most new numbers are above all existing numbers and need no lookup.
    var highest: UInt64 = 0
    for layer in head.layers {
      for entity in layer.entities where objects.contains(entity.entityNumber) {
        highest = max(highest, entity.put.blocks.last?.maximumKey ?? 0)
      }
    }
    for (index, one) in added.enumerated() {
      var isTaken = index > 0 && added[index - 1].number == one.number
      if !isTaken, one.number <= highest {
        isTaken = try schema.layouts.contains {
          try $0.entityNumber != one.entity
            && (view.contains(ObjectKey(entity: $0.entityNumber, number: one.number)))
        }
      }
      guard !isTaken else {
        throw StoreError(
          .badChange,
          "Two objects have the number \(one.number). In a store of type \(type.rawValue), all "
            + "entities share the numbers: take new numbers from the store.", path: filePath)
      }
    }
    return added.map(\.number)
  }

  /// Writes a state to a new file, which replaces the previous file.
  private func write(_ next: NextState, insteadOf before: Current) throws {
    current.withLock { $0?.isWriting = true }
    defer { current.withLock { $0?.isWriting = false } }
    func failure(after error: any Error, _ byteCount: Int = 0) -> any Error {
      guard recover(before, refusedByteCount: byteCount) else {
        return StoreError.uncertain(error, path: filePath)
      }
      return (error as? DiskError).map { StoreError($0, path: filePath) } ?? error
    }
    var failed: (any Error)?
    do {
      failed = try write(next, to: before.path) { byteCount, error in
        if let error { return failure(after: error, byteCount) }
        // The save is complete. A later failure must not be reported as a failed save. If the file can't be opened, the
        // next refresh reads it again and finds this state.
        let file = try? disk.open(filePath, for: .update)
        let seen = try? file?.status()
        current.withLock { current in
          guard current != nil else { return }
          current!.take(next)
          current!.refusedByteCount = nil
          guard let file, let seen, seen.byteCount == byteCount else { return }
          (current!.file, current!.seen) = (file, seen)
        }
        return nil
      }
    } catch { failed = failure(after: error) }
    if let failed { throw failed }
  }

  /// Writes a state to a new file in the place of another, and calls `body` with its size while no other process can write.
  private func write<R>(
    _ next: NextState, to path: String, permissions: FilePermissions? = nil,
    _ body: (Int, DiskError?) throws -> R
  ) throws -> R {
    let head = next.head
    let contents = AtomicContents(
      model: head.model, schema: head.schema, metadata: head.metadata, layers: head.layers,
      nextKey: next.nextKey)
    return try disk.replaceLocked(
      path, newPermissions: permissions,
      contents: { writer in
        let placed = next.isCopy ? contents.unplaced : try contents.placed(in: writer)
        try format.write(placed, to: &writer)
        return writer.offset
      }, whenInPlace: body)
  }

  /// Restores the previous state after a replacement that could not be made durable.
  ///
  /// - Returns: Whether the previous state certainly counts.
  private func recover(_ before: Current, refusedByteCount: Int) -> Bool {
    if let isThere = try? before.file.isStillAtItsPath(), isThere { return true }
    // The previous state counts, regardless of the file that is now at the path.
    func lookAgain(_ byteCount: Int) {
      let file = try? disk.open(filePath, for: .update)
      let seen = try? file?.status()
      current.withLock { current in
        guard current != nil else { return }
        if let file, let seen {
          (current!.file, current!.seen) = (file, seen)
        } else {
          current!.refusedByteCount = byteCount
        }
      }
    }
    let former = NextState(head: before.head, nextKey: before.nextKey, isCopy: before.isCopy)
    do {
      try write(former, to: before.path) { byteCount, error in
        if let error { throw error }
        lookAgain(byteCount)
      }
      return true
    } catch {
      lookAgain(refusedByteCount)
      return false
    }
  }
}

extension AtomicStore.Current {
  /// Takes the contents of a file that was written.
  fileprivate mutating func take(_ next: AtomicStore.NextState) {
    (head, nextKey, isCopy) = (next.head, next.nextKey, next.isCopy)
  }
}
