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
    try alone { writing, head in
      try head.file.reading {
        try request.checkModel(setBy: head.record.schemaNumber, path: filePath)
        try request.check(against: head, path: filePath)
      }
      if request.isEmpty { return head }
      let number = head.commit + 1
      guard number <= BlockFile.highestCommitNumber else {
        throw StoreError(.badChange, "There are no numbers left for commits.", path: filePath)
      }
      var image = try image(after: head, number: number)
      try image.setOrigin(of: request, path: filePath)
      var schema = head.schema
      if let model = request.model {
        schema = try request.schema(evolving: schema, path: filePath)
        var metadata = try request.metadata ?? head.metadata
        metadata.setModel(model)
        try image.setDescription(metadata: metadata, model: model, schema: schema)
      } else if let metadata = request.metadata {
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
      return try append(image, to: head, &writing)
    }
  }

  /// Sets keys aside for new objects of an entity.
  ///
  /// The file knows how far they go, so no other process gives them to anybody. Keys are taken from
  /// it by the thousand, which costs a sync each time.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try alone { writing, head in
      let count = UInt64(max(count, 1))
      if let left = writing.leases[number], UInt64(left.count) >= count {
        writing.leases[number] = left.lowerBound + count..<left.upperBound
        return left.lowerBound..<left.lowerBound + count
      }
      let first = head.record.nextKeys[number] ?? 1
      let end = first + max(count, BinaryStore.leaseCount)
      guard end <= ObjectKey.highestNumber else {
        throw StoreError(.badChange, "Entity \(number) has no keys left.", path: filePath)
      }
      var image = try image(after: head, number: head.commit)
      image.record.nextKeys[number] = end
      _ = try append(image, to: head, &writing)
      writing.leases[number] = first + count..<end
      return first..<first + count
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
          throw StoreError(
            .notFound, "The store's file was removed, or another was put in its place.",
            path: filePath)
        }
        return try body(&writing, newest)
      }
    }
  }

  /// The next commit, of which nothing is set yet.
  ///
  /// It begins behind all that is there. What a save left that did not come to its end is not written over either: whether it was a save
  /// that never came back, or one that did and was damaged since, nobody can tell.
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

  /// Appends a commit and makes it durable.
  private func append(
    _ image: CommitImage, to head: CommittedState, _ writing: inout Writing
  ) throws -> CommittedState {
    if writing.mustRewrite {
      // Nothing may be added where a sync failed. What was read of it before is sound.
      let state = try rewrite(image, head)
      writing.mustRewrite = false
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
    current.withLock { current in
      if current != nil { current = Current(head: state, seenByteCount: Int(state.end)) }
    }
    return (try? vacuumIfDue(state, &writing)) ?? state
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
      if let other = try? disk.open(filePath, for: .update) {
        try? other.truncate(to: size)
        // Otherwise a power cut might bring back a save that was said to have failed.
        try? other.sync()
      }
      throw error
    }
  }
}
