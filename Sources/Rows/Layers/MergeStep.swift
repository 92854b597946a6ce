/// A step of the merge of several layers of one entity. The keys of each step lie above the keys of the step before.
enum MergeStep {
  /// A block of whole rows of which no other block has a key. The merge need not read it.
  case reuse(Block)
  /// The parts of the layers with keys in a range, the lowest layer first.
  case merge([Layer.EntityChanges])

  /// Returns the steps of a merge. The merge reuses a full block if no other block has keys in its range, and merges all
  /// blocks between two reused ones.
  ///
  /// A program that adds objects makes blocks one above the other, so a merge reuses almost all of them.
  static func steps(_ parts: [Layer.EntityChanges]) -> [MergeStep] {
    guard parts.contains(where: { $0.put.blocks.contains(where: \.isFull) }) else {
      return [.merge(parts)]
    }
    let blocks = placed(parts)
    var steps: [MergeStep] = []
    var gap = 0
    for (index, one) in blocks.enumerated() where one.isAlone && one.block.isFull {
      steps += step(blocks[gap..<index], parts)
      steps.append(.reuse(one.block))
      gap = index + 1
    }
    return steps + step(blocks[gap...], parts)
  }

  /// A block of one of the layers.
  private struct PlacedBlock {
    let block: Block
    let part: Int
    let run: BlockFlags
    /// Whether this is a block of whole rows, and no other block has keys between its least and its greatest.
    var isAlone: Bool
  }

  /// Returns all blocks of the parts, in the order of their least keys.
  private static func placed(_ parts: [Layer.EntityChanges]) -> [PlacedBlock] {
    var blocks: [PlacedBlock] = []
    for (index, part) in parts.enumerated() {
      let runs: [(BlockFlags, BlockRun)] = [
        ([], part.put), (.changes, part.changed), (.removals, part.removed),
      ]
      for (run, found) in runs {
        blocks += found.blocks.map {
          PlacedBlock(block: $0, part: index, run: run, isAlone: run.isEmpty)
        }
      }
    }
    blocks.sort { $0.block.minimumKey < $1.block.minimumKey }
    // The block with the greatest key so far.
    var highest = 0
    for index in blocks.indices.dropFirst() {
      if blocks[index].block.minimumKey <= blocks[highest].block.maximumKey {
        blocks[index].isAlone = false
        blocks[highest].isAlone = false
      }
      if blocks[index].block.maximumKey > blocks[highest].block.maximumKey { highest = index }
    }
    return blocks
  }

  /// Returns the step for the blocks between two reused ones; none if there are no blocks.
  private static func step(
    _ blocks: ArraySlice<PlacedBlock>, _ parts: [Layer.EntityChanges]
  ) -> [MergeStep] {
    guard let first = blocks.first else { return [] }
    if blocks.count == 1, first.isAlone { return [.reuse(first.block)] }
    return [
      .merge(
        parts.indices.map { part in
          func run(_ run: BlockFlags) -> BlockRun {
            BlockRun(blocks.filter { $0.part == part && $0.run == run }.map(\.block))
          }
          return Layer.EntityChanges(
            entityNumber: parts[part].entityNumber, put: run([]), changed: run(.changes),
            removed: run(.removals))
        })
    ]
  }
}

extension Block {
  /// Whether adding rows to the block would gain little.
  fileprivate var isFull: Bool {
    rowCount >= BlockFormat.targetRowCount / 4 * 3
      || byteCount >= BlockFormat.targetByteCount / 4 * 3
  }
}
