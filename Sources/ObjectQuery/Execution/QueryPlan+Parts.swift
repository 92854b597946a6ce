import ObjectModel
import Rows

extension QueryPlan {
  /// Calls `body` with the results part by part, in order: the rows of ``table(in:)``, a few at a time.
  ///
  /// Without sort keys the first part is delivered before the second is searched, and memory contains the columns of
  /// a few blocks. Groups, distinct rows and sorted rows are found before the first part; only their values are read
  /// part by part.
  ///
  /// - Parameter rowCount: The largest number of rows in a part.
  /// - Throws: The errors of a damaged store and of `body`.
  package func forEachPart(
    in source: some QuerySource, rowCount: Int, _ body: (ResultTable) throws -> Void
  ) throws {
    guard let table, !table.isGrouped, !request.returnsDistinctResults else {
      return try self.table(in: source).forEachPart(rowCount: rowCount, body)
    }
    let interpreter = interpreter(source)
    if let found = try hitsWithoutWalk(in: source) {
      for start in stride(from: 0, to: found.hits.count, by: rowCount) {
        let part = found.part(start..<min(start + rowCount, found.hits.count))
        try body(table.rows(of: part, interpreter))
      }
      return
    }
    var walk = try HitWalk(node, layouts, run(source))
    var passed = 0
    let offset = max(request.fetchOffset, 0)
    var left = request.fetchLimit > 0 ? request.fetchLimit : Int.max
    while left > 0 {
      var part = RowHits()
      try walk.next(
        passed < offset ? min(rowCount, offset - passed) : min(rowCount, left), into: &part)
      if part.hits.isEmpty { return }
      if passed < offset {
        passed += part.hits.count
        continue
      }
      left -= part.hits.count
      try body(table.rows(of: part, interpreter))
    }
  }
}

extension QueryPlan {
  /// Returns the rows if they must be sorted or an index finds them; `nil` if a walk is as fast.
  private func hitsWithoutWalk(in source: some QuerySource) throws -> RowHits? {
    if !sortKeys.isEmpty { return try hits(in: source) }
    guard
      var found = try indexes.coveredHits(node, [], layouts, run(source))?.hits
        ?? indexes.hits(in: source, layouts, interpreter(source))
    else { return nil }
    found.hits = Array(found.hits[request.window(of: found.hits.count)])
    return found
  }
}

extension ResultTable {
  /// Calls `body` with the rows in parts of at most `rowCount` rows.
  package func forEachPart(
    rowCount: Int, _ body: (ResultTable) throws -> Void
  ) rethrows {
    for start in stride(from: 0, to: rows.count, by: rowCount) {
      try body(
        ResultTable(names: names, rows: Array(rows[start..<min(start + rowCount, rows.count)])))
    }
  }
}

extension RowHits {
  /// Returns some of the rows, with only the batches that contain them.
  fileprivate func part(_ range: Range<Int>) -> RowHits {
    var part = RowHits()
    var places: [UInt32: UInt32] = [:]
    part.hits.reserveCapacity(range.count)
    for hit in hits[range] {
      let place = places[hit.reader] ?? UInt32(part.readers.count)
      if place == part.readers.count {
        places[hit.reader] = place
        part.readers.append(readers[Int(hit.reader)])
      }
      part.hits.append(Hit(reader: place, row: hit.row))
    }
    return part
  }
}
