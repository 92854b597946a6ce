import ObjectModel
import Synchronization

/// A writer of blocks of up to ``BlockFormat/targetRowCount`` rows (spec §3.3).
///
/// It works in about a megabyte of memory, which takes longer to allocate than to write a small block. A writer that ends
/// therefore leaves its memory to the next one.
package struct BlockWriter: ~Copyable {
  private let scratch: Scratch

  package init() {
    scratch = BlockWriter.idle.withLock { $0.popLast() } ?? Scratch()
  }

  deinit {
    let scratch = scratch
    if scratch.assembly.byteCapacity > BlockWriter.mostIdleBytes { return }
    BlockWriter.idle.withLock { if $0.count < BlockWriter.mostIdle { $0.append(scratch) } }
  }

  /// The memory of writers that have ended.
  private static let idle = Mutex<[Scratch]>([])
  private static let mostIdle = 4
  private static let mostIdleBytes = 1 << 21

  // Sendable: it belongs to one writer or is in the list of idle memory, and the lock of the list orders its writers.
  private final class Scratch: @unchecked Sendable {
    var assembly = BlockAssembly()
  }

  package mutating func begin() { scratch.assembly.begin() }

  /// Adds a column, whose values `fill` gives. A column without a given value in any row is left out.
  ///
  /// - Precondition: Columns come in ascending order of their numbers, the key last. Each column has a value or
  ///   null for every row.
  mutating func add(
    _ number: UInt16, _ kind: ColumnKind, fill: (inout ColumnValues) -> Void
  ) {
    scratch.assembly.add(number, kind, fill: fill)
  }

  /// Adds the column of keys and finishes the block.
  ///
  /// - Precondition: `keys` ascend strictly.
  mutating func finish(
    entity: UInt16, flags: BlockFlags, keys: UnsafeBufferPointer<UInt64>,
    outsideValues: (any OutsideValues)? = nil
  ) -> Block {
    // SAFETY: The keys are passed on.
    unsafe scratch.assembly.finish(
      entity: entity, flags: flags, keys: keys, outsideValues: outsideValues)
  }
}
