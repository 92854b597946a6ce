/// A table that is written while rows arrive. The first rows determine the widths of the columns.
///
/// If the table has a width, long cells are cut, and columns for which no room is left are not shown.
package struct StreamedTable {
  private let output: Console.Stream
  private let width: Int?
  private var waiting: [[String]] = []
  private var widths: [Int]?
  /// The columns with cells that are numbers, and the columns with other cells.
  private var numbers: Set<Int> = []
  private var others: Set<Int> = []
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
  ///
  /// - Parameter numbers: The cells that are numbers. A column of nothing but numbers is aligned to the right, so that the digits of
  ///   one place are below one another. `nil` for the names of the columns.
  package mutating func add(_ cells: [String], numbers: Set<Int>? = nil) throws {
    let cells = cells.map { output.isTerminal ? printable($0) : $0 }
    waiting.append(cells)
    if let numbers, widths == nil {
      self.numbers.formUnion(numbers)
      others.formUnion(cells.indices.filter { !cells[$0].isEmpty && !numbers.contains($0) })
    }
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
    let numbers = numbers.subtracting(others)
    try output.write(
      waiting.map { row in
        Table.line(
          isCut ? zip(row, widths).map { $0.cutAsCell(to: $1) } : row, widths,
          rightAligned: numbers)
      }.joined())
    waiting.removeAll(keepingCapacity: true)
  }

  /// Returns the widths of the columns that are shown.
  private mutating func fittedWidths() -> [Int] {
    let widths = Table.widths(of: waiting)
    guard let width else { return widths }
    let fitted = ColumnWidths.fitted(widths, to: width, leasts: leastWidths(widths))
    hidden = Array((waiting.first ?? []).dropFirst(fitted.count))
    return fitted
  }

  /// Returns the widths below which a column would show wrong values: of numbers all digits, and of dates the day.
  private func leastWidths(_ widths: [Int]) -> [Int] {
    let numbers = numbers.subtracting(others)
    return widths.indices.map { column in
      if numbers.contains(column), widths[column] <= ColumnWidths.mostOfNumbers {
        return widths[column]
      }
      let hasDays = waiting.contains { $0.indices.contains(column) && $0[column].beginsWithDay }
      return hasDays ? max(ColumnWidths.least, ColumnWidths.day) : ColumnWidths.least
    }
  }
}

/// The widths of the columns of a table on a terminal.
package enum ColumnWidths {
  /// The narrowest width to which a column with longer cells is cut.
  package static let least = 8
  /// The width of a day: `2026-04-20`.
  fileprivate static let day = 10
  /// The greatest width to which a column of numbers is not cut.
  fileprivate static let mostOfNumbers = 24
  /// The number of spaces between two columns.
  private static let gap = 2

  /// Returns widths with which the columns fit: the widest columns become narrower, all of them equally.
  ///
  /// - Parameter leasts: The width to which each column can be cut; `nil` for ``least``.
  /// - Returns: As many widths as there is room for, at least one.
  package static func fitted(_ widths: [Int], to width: Int, leasts: [Int]? = nil) -> [Int] {
    let floors = leasts ?? widths.map { _ in 1 }
    func cut(_ column: Int, _ limit: Int) -> Int {
      min(widths[column], max(limit, min(floors[column], width)))
    }
    func total(_ limit: Int, _ count: Int) -> Int {
      (0..<count).reduce(gap * (count - 1)) { $0 + cut($1, limit) }
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
    var fitted = (0..<count).map { cut($0, max(limit, 1)) }
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
  /// Whether the text begins with a day in the form of ISO 8601, and is that day or a moment of it.
  fileprivate var beginsWithDay: Bool {
    let bytes = Array(utf8.prefix(11))
    guard bytes.count >= 10 else { return false }
    for (place, byte) in bytes.prefix(10).enumerated() {
      let isRight =
        place == 4 || place == 7
        ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if !isRight { return false }
    }
    return bytes.count == 10 || bytes[10] == UInt8(ascii: "T")
  }

  /// Returns the cell of a table cut to a width. Of a moment, the whole time is cut if there is no room for it, because a part of a
  /// day looks like another day.
  fileprivate func cutAsCell(to width: Int) -> String {
    guard displayWidth > width, beginsWithDay else { return cut(to: width) }
    let day = prefix(ColumnWidths.day)
    return width > ColumnWidths.day ? day + "…" : width == ColumnWidths.day ? String(day) : "…"
  }

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
