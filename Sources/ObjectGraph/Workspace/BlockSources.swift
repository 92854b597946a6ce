// SAFETY: The finder retains each source whose places it returns.

import Rows

/// The sources of the blocks in which objects of one entity were found.
@safe
struct BlockSources {
  private var byBlock: [ObjectIdentifier: RowSource] = [:]
  /// The source that was returned last.
  private var last: RowSource?
  /// The places of rows, for objects that are not registered yet.
  private var finder = RowFinder()
  /// The number of bytes of the blocks that no commit has written.
  private var uncommittedByteCount = 0
  private static let mostUncommittedBytes = 1 << 20

  var count: Int { byBlock.count }

  /// Returns the source of a block's rows.
  mutating func source(of block: Block, for entity: EntityState) -> RowSource {
    if let last, last.block === block { return last }
    let identifier = ObjectIdentifier(block)
    let source = byBlock[identifier] ?? RowSource(entity, block: block)
    if byBlock.updateValue(source, forKey: identifier) == nil, block.version == 0 {
      uncommittedByteCount += block.byteCount
    }
    last = source
    return source
  }

  /// Returns the source of a block in which an object was found, and remembers the block's keys.
  mutating func source(
    of block: Block, for entity: EntityState, _ index: Int, in tables: [any RowTable]
  ) throws -> RowSource {
    let source = source(of: block, for: entity)
    try finder.record(source, of: index, in: tables)
    return source
  }

  /// Returns the place of an object's row, if its block was seen. The source is not retained.
  @inline(__always)
  @unsafe func place(of number: UInt64) -> (source: Unmanaged<RowSource>, row: Int)? {
    unsafe finder.place(of: number)
  }

  /// Releases the sources of blocks that no commit has written, once these blocks are large.
  ///
  /// Such blocks have rows gathered for one fetch, or are from layers that have been merged since.
  mutating func removeTransient() {
    guard uncommittedByteCount > BlockSources.mostUncommittedBytes else { return }
    uncommittedByteCount = 0
    byBlock = byBlock.filter { $0.value.block?.version != 0 }
    last = nil
    finder = RowFinder()
  }

  mutating func removeAll() { self = BlockSources() }
}
