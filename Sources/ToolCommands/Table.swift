/// Rows of text in columns that line up.
struct Table {
  private(set) var rows: [[String]] = []

  /// Adds a row. Empty cells at its end take no room.
  mutating func add(_ cells: String...) { add(cells) }

  /// Adds a row. Empty cells at its end take no room.
  mutating func add(_ cells: [String]) { rows.append(cells.map(oneLine)) }

  /// The rows, each after `indent` spaces, with two spaces between columns.
  func text(indent: Int = 0) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (cell, width) in zip(row, widths) where width > 0 {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }
}

/// The text with line breaks and other control characters spelled out.
func oneLine(_ text: String) -> String {
  printable(text).replacing("\n", with: "\\n")
}
