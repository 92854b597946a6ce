/// Places for the boxes of a diagram: columns from left to right, in which connected boxes are near each other.
///
/// The boxes of each connected group get a column by their distance from the box with the most lines. Within the columns
/// the boxes are sorted by the places of their neighbours, which removes most crossings. Groups stand below each other.
struct DiagramLayout {
  struct Size {
    var width: Double
    var height: Double
  }
  struct Frame {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var middleX: Double { x + width / 2 }
    var middleY: Double { y + height / 2 }
  }

  private(set) var frames: [Frame]
  private(set) var size = Size(width: 0, height: 0)

  static let margin = 24.0
  private static let columnGap = 150.0
  private static let rowGap = 36.0
  /// A column with more boxes than this is divided.
  private static let mostRows = 7

  init(_ sizes: [Size], lines: [(Int, Int)]) {
    frames = sizes.map { Frame(x: 0, y: 0, width: $0.width, height: $0.height) }
    var neighbours = [[Int]](repeating: [], count: sizes.count)
    for (from, to) in lines where from != to {
      neighbours[from].append(to)
      neighbours[to].append(from)
    }
    var top = Self.margin
    for group in Self.groups(neighbours) {
      var columns = Self.columns(of: group, neighbours)
      Self.sort(&columns, neighbours)
      var x = Self.margin
      let height = columns.map { self.height(of: $0) }.max() ?? 0
      for column in columns {
        let width = column.map { frames[$0].width }.max() ?? 0
        var y = top + (height - self.height(of: column)) / 2
        for box in column {
          frames[box].x = x + (width - frames[box].width) / 2
          frames[box].y = y
          y += frames[box].height + Self.rowGap
        }
        x += width + Self.columnGap
        size.width = max(size.width, x - Self.columnGap + Self.margin)
      }
      top += height + Self.rowGap * 1.5
    }
    size.height = max(top - Self.rowGap * 1.5 + Self.margin, 2 * Self.margin)
    size.width = max(size.width, 2 * Self.margin)
  }

  private func height(of column: [Int]) -> Double {
    column.reduce(0) { $0 + frames[$1].height } + Double(max(0, column.count - 1)) * Self.rowGap
  }

  /// Returns the groups of boxes that lines connect, the largest first. Boxes without lines are one group.
  private static func groups(_ neighbours: [[Int]]) -> [[Int]] {
    var isSeen = [Bool](repeating: false, count: neighbours.count)
    var groups: [[Int]] = []
    var single: [Int] = []
    for start in neighbours.indices where !isSeen[start] {
      isSeen[start] = true
      var group = [start]
      var next = 0
      while next < group.count {
        for other in neighbours[group[next]] where !isSeen[other] {
          isSeen[other] = true
          group.append(other)
        }
        next += 1
      }
      if group.count == 1 { single += group } else { groups.append(group) }
    }
    groups.sort { $0.count == $1.count ? $0[0] < $1[0] : $0.count > $1.count }
    return single.isEmpty ? groups : groups + [single]
  }

  private static func columns(of group: [Int], _ neighbours: [[Int]]) -> [[Int]] {
    let hub = group.max {
      neighbours[$0].count == neighbours[$1].count
        ? $0 > $1 : neighbours[$0].count < neighbours[$1].count
    }!
    guard !neighbours[hub].isEmpty else { return divided([group]) }
    var distance: [Int: Int] = [hub: 0]
    var queue = [hub]
    var next = 0
    while next < queue.count {
      let box = queue[next]
      for other in neighbours[box] where distance[other] == nil {
        distance[other] = distance[box]! + 1
        queue.append(other)
      }
      next += 1
    }
    // The neighbours of the hub stand on both sides of it, and each further box on the side of its neighbour.
    var side: [Int: Int] = [hub: 0]
    var counts = [-1: 0, 1: 0]
    for box in queue.dropFirst() {
      let near = neighbours[box].first { distance[$0]! < distance[box]! && side[$0] != nil }
      var own = near.flatMap { side[$0] } ?? 0
      if own == 0 { own = counts[-1]! < counts[1]! ? -1 : 1 }
      side[box] = own
      counts[own]! += 1
    }
    let most = distance.values.max() ?? 0
    var columns: [[Int]] = []
    for place in -most...most {
      let column = queue.filter { distance[$0] == abs(place) && side[$0] == place.signum() }
      if !column.isEmpty { columns.append(column) }
    }
    return divided(columns)
  }

  private static func divided(_ columns: [[Int]]) -> [[Int]] {
    columns.flatMap { column -> [[Int]] in
      let parts = (column.count + mostRows - 1) / mostRows
      let rows = (column.count + max(1, parts) - 1) / max(1, parts)
      return stride(from: 0, to: column.count, by: max(1, rows)).map {
        Array(column[$0..<min($0 + rows, column.count)])
      }
    }
  }

  /// Sorts the boxes in each column by the mean place of their neighbours, forwards and backwards.
  private static func sort(_ columns: inout [[Int]], _ neighbours: [[Int]]) {
    for round in 0..<8 {
      var place: [Int: Double] = [:]
      for column in columns {
        for (row, box) in column.enumerated() {
          place[box] = (Double(row) + 0.5) / Double(column.count)
        }
      }
      let order = round % 2 == 0 ? Array(columns.indices) : columns.indices.reversed()
      for index in order {
        let means = Dictionary(
          uniqueKeysWithValues: columns[index].map { box in
            let places = neighbours[box].compactMap { place[$0] }
            return (box, places.isEmpty ? place[box]! : places.reduce(0, +) / Double(places.count))
          })
        columns[index].sort { means[$0]! == means[$1]! ? $0 < $1 : means[$0]! < means[$1]! }
        for (row, box) in columns[index].enumerated() {
          place[box] = (Double(row) + 0.5) / Double(columns[index].count)
        }
      }
    }
  }
}
