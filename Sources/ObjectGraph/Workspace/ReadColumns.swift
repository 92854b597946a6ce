import Rows
import Synchronization

/// The columns that a program has read lately of an entity's objects, as the bits of a number. Each bit stands for every
/// 64th column.
struct ReadColumns: ~Copyable {
  /// The columns of the present step. Atomic, because any thread may read the objects of a context that is gone.
  private let latest = Atomic<UInt64>(0)
  /// The columns that the program is likely to read of the next objects.
  private(set) var wanted: UInt64 = 0
  /// The columns with values in a heap.
  private let texts: UInt64
  /// The wanted columns with values in a heap.
  var wantedTexts: UInt64 { wanted & texts }

  init(_ columns: [LayoutColumn]) {
    texts = columns.prefix(64).enumerated().reduce(0) { bits, column in
      column.element.kind.isText || column.element.kind == .binary
        ? bits | 1 << UInt64(column.offset) : bits
    }
  }

  /// Records that a column was read.
  @inline(__always)
  func record(_ column: Int) {
    // Two steps are faster than one atomic step. If threads read at the same time, a column may be missing.
    latest.store(latest.load(ordering: .relaxed) | 1 &<< UInt64(column), ordering: .relaxed)
  }

  /// Begins a new step of a walk over objects: the columns that were read in the last step are wanted again.
  mutating func step() {
    let read = latest.load(ordering: .relaxed)
    if read != 0 { wanted = read }
    latest.store(0, ordering: .relaxed)
  }
}
