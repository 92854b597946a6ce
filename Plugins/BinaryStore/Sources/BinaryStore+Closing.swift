import BlockFileFormat
import DurableFiles
import StoreInterface
import Threads

extension BinaryStore {
  /// Completes the file after the last commit of this process: a slot names the newest commit, everything is durable, and
  /// the tail of zeros is removed (spec §4.3.10).
  ///
  /// A process that ends without this leaves a file with a tail, which loses nothing. Another process that writes to the
  /// file goes on with the tail.
  func completeFile() throws {
    try writing.withLock { writing in
      guard writing.hasCommitted, writing.group == nil, !writing.mustRewrite else { return }
      writing.hasCommitted = false
      writing.free = nil
      let file = try head().file
      try file.file.lock(.exclusive, waiting: .never)
      defer { try? file.file.unlock() }
      let head = try head()
      guard head.file === file, try file.file.isStillAtItsPath() else { return }
      try file.complete(after: head)
    }
  }
}

extension StoreFile {
  /// Completes the file after its last commit, while this process holds the lock.
  fileprivate func complete(after head: CommittedState) throws {
    let byteCount = try file.byteCount()
    // In a document, the known commit may be followed by commits that do not count, or that another process made.
    let used = try file.endOfNonzeroBytes(before: byteCount)
    let end = min(byteCount, head.trailer.startOfNext(used: used))
    let isNewest = try readSlots().newest.map { $0.trailer <= head.trailer.offset } ?? false
    let isNamed = isNewest && name(head.trailer, fileByteCount: end)
    try file.sync()
    if isNamed, end < byteCount { try file.truncate(to: end) }
  }
}
