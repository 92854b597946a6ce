/// A table that is written while rows arrive. The first rows determine the widths of the columns.
///
/// If the table has a width, long cells are cut, and columns for which no room is left are not shown.
package struct StreamedTable {
  private let output: Console.Stream
  private let width: Int?
  private var waiting: [[String]] = []
  private var widths: [Int]?
  /// The names of the columns that are not shown.
  package private(set) var hidden: [String] = []

  /// The number of rows that determine the widths.
  private static let widthRowCount = 512

  /// Creates a table of at most the given width in columns of a terminal; of any width if it is `nil`.
  package init(_ output: Console.Stream, width: Int? = nil) {
    self.output = output
    self.width = width
  }

  /// Adds a row. A cell that is wider than its column moves the following cells of its row, or is cut if the table has
  /// a width.
  package mutating func add(_ cells: [String]) throws {
    let cells = cells.map { output.isTerminal ? printable($0) : $0 }
    waiting.append(cells)
    guard widths != nil || waiting.count > StreamedTable.widthRowCount else { return }
    // After the first rows are written, lines are written in groups.
    if widths == nil || waiting.count >= StreamedTable.widthRowCount { try flush() }
  }

  /// Writes the remaining rows.
  package mutating func finish() throws { try flush() }

  private mutating func flush() throws {
    let widths = widths ?? fittedWidths()
    self.widths = widths
    guard !waiting.isEmpty else { return }
    let isCut = width != nil
    try output.write(
      waiting.map { row in
        Table.line(isCut ? zip(row, widths).map { $0.cut(to: $1) } : row, widths)
      }.joined())
    waiting.removeAll(keepingCapacity: true)
  }

  /// Returns the widths of the columns that are shown.
  private mutating func fittedWidths() -> [Int] {
    let widths = Table.widths(of: waiting)
    guard let width else { return widths }
    let fitted = ColumnWidths.fitted(widths, to: width)
    hidden = Array((waiting.first ?? []).dropFirst(fitted.count))
    return fitted
  }
}

/// The widths of the columns of a table on a terminal.
package enum ColumnWidths {
  /// The narrowest width to which a column with longer cells is cut.
  package static let least = 8
  /// The number of spaces between two columns.
  private static let gap = 2

  /// Returns widths with which the columns fit: the widest columns become narrower, all of them equally.
  ///
  /// - Returns: As many widths as there is room for, at least one.
  package static func fitted(_ widths: [Int], to width: Int) -> [Int] {
    func total(_ limit: Int, _ count: Int) -> Int {
      widths.prefix(count).reduce(gap * (count - 1)) { $0 + min($1, limit) }
    }
    var count = widths.count
    while count > 1, total(least, count) > width { count -= 1 }
    guard count > 0 else { return [] }
    var limit = widths.prefix(count).max() ?? 0
    if total(limit, count) > width {
      // The greatest limit that fits, by bisection.
      var low = 1
      while low < limit {
        let middle = (low + limit + 1) / 2
        if total(middle, count) <= width { low = middle } else { limit = middle - 1 }
      }
    }
    var fitted = widths.prefix(count).map { min($0, max(limit, 1)) }
    // The rest of the room goes to the columns that need least of it to show all of their cells.
    var room = width - fitted.reduce(gap * (count - 1), +)
    for column in fitted.indices.sorted(by: { (widths[$0], $0) < (widths[$1], $1) }) {
      let more = min(max(room, 0), widths[column] - fitted[column])
      fitted[column] += more
      room -= more
    }
    return fitted
  }
}

extension String {
  /// Returns the beginning of the text with an ellipsis if the text is wider than the given number of columns.
  package func cut(to width: Int) -> String {
    guard displayWidth > width else { return self }
    var cut = ""
    var used = 1
    for character in self {
      used += character.displayWidth
      guard used <= width else { break }
      cut.append(character)
    }
    return cut + "…"
  }
}
