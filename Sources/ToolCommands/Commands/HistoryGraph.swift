import CommandInterface
import Documents
import JSONText
import ObjectModel
import StoreInterface

/// The versions of all heads of a document as a graph, which `quire history --graph` draws.
struct HistoryGraph {
  /// A version of the graph.
  struct Node {
    var line: HistoryLine
    /// The version before it, if it is kept.
    var parent: Int64?
    /// The heads whose newest version it is.
    var heads: [String]

    /// The versions from which it derives.
    var parents: [Int64] {
      [parent].compactMap(\.self) + line.merged.filter { $0 != parent }
    }
  }

  /// The versions, the newest first.
  private(set) var nodes: [Node] = []

  /// Reads the heads of a document.
  init(_ document: Document) throws {
    var known: [Int64: Node] = [:]
    for (name, versions) in try document.heads.graph().heads {
      for (index, version) in versions.enumerated() {
        var node =
          known[version.number] ?? Node(line: HistoryLine(version), parent: nil, heads: [])
        // A head that has forgotten the version before another version knows an earlier one.
        let before = index > 0 ? versions[index - 1].number : nil
        node.parent = [node.parent, before].compactMap(\.self).max()
        node.line.merged = Set(node.line.merged).union(version.merged).sorted()
        if index == versions.count - 1 { node.heads.append(name) }
        known[version.number] = node
      }
    }
    nodes = known.values.sorted { $0.line.number > $1.line.number }
  }

  /// Draws the versions, the newest first, with lines from each version to those from which it derives.
  ///
  /// - Parameters:
  ///   - limit: The number of versions to draw; `nil` for all.
  ///   - current: The name of the current head.
  func draw(limit: Int?, current: String) -> [String] {
    var lanes: [Int64?] = []
    var lines: [String] = []
    let kept = Set(nodes.map(\.line.number))
    for node in nodes.prefix(limit ?? nodes.count) {
      let number = node.line.number
      let waiting = lanes.indices.filter { lanes[$0] == number }
      let column = waiting.first ?? Self.place(number, in: &lanes)
      // Lines to the same version meet above it.
      for other in waiting.dropFirst().reversed() {
        lanes[other] = nil
        lines.append(Self.link(from: column, to: other, leans: "/", lanes))
      }
      while let last = lanes.last, last == nil { lanes.removeLast() }
      let marks = lanes.indices.map { $0 == column ? "*" : lanes[$0] == nil ? " " : "|" }
      let heads = node.heads.map { $0 == current ? "*\($0)" : $0 }.joined(separator: ", ")
      lines.append(
        marks.joined(separator: " ") + "  " + node.line.text(nil)
          + (heads.isEmpty ? "" : "  (\(heads))"))
      let parents = node.parents.filter(kept.contains)
      lanes[column] = parents.first
      for merged in parents.dropFirst() {
        let before = lanes
        let known = lanes.firstIndex(of: merged)
        let target = known ?? Self.place(merged, in: &lanes, after: column)
        // A new column begins below the line to it.
        lines.append(
          Self.link(
            from: column, to: target, leans: target > column ? "\\" : "/",
            known == nil ? before : lanes))
      }
    }
    return lines
  }

  /// Puts a version that is expected below into a free column, and returns the column.
  private static func place(
    _ number: Int64, in lanes: inout [Int64?], after column: Int = -1
  ) -> Int {
    if let free = lanes.indices.first(where: { $0 > column && lanes[$0] == nil }) {
      lanes[free] = number
      return free
    }
    lanes.append(number)
    return lanes.count - 1
  }

  /// Returns a line of the drawing that leads from one column to another.
  private static func link(
    from column: Int, to other: Int, leans mark: Character, _ lanes: [Int64?]
  ) -> String {
    var cells = lanes.flatMap { [$0 == nil ? " " : "|", " "] as [Character] }
    let (left, right) = (min(column, other), max(column, other))
    for index in 2 * left + 1..<2 * right where cells[index] == " " { cells[index] = "_" }
    cells[2 * right - 1] = mark
    while cells.last == " " { cells.removeLast() }
    return String(cells)
  }

  func json(limit: Int?) -> JSON {
    .array(
      nodes.prefix(limit ?? nodes.count).map { node in
        node.line.json.adding([
          "parents": .array(node.parents.map { .number("\($0)") }), "heads": .strings(node.heads),
        ])
      })
  }
}
