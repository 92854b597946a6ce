import ObjectModel
import Rows

extension CommitRequest {
  /// Whether the commit inserts objects or links.
  package var insertsRows: Bool { changes.entities.contains { !$0.put.blocks.isEmpty } }

  /// Returns the lanes of a store after the request (spec §4.4.6).
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the store before.
  ///   - isCopy: Whether the store's file is a copy of the file that its writer made. If the request inserts rows, the copy
  ///     becomes a replica of its own.
  ///   - nextKeys: The numbers that the file records (`next_key`), of all entities.
  /// - Returns: The lanes, and whether the store has drawn the one in which it counts from now on.
  package func lanes(
    after metadata: StoreMetadata, isCopy: Bool, nextKeys: some Collection<UInt64>
  ) -> (lanes: StoreLanes, isDrawn: Bool) {
    var result = metadata.lanes
    let counted = result.countedNumbers
    var draws = result.current == nil || isCopy && insertsRows
    if draws { result.forgetUnused(nextKeys) }
    if let others = self.metadata?.lanes { result.adopt(others) }
    if let lanes { result.formUnion(lanes) }
    if !draws, result.countedNumbers.lowerBound == counted.lowerBound {
      // A lane that begins below the numbers given here ends the file's own lane too early.
      let end = result.countedNumbers.upperBound
      draws = nextKeys.contains { $0 > end && $0 <= counted.upperBound }
    }
    if draws { result.draw() }
    return (result, draws)
  }
}

extension BlockRun {
  /// Returns the highest key in a range of keys; `nil` if all keys of the run are outside the range.
  package func highestKey(in range: Range<UInt64>) throws -> UInt64? {
    for block in blocks.reversed() where block.minimumKey < range.upperBound {
      var highest = block.maximumKey
      if highest >= range.upperBound {
        // The block has keys on both sides of the end.
        let keys = try block.keys
        for row in (0..<block.rowCount).reversed() where highest >= range.upperBound {
          highest = UInt64(bitPattern: keys.integer(at: row))
        }
      }
      return highest >= range.lowerBound ? highest : nil
    }
    return nil
  }
}
