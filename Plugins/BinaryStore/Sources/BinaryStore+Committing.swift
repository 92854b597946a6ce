import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
public import StoreInterface
import Synchronization

extension BinaryStore {
  /// Makes changes durable, all of them or none.
  ///
  /// Costs what changed: the rows, a record, one sync; two where much is written at once. Now and then
  /// small segments are merged on the way (``SegmentTiers``), or the file is written anew without
  /// what is dead.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try commit(request, as: nil) { _ in }
  }

  /// Appends a commit of the given number, which counts once somebody has said so.
  @discardableResult
  public func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    precondition(isLed && position.path == filePath, "Commits of a file stay in it.")
    return try commit(request, as: position.commit, confirm: confirm)
  }

  private func commit(
    _ request: CommitRequest, as number: Int64?, confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    try alone { writing, head in
      try head.file.reading {
        try request.checkModel(setBy: head.record.schemaNumber, path: filePath)
        try request.check(against: head, path: filePath)
      }
      if request.isEmpty {
        try confirm(head)
        return head
      }
      let number = number ?? head.commit + 1
      guard number > head.commit, number <= BlockFile.highestCommitNumber else {
        throw StoreError(.badChange, "There are no numbers left for commits.", path: filePath)
      }
      var image = try image(after: head, number: number)
      try image.setOrigin(of: request, path: filePath)
      var schema = head.schema
      if let model = request.model {
        schema = try request.schema(evolving: schema, of: head.model, path: filePath)
        var metadata = try request.metadata ?? head.metadata
        metadata.setModel(model)
        try image.setDescription(metadata: metadata, model: model, schema: schema)
      } else if var metadata = request.metadata {
        metadata.updateVersionHashes(of: try head.model)
        try image.setMetadata(metadata)
      }
      if !request.changes.isEmpty {
        let parts = try head.file.reading {
          let changes = try image.movingLargeValues(
            of: request.changes, after: head, schema, options)
          return try merged(
            head.segments.map { .stored($0) } + [.made(changes.stamped(number), [:])],
            schema)
        }
        try head.file.reading { try image.setSegments(parts, schema) }
        image.record.nextKeys = BinaryStore.keys(
          head.record.nextKeys, above: request.changes)
      }
      let ends = refill(&image)
      let state = try append(image, to: head, &writing, confirm: confirm)
      extendLeases(ends)
      return state
    }
  }

  /// Calls `body` as the only writer of all processes, if a commit is the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try alone { _, head in
      try checkNewest(number, is: head.commit)
      return try body()
    }
  }

  /// Sets keys aside for new objects of an entity.
  ///
  /// The file knows how far they go, so no other process gives them to anybody. Keys are taken from
  /// it by the thousand, which costs a sync each time.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let count = UInt64(max(count, 1))
    if let known = takeKeys(number, count) { return known }
    return try alone { writing, head in
      // Whoever was alone before may have set some aside.
      if let known = takeKeys(number, count) { return known }
      let first = head.record.nextKeys[number] ?? 1
      let end = first + max(count, BinaryStore.leaseCount)
      guard end <= ObjectKey.highestNumber else {
        throw StoreError(.badChange, "Entity \(number) has no keys left.", path: filePath)
      }
      var image = try image(after: head, number: head.commit)
      image.record.nextKeys[number] = end
      _ = try append(image, to: head, &writing)
      leases.withLock { $0[number] = Lease(left: first + count..<end, wanted: count) }
      return first..<first + count
    }
  }

  /// Keys of those that are set aside.
  private func takeKeys(_ number: UInt16, _ count: UInt64) -> Range<UInt64>? {
    leases.withLock { leases in
      guard let left = leases[number]?.left, UInt64(left.count) >= count else { return nil }
      leases[number] = Lease(left: left.lowerBound + count..<left.upperBound, wanted: count)
      return left.lowerBound..<left.lowerBound + count
    }
  }

  /// Sets more keys aside with a commit, where that comes for nothing: a document's store is written in the
  /// background, and whoever inserts meanwhile is not to wait for a sync.
  ///
  /// - Returns: For each entity the end of what is set aside then.
  private func refill(_ image: inout CommitImage) -> [UInt16: UInt64] {
    guard isLed else { return [:] }
    var ends: [UInt16: UInt64] = [:]
    let known = leases.withLock { $0 }
    for (number, lease) in known where image.record.nextKeys[number] == lease.left.upperBound {
      let least = max(2 * lease.wanted, BinaryStore.leaseCount / 2)
      let end = lease.left.upperBound + 2 * least
      guard UInt64(lease.left.count) < least, end <= ObjectKey.highestNumber else { continue }
      image.record.nextKeys[number] = end
      ends[number] = end
    }
    return ends
  }

  /// Gives out what was set aside with a commit that counts by now.
  private func extendLeases(_ ends: [UInt16: UInt64]) {
    leases.withLock { leases in
      for (number, end) in ends {
        guard let lease = leases[number], lease.left.upperBound < end else { continue }
        leases[number]!.left = lease.left.lowerBound..<end
      }
    }
  }

  private static let leaseCount: UInt64 = 4096

  /// The first key of each entity that nobody has, once the given rows are there: whoever chose keys
  /// without asking for them must not see them given to somebody else (spec §4.4.3).
  private static func keys(
    _ keys: [UInt16: UInt64], above changes: Layer
  ) -> [UInt16: UInt64] {
    var keys = keys
    for entity in changes.entities {
      guard let highest = entity.put.blocks.last?.maximumKey else { continue }
      keys[entity.entityNumber] = max(keys[entity.entityNumber] ?? 1, highest + 1)
    }
    return keys
  }

  // MARK: - Steps

  /// Calls `body` as the only writer of all processes, with the newest commit.
  func alone<R>(
    _ body: (inout Writing, CommittedState) throws -> R
  ) throws -> R {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: filePath)
    }
    return try writing.withLock { writing in
      while true {
        let head = try head()
        do {
          try head.file.file.lock(.exclusive, waiting: .upTo(options.patience))
        } catch let error as DiskError {
          throw BinaryStore.failure(error, filePath)
        }
        defer { try? head.file.file.unlock() }
        // Whoever held the lock may have saved, or replaced the file.
        let newest = try self.head()
        guard newest.file === head.file else { continue }
        // What is written to a file that has no name any more is lost.
        guard try head.file.reading({ try head.file.file.isStillAtItsPath() }) else {
          if isLed, try goOnInReplacement(of: head) { continue }
          throw StoreError(
            .notFound, "The store's file was removed, or another was put in its place.",
            path: filePath)
        }
        return try body(&writing, newest)
      }
    }
  }

  /// Goes on in the file that took the place of a commit's: a rewrite of ours whose last step failed.
  ///
  /// - Returns: Whether there is one.
  private func goOnInReplacement(of head: CommittedState) throws -> Bool {
    try current.withLock { current in
      guard current != nil else { throw closed }
      current!.seen = nil
      try refresh(&current!)
      return current!.head.file !== head.file
    }
  }

  /// The next commit, of which nothing is set yet.
  ///
  /// The commit begins behind all bytes of the file, the remains of a save that a crash cut off
  /// included: a writer never writes over bytes.
  private func image(after head: CommittedState, number: Int64) throws -> CommitImage {
    let start = try head.file.reading {
      max(Int(head.end), BlockFile.align(try head.file.file.byteCount()))
    }
    return CommitImage(
      after: head, number: number, start: UInt64(start), compression: compression)
  }

  /// The segments, with those merged that are many of a size.
  private func merged(_ parts: [SegmentPart], _ schema: Schema) throws -> [SegmentPart] {
    var parts = parts
    // The head's segments hold on to their blocks, so what these are known by stays theirs.
    var known: [ObjectIdentifier: BlockEntry] = [:]
    try SegmentTiers.merge(
      &parts, schema, size: \.rowCount,
      layer: { part in
        let (layer, entries) = try part.layer(schema)
        known.merge(entries) { one, _ in one }
        return layer
      }, part: { .made($0, known) })
    return parts
  }

  /// Appends a commit, makes it durable, and shows it once it is confirmed.
  ///
  /// What is not confirmed stays behind what counts, and is passed over.
  private func append(
    _ image: CommitImage, to head: CommittedState, _ writing: inout Writing,
    confirm: (any StoreSnapshot) throws -> Void = { _ in }
  ) throws -> CommittedState {
    if writing.mustRewrite {
      // Nothing may be added where a sync failed. What was read of it before is sound.
      let state = try rewrite(image, head, isAcknowledged: !isLed)
      writing.mustRewrite = false
      do { try confirm(state) } catch {
        let (trailer, record) = try state.file.newestCommit(
          before: state.file.openingByteCount, counting: head.commit)
        show(try CommittedState(trailer, record, in: state.file, after: state))
        throw error
      }
      if isLed { state.file.acknowledge(state.trailer) }
      show(state)
      return state
    }
    let file = head.file.file
    var image = image
    let trailer: Trailer
    do {
      let size = try file.byteCount()
      let padding = [UInt8](repeating: 0, count: Int(image.record.start) - size)
      if image.isSmall {
        let (bytes, end) = try image.finished(salt: head.file.header.salt)
        try file.append(padding + bytes)
        trailer = end
      } else {
        trailer = try file.append { writer in
          try writer.write(padding)
          return try image.write(into: &writer, salt: head.file.header.salt)
        }
        try sync(file, size, nil, &writing)
        try file.append(trailer.bytes)
      }
      try sync(file, size, trailer, &writing)
    } catch let error as DiskError {
      throw BinaryStore.failure(error, filePath)
    }
    // It is saved. Nothing is read any more that could fail and make it look otherwise.
    let state = try CommittedState(
      trailer, image.record, in: head.file, after: head, knowing: image.pending)
    try confirm(state)
    head.file.acknowledge(trailer)
    show(state)
    // A document says itself when its stores forget anything.
    return isLed ? state : (try? vacuumIfDue(state, &writing)) ?? state
  }

  /// Makes what was written durable. When that fails, whatever was written since is taken back as far
  /// as the disk lets us, and the file is not written to any more.
  private func sync(
    _ file: DurableFile, _ size: Int, _ trailer: Trailer?, _ writing: inout Writing
  ) throws {
    do {
      try file.sync()
    } catch {
      writing.mustRewrite = true
      current.withLock { $0?.refused = trailer }
      do {
        let other = try disk.open(filePath, for: .update)
        try other.truncate(to: size)
        // Otherwise a power cut might bring back a save that was said to have failed.
        try other.sync()
      } catch _ where trailer != nil {
        throw StoreError.uncertain(error, path: filePath)
      } catch {}
      throw error
    }
  }
}
