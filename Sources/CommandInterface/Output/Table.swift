/// Rows of text in aligned columns.
package struct Table {
  package private(set) var rows: [[String]] = []

  package init() {}

  /// Adds a row. Empty cells at its end take no space.
  package mutating func add(_ cells: String...) { add(cells) }

  /// Adds a row. Empty cells at its end take no space.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(oneLine)) }

  /// Returns the rows, each after `indent` spaces, with two spaces between columns.
  package func text(indent: Int = 0) -> String {
    let widths = Table.widths(of: rows)
    return rows.map { Table.line($0, widths, indent: indent) }.joined()
  }

  /// Returns the width of each column, in columns of a terminal.
  package static func widths(of rows: [[String]]) -> [Int] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.displayWidth)
      }
    }
    return widths
  }

  /// Returns a row as a line, with two spaces between columns.
  ///
  /// - Parameter rightAligned: The columns whose cells end in line, as numbers do.
  package static func line(
    _ row: [String], _ widths: [Int], rightAligned: Set<Int> = [], indent: Int = 0
  ) -> String {
    var line = ""
    // Spaces are written only before a cell that is not empty.
    var spaces = indent
    for (column, (cell, width)) in zip(row, widths).enumerated() where width > 0 {
      let room = max(0, width - cell.displayWidth)
      let isRight = rightAligned.contains(column)
      if !cell.isEmpty {
        line += String(repeating: " ", count: spaces + (isRight ? room : 0))
        line += cell
        spaces = 0
      }
      spaces += (isRight && !cell.isEmpty ? 0 : room) + 2
    }
    return line + "\n"
  }
}

/// Returns the text on one line, with line breaks and characters that control a terminal spelled out.
package func oneLine(_ text: String) -> String {
  let text = printable(text)
  return text.utf8.contains(UInt8(ascii: "\n")) ? text.replacing("\n", with: "\\n") : text
}
