import FuzzDriver
import Rows

/// A block whose values outside are zeros, as many as its references say, and that are not there beyond
/// a megabyte.
final class FuzzedBlock: BlockSource, OutsideValues {
  private let memory: BlockMemory

  init(_ bytes: [UInt8]) { memory = BlockMemory(bytes) }

  struct NotThere: Error {}

  var outsideValues: (any OutsideValues)? { self }

  func bytes(_ range: Range<Int>) throws -> BlockSlice { try memory.bytes(range) }

  func check(_ references: [OutsideReference]) throws {
    guard references.allSatisfy({ $0.byteCount <= 1 << 20 }) else { throw NotThere() }
  }

  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    guard memory.byteCount == reference.byteCount else { throw NotThere() }
    for offset in 0..<memory.byteCount {
      memory.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
    }
  }

  func block() throws -> Block { try Block(self, byteCount: memory.byteCount) }
}

// Any bytes are a block or an error, and whatever opens can be read to its end.
fuzz { bytes in
  guard let block = try? FuzzedBlock(Array(bytes)).block() else { return }
  for number in block.columnNumbers {
    guard let column = try? block.column(number) else { continue }
    for row in 0..<block.rowCount { _ = column.value(at: row) }
    let layout = LayoutColumn(number: number, name: "", kind: column.kind)
    _ = try? block.value(layout, row: block.rowCount - 1)
    _ = try? block.presence(of: layout)
  }
  _ = try? block.bytes(movingValues: { $0 &+ 8 })
  _ = try? block.row(of: block.minimumKey)
}
