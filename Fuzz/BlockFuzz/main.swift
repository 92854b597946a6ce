import FuzzDriver
import Rows

// Any bytes are a block or an error, and whatever opens can be read to its end.
fuzz { bytes in
  guard let block = try? Block(Array(bytes)) else { return }
  for number in block.columnNumbers {
    guard let column = try? block.column(number) else { continue }
    for row in 0..<block.rowCount { _ = column.value(at: row) }
  }
  _ = try? block.row(of: block.minimumKey)
}
