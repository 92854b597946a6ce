import DurableFiles
import ObjectModel
import Rows
import Synchronization

extension AtomicStore {
  /// Makes changes durable, all of them or none, by writing the whole file anew.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try withExclusiveAccess { _, current in
      guard let next = try current.head.committing(request, path: filePath) else {
        return current.head
      }
      let highest = try checkNumbers(request.changes, current.head, next.schema)
      try write(next, nextKey: max(current.nextKey, highest + 1), current)
      return next
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
        let next = try before.head.committing(request, as: position.commit, path: before.path)
      else {
        try confirm(before.head)
        return before.head
      }
      let highest = try checkNumbers(request.changes, before.head, next.schema)
      let nextKey = max(before.nextKey, highest + 1)
      var byteCount = 0
      do {
        try write(
          next, nextKey, to: position.path, &byteCount,
          permissions: try before.file.status().permissions)
      } catch let error as DiskError { throw StoreError(error, path: position.path) }
      try confirm(next)
      // The commit counts. A later failure must not be reported as a failed commit.
      let file = try? disk.open(position.path, for: .update)
      let seen = try? file?.status()
      current.withLock { current in
        guard current != nil else { return }
        (current!.head, current!.nextKey, current!.path) = (next, nextKey, position.path)
        if let file, let seen { (current!.file, current!.seen) = (file, seen) }
      }
      return next
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
  /// and need no reservation.
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
        let end = current.nextKey + max(count, 64, UInt64(rows / 16))
        guard end <= ObjectKey.highestNumber else {
          throw StoreError(.badChange, "The store has no keys left.", path: filePath)
        }
        try write(current.head, nextKey: end, current)
        writing.lease = current.nextKey..<end
      }
      let first = writing.lease.lowerBound
      writing.lease = first + count..<writing.lease.upperBound
      return first..<first + count
    }
  }

  // MARK: - Steps

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
      return current!
    }
  }

  /// Throws if a new object has the number of another object: all entities share one sequence of numbers.
  ///
  /// - Returns: The highest number of the new objects; 0 if there are none.
  private func checkNumbers(
    _ changes: Layer, _ head: LayeredSnapshot, _ schema: Schema
  ) throws -> UInt64 {
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
    return added.last?.number ?? 0
  }

  /// Writes a state to a new file, which replaces the previous file.
  private func write(
    _ head: LayeredSnapshot, nextKey: UInt64, _ before: Current
  ) throws {
    current.withLock { $0?.isWriting = true }
    defer { current.withLock { $0?.isWriting = false } }
    var byteCount = 0
    do {
      try write(head, nextKey, to: before.path, &byteCount)
    } catch {
      guard recover(before, refusedByteCount: byteCount) else {
        throw StoreError.uncertain(error, path: filePath)
      }
      if let error = error as? DiskError { throw StoreError(error, path: filePath) }
      throw error
    }
    // The save is complete. A later failure must not be reported as a failed save. If the file can't be opened, the
    // next refresh reads it anew and finds this state.
    let file = try? disk.open(filePath, for: .update)
    let seen = try? file?.status()
    current.withLock { current in
      guard current != nil else { return }
      current!.head = head
      current!.nextKey = nextKey
      current!.refusedByteCount = nil
      guard let file, let seen, seen.byteCount == byteCount else { return }
      (current!.file, current!.seen) = (file, seen)
    }
  }

  private func write(
    _ head: LayeredSnapshot, _ nextKey: UInt64, to path: String, _ byteCount: inout Int,
    permissions: FilePermissions? = nil
  ) throws {
    try disk.replace(path, newPermissions: permissions) { writer in
      try format.write(
        AtomicContents(
          model: head.model, schema: head.schema, metadata: head.metadata, layers: head.layers,
          nextKey: nextKey), to: &writer)
      byteCount = writer.offset
    }
  }

  /// Restores the previous state after a replacement that could not be made durable.
  ///
  /// - Returns: Whether the previous state certainly counts.
  private func recover(_ before: Current, refusedByteCount: Int) -> Bool {
    if let isThere = try? before.file.isStillAtItsPath(), isThere { return true }
    var byteCount = refusedByteCount
    var restored = 0
    let isRestored =
      (try? write(before.head, before.nextKey, to: before.path, &restored)) != nil
    if isRestored { byteCount = restored }
    // The previous state counts, regardless of the file that is now at the path.
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
    return isRestored
  }
}
