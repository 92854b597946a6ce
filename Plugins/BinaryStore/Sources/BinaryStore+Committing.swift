import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
public import StoreInterface
import Threads

extension BinaryStore {
  /// Makes changes durable, all or nothing.
  ///
  /// The cost depends on the size of the changes: the rows, a record and one sync, or two syncs for a large commit.
  /// Sometimes a commit also merges small segments (`SegmentTiers`), or writes the file again without dead bytes.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try commit(request, whenOrdered: { _ in })
  }

  /// Appends a commit of the given number. The commit becomes the store's newest commit when `confirm` has returned.
  @discardableResult
  public func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    precondition(
      isPartOfDocument && position.path == filePath,
      "Only a part of a document adopts commits, in the same file.")
    return try commit(request, as: position.commit, mayWait: false, confirm: confirm).state
  }

  /// Appends a commit.
  ///
  /// - Parameter mayWait: Whether the commit may be left to a sync that makes several commits durable.
  func commit(
    _ request: CommitRequest, as number: Int64?, mayWait: Bool,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> CommitProgress {
    try ExclusiveAccess(self).run(mayWait: mayWait) { writing, head in
      try head.file.reading {
        try request.checkModel(setBy: head.record.schemaNumber, path: filePath)
        try request.check(against: head, path: filePath)
      }
      if request.isEmpty {
        try confirm(head)
        return .durable(head)
      }
      let number = number ?? max(head.commit, writing.numberToExceed) + 1
      guard number > head.commit, number <= BlockFile.highestCommitNumber else {
        throw StoreError(.badChange, "The store has no numbers left for commits.", path: filePath)
      }
      let lanes = try lanes(after: request, head, &writing)
      var image = try image(after: head, number: number, &writing) {
        try fill(&$0, with: request, lanes, after: head)
      }
      if lanes?.isDrawn == true {
        if writing.group != nil { return nil }
        return .durable(try claiming { try append(image, to: head, &writing, confirm: confirm) })
      }
      if mayWait, writing.soloCount == 0, !writing.mustRewrite, image.isSmall {
        return try GroupWriter(self).append(image, to: head, &writing)
      }
      if writing.group != nil { return nil }
      let ends = isPartOfDocument ? try leases.refill(&image, after: head) : [:]
      let state = try append(image, to: head, &writing, confirm: confirm)
      leases.extend(to: ends)
      return .durable(state)
    }
  }

  /// Puts the changes of a request into a commit.
  private func fill(
    _ image: inout CommitImage, with request: CommitRequest, _ lanes: CommitLanes?,
    after head: CommittedState
  ) throws {
    let number = image.record.number
    try image.setOrigin(of: request, path: filePath)
    var schema = head.schema
    if let model = request.model {
      schema = try request.schema(evolving: schema, of: head.model, path: filePath)
      var metadata = try request.metadata ?? head.metadata
      metadata.setModel(model)
      metadata.setOrigin(of: request, commit: number)
      if let lanes { metadata.lanes = lanes.all }
      try image.setDescription(metadata: metadata, model: model, schema: schema)
    } else if request.metadata != nil || request.message != nil || request.version != nil
      || lanes?.isChanged == true
    {
      var metadata = try request.metadata ?? head.metadata
      metadata.setOrigin(of: request, commit: number)
      if let lanes { metadata.lanes = lanes.all }
      try image.setMetadata(metadata, areKnown: request.metadata == nil)
    }
    if !request.changes.isEmpty {
      try head.file.reading {
        let changes = try image.movingLargeValues(
          of: request.changes, after: head, schema, options)
        var segments = NextSegments(try changes.stamped(number), above: head)
        try segments.mergeTiers(schema)
        try image.setSegments(segments, schema)
      }
      if let lanes, lanes.isDrawn || request.changes.entities.contains(where: { !$0.put.isEmpty }) {
        image.record.nextKeys = try lanes.nextKeys(
          lanes.isDrawn ? [:] : head.record.nextKeys, above: request.changes)
      }
    }
  }

  /// Calls `body` while this process is the only writer.
  ///
  /// - Throws: An error if the given commit is not the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try withExclusiveAccess { _, head in
      try checkNewest(number, is: head.commit)
      return try body()
    }
  }

  // MARK: - Steps

  /// Calls `body` with the newest durable commit while this process is the only writer, and no commit waits for a sync.
  func withExclusiveAccess<R>(
    _ body: (inout Writing, CommittedState) throws -> R
  ) throws -> R {
    try ExclusiveAccess(self).run(mayWait: false) { try body(&$0, $1) }
  }

  /// Returns the next commit, with the contents of the previous one, after `body` has changed it.
  func image(
    after head: CommittedState, number: Int64, _ writing: inout Writing,
    _ body: (inout CommitImage) throws -> Void = { _ in }
  ) throws -> CommitImage {
    let free = try head.file.reading {
      try FreeBytes.after(head, knowing: writing.free, fileByteCount: writing.byteCount)
    }
    writing.free = free
    writing.byteCount = nil
    var image = CommitImage(
      after: head, number: number, start: UInt64(free.start), compression: compression)
    try body(&image)
    guard free.start < free.fileByteCount, image.beginsWithZeros else { return image }
    // Another process finds a commit in the tail by its first bytes (spec §4.3.5), so this one begins behind the tail.
    writing.free!.start = BlockFile.align(free.fileByteCount)
    image = CommitImage(
      after: head, number: number, start: UInt64(writing.free!.start), compression: compression)
    try body(&image)
    return image
  }

  /// Appends a commit, makes it durable, and shows it to readers once it is confirmed.
  ///
  /// An unconfirmed commit stays in the file behind the newest confirmed one, and readers skip it.
  func append(
    _ image: CommitImage, to head: CommittedState, _ writing: inout Writing,
    confirm: (any StoreSnapshot) throws -> Void = { _ in }
  ) throws -> CommittedState {
    if writing.mustRewrite {
      // Nothing may be appended to a file whose sync failed. Data read from it earlier are sound.
      let state = try rewrite(image, head)
      writing.mustRewrite = false
      do { try confirm(state) } catch {
        let (trailer, record) = try state.file.commit(
          counting: head.commit, before: state.file.openingByteCount
        ).found
        show(try CommittedState(trailer, record, in: state.file, after: state))
        throw error
      }
      if isPartOfDocument { state.file.acknowledge(state.trailer, isLengthened: true) }
      show(state)
      return state
    }
    let file = head.file.file
    let free = writing.free!
    var image = image
    let trailer: Trailer
    var isLengthened = true
    do {
      if image.isSmall {
        let (bytes, end) = try image.finished(salt: head.file.header.salt)
        isLengthened = try writing.free!.write(bytes)
        trailer = end
      } else {
        trailer = try file.append(at: free.start) { writer in
          try image.write(into: &writer, salt: head.file.header.salt)
        }
        try sync(file, free, nil, &writing)
        try file.append(at: Int(trailer.offset)) { try $0.write(trailer.bytes) }
        writing.free = nil
      }
      try sync(file, free, trailer, &writing)
    } catch let error as DiskError {
      throw BinaryStore.failure(error, filePath)
    }
    // The commit is durable. From here on, no read may fail and make the save look failed.
    let state = try CommittedState(
      trailer, image.record, in: head.file, after: head, writtenAs: image)
    try confirm(state)
    head.file.acknowledge(trailer, isLengthened: isLengthened)
    writing.hasCommitted = true
    show(state)
    // For a document's store, the document decides which commits are dropped.
    return isPartOfDocument ? state : (try? vacuumIfDue(state, &writing)) ?? state
  }

  /// Makes the written bytes durable. If the sync fails, this removes them again as far as the disk allows. The file
  /// then takes no more writes.
  private func sync(
    _ file: DurableFile, _ free: FreeBytes, _ trailer: Trailer?, _ writing: inout Writing
  ) throws {
    do { try file.sync() } catch { throw takingBack(free, trailer, after: error, &writing) }
  }

  /// Removes the bytes that were written since a moment, as far as the disk allows, after a sync has failed.
  ///
  /// - Parameters:
  ///   - free: The free bytes of the file at that moment.
  ///   - trailer: The trailer of the newest commit among the removed bytes; `nil` if they contain no whole commit.
  /// - Returns: The error for the caller of the commit.
  func takingBack(
    _ free: FreeBytes, _ trailer: Trailer?, after error: any Error, _ writing: inout Writing
  ) -> any Error {
    writing.mustRewrite = true
    writing.free = nil
    current.withLock { $0?.refused = trailer }
    do {
      try free.restore(in: disk.open(filePath, for: .update))
    } catch _ where trailer != nil {
      return StoreError.uncertain(error, path: filePath)
    } catch {}
    return (error as? DiskError).map { BinaryStore.failure($0, filePath) } ?? error
  }
}

extension StoreMetadata {
  /// Replaces the message and the version of an earlier commit by those of the commit that writes the metadata.
  fileprivate mutating func setOrigin(of request: CommitRequest, commit number: Int64) {
    commitMessage = request.message.map { [number: $0] } ?? [:]
    setVersionBefore(request.version?.before, commit: number)
  }
}
