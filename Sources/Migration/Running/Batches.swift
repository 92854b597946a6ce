extension Collection {
  /// Calls `body` with one batch of elements after another. A migration saves its objects after each batch, so that it
  /// never keeps all objects in memory.
  func forEachBatch(_ body: (SubSequence) throws -> Void) rethrows {
    var rest = self[...]
    while !rest.isEmpty {
      let batch = rest.prefix(batchCount)
      rest = rest.dropFirst(batch.count)
      try body(batch)
    }
  }
}

/// The number of objects between two saves of a migration.
private let batchCount = 1024
