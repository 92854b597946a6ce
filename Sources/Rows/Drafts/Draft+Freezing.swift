// SAFETY: Key buffers are read below their count, and drafts do not change while they are frozen.

extension Draft {
  /// Returns the rows that were not removed, as blocks.
  ///
  /// The draft does not change. Most drafts freeze into one block; a draft with large values freezes into several.
  ///
  /// - Parameter version: The version of every row; `nil` before a commit has assigned a version.
  public func freeze(version: Int64? = nil) -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze([self], version: version, &writer)
  }

  /// Returns whether drafts that freeze one by one give the same blocks as if they froze together: their keys ascend, and
  /// all but the last have the rows of a whole block.
  package static func freezeApart(_ drafts: [Draft]) -> Bool {
    drafts.dropLast().allSatisfy { $0.isFull && $0.removedCount == 0 }
      && RowGathering.ascend(drafts)
  }

  /// Returns the rows of several drafts of one entity and role, as blocks in the order of their keys.
  ///
  /// - Precondition: The drafts have the same layout and role, and no two rows the same key.
  package static func freeze(
    _ drafts: [Draft], flags: BlockFlags? = nil, version: Int64? = nil,
    _ writer: inout BlockWriter
  ) -> [Block] {
    guard let first = drafts.first else { return [] }
    precondition(
      drafts.allSatisfy { $0.role == first.role && $0.layout == first.layout },
      "Drafts that freeze together must have the same layout and the same role.")
    var gathering = RowGathering(
      entity: first.layout.entityNumber,
      flags: flags ?? (first.role == .changes ? .changes : []),
      columns: first.layout.columns, sources: drafts)
    gathering.version = version
    gathering.append(drafts)
    do { return try gathering.blocks(&writer) } catch {
      preconditionFailure("A draft is damaged: \(error)")
    }
  }
}

extension RowGathering {
  /// Adds the rows of all drafts, in the order of their keys.
  fileprivate mutating func append(_ drafts: [Draft]) {
    if RowGathering.ascend(drafts) {
      keys.reserveCapacity(drafts.reduce(0) { unsafe $0 + $1.rowCount - $1.removedCount })
      for (source, draft) in drafts.enumerated() { appendRows(of: draft, source) }
      return
    }
    var order: [(key: UInt64, source: Int, row: Int)] = []
    for (source, draft) in drafts.enumerated() {
      for row in unsafe 0..<draft.rowCount where !draft.isRemoved(row: row) {
        order.append((draft.key(row: row), source, row))
      }
    }
    order.sort { $0.key < $1.key }
    for (key, source, row) in order {
      append(source: source, row: row, key: key, basis: drafts[source].basis(row: row))
    }
  }

  private mutating func appendRows(of draft: Draft, _ source: Int) {
    guard draft.removedCount == 0 else {
      for row in unsafe 0..<draft.rowCount where !draft.isRemoved(row: row) {
        append(source: source, row: row, key: draft.key(row: row), basis: draft.basis(row: row))
      }
      return
    }
    guard unsafe draft.rowCount > 0 else { return }
    unsafe draft.withKeys { keys, bases in
      if !bases.isEmpty || !self.bases.isEmpty {
        let missing = self.keys.count - self.bases.count
        self.bases.append(contentsOf: repeatElement(0, count: missing))
        if bases.isEmpty {
          self.bases.append(contentsOf: repeatElement(0, count: keys.count))
        } else {
          self.bases.append(contentsOf: bases)
        }
      }
      unsafe self.keys.append(contentsOf: keys)
    }
    unsafe runs.append(RowRun(source: source, rows: 0..<draft.rowCount, beneath: nil))
  }

  /// Returns whether the keys ascend from row to row and from draft to draft, as the keys of inserted objects do.
  fileprivate static func ascend(_ drafts: [Draft]) -> Bool {
    var last: UInt64?
    for draft in drafts {
      let ascends = unsafe draft.withKeys { keys, _ in
        for i in 0..<keys.count {
          let key = unsafe keys[i]
          if let last, last >= key { return false }
          last = key
        }
        return true
      }
      if !ascends { return false }
    }
    return true
  }
}
