// SAFETY: `count` is the number of columns, and the index is checked against it. The memory is freed once.

import ObjectModel
public import Rows

/// The columns of a block in the order of a layout, to be written to a database.
///
/// Each column is used in place and never copied: a copy would cost reference counting for each cell. The access is
/// inlined, because it happens for each cell.
@safe
@usableFromInline
package struct BlockColumns: ~Copyable {
  @usableFromInline let columns: UnsafeMutablePointer<One>
  @usableFromInline package let count: Int

  /// Finds the columns of a layout in a block.
  package init(_ block: Block, _ layout: [LayoutColumn]) throws {
    let found = try layout.map { try block.column($0) }
    count = found.count
    unsafe columns = .allocate(capacity: count)
    for (index, column) in found.enumerated() {
      unsafe (columns + index).initialize(
        to: One(
          column: column ?? Column(repeating: .null, kind: layout[index].kind, rowCount: 1),
          isThere: column != nil, kind: layout[index].kind))
    }
  }

  deinit {
    unsafe columns.deinitialize(count: count)
    unsafe columns.deallocate()
  }

  @inlinable
  package subscript(index: Int) -> One {
    @inline(__always) unsafeAddress {
      precondition(index >= 0 && index < count)
      return unsafe UnsafePointer(columns + index)
    }
  }

  /// A column.
  @usableFromInline
  package struct One: ~Copyable {
    @usableFromInline package let column: Column
    /// Whether the block has the column.
    @usableFromInline let isThere: Bool
    package let kind: ColumnKind

    fileprivate init(column: Column, isThere: Bool, kind: ColumnKind) {
      (self.column, self.isThere, self.kind) = (column, isThere, kind)
    }

    /// Creates a column that is not a part of a block.
    package init(_ column: Column, _ kind: ColumnKind) {
      self.init(column: column, isThere: true, kind: kind)
    }

    /// Returns whether a row has its own value in the column.
    @inlinable
    package func isGiven(_ row: Int) -> Bool { isThere && column.isGiven(row) }
  }
}
