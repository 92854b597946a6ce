import DurableFiles
import Rows
import StoreInterface
import Synchronization

extension BinaryStore {
  /// Writes the file anew when enough of it is dead.
  func vacuumIfDue(_ state: CommittedState) throws -> CommittedState {
    let dead = state.end - min(state.record.liveByteCount, state.end)
    guard dead > UInt64(options.leastDeadByteCount),
      Double(dead) > Double(state.end) * options.deadShare
    else { return state }
    return try rewrite(
      CommitImage(after: state, number: state.commit, start: state.end, compression: compression),
      state)
  }

  /// Writes a commit and all that it keeps into a new file, which takes the old one's place at once.
  ///
  /// Whoever reads the old file goes on reading it.
  func rewrite(_ image: CommitImage, _ head: CommittedState) throws -> CommittedState {
    let header = FileHeader(
      uuid: uuid, salt: .random(in: 1 ... .max), isCompressed: type == .compressed)
    do {
      try disk.replace(filePath) { writer in
        try writer.write(header.bytes)
        var copy = try image.copied(from: head)
        let trailer = try copy.write(into: &writer, salt: header.salt)
        try writer.write(trailer.bytes)
      }
    } catch let error as DiskError {
      throw BinaryStore.failure(error, filePath)
    }
    return try current.withLock { current in
      guard current != nil else { throw closed }
      let file = try BinaryStore.file(filePath, disk, isReadOnly)
      let (trailer, record) = try file.newestCommit()
      let state = try CommittedState(trailer, record, in: file, after: head)
      current = Current(head: state, seenByteCount: Int(state.end))
      return state
    }
  }
}

extension CommitImage {
  /// The same commit as the first of a file of its own, with everything that it refers to.
  func copied(from head: CommittedState) throws -> CommitImage {
    var copy = emptyCopy(from: head.file)
    copy.setNextKeys(record.nextKeys)
    let schema = pending.schema ?? head.schema
    try copy.addDescription(
      metadata: try pending.metadata ?? head.metadata, model: try pending.model ?? head.model,
      schema: schema, setBy: record.schemaNumber)
    try copy.setSegments(
      parts(head).map { part in .made(try part.layer(schema).layer, [:]) }, schema)
    return copy
  }
}
