import CommandInterface
import Comparison
import JSONText
import ObjectModel
import Rows

/// A tree of objects as text. Each object is one line, which is written when it is found.
struct TreeText {
  private let tree: ObjectTree
  private let console: Console
  private let lines: TreeLines
  /// The number of columns of a line; `nil` if lines are not cut.
  private let width: Int?
  /// The number of lines that are written; `nil` for all.
  private let most: Int?
  /// Whether a message says that there are more objects.
  private let notesRest: Bool
  private var count = 0
  private var visits = TreeVisits()
  /// Lines that are not written yet. A terminal shows each line at once.
  private var pending = ""

  /// Ends the walk after the last line.
  private struct Full: Error {}

  init(_ tree: ObjectTree, _ console: Console, most: Int?, notesRest: Bool) {
    self.tree = tree
    self.console = console
    self.most = most
    self.notesRest = notesRest
    let isTerminal = console.output.isTerminal
    width = isTerminal ? console.width : nil
    lines = isTerminal && TreeLines.isUTF8(console.environment) ? .boxes : .ascii
  }

  /// Writes the objects, and a message if there are more than are shown.
  mutating func write(_ roots: TreeRoots) throws {
    do {
      try roots.forEach(in: tree.store) { key in
        try write(ObjectTree.Child(relationship: nil, key: key), head: "", indent: "", level: 0)
        return true
      }
      try flush()
    } catch is Full {
      try flush()
      guard notesRest else { return }
      try console.messages.writeLine(
        "There are more objects. '--all' shows all, '--limit COUNT' some of them, and '--depth COUNT' "
          + "fewer levels.")
    }
  }

  /// Writes an object and the objects below it.
  ///
  /// - Parameters:
  ///   - head: The lines of the tree before the object.
  ///   - indent: The lines of the tree before the objects below it.
  private mutating func write(
    _ child: ObjectTree.Child, head: String, indent: String, level: Int
  ) throws {
    if let most, count >= most { throw Full() }
    count += 1
    let key = child.key
    var text = child.relationship.map { "\($0): " } ?? ""
    text += "\(tree.entityName(of: key)) \(Wording.text(.object(key)))"
    if let name = try tree.name(of: key) {
      text += " \(Wording.text(name.value, name.precision))"
    }
    let children = try tree.children(of: key)
    let continuation = visits.continuation(of: key, isLastLevel: level == tree.levels)
    if !children.isEmpty {
      switch continuation {
      case .children: break
      case .cycle: text += " (cycle)"
      case .shownAbove: text += " (shown above)"
      case .tooDeep: text += " (\(children.count) below)"
      }
    }
    let line = head + oneLine(text)
    pending += (width.map { line.cut(to: $0) } ?? line) + "\n"
    if console.output.isTerminal || pending.utf8.count >= 1 << 16 { try flush() }
    guard case .children = continuation, !children.isEmpty else { return }
    visits.enter(key)
    for (index, one) in children.enumerated() {
      let isLast = index == children.count - 1
      try write(
        one, head: indent + (isLast ? lines.last : lines.branch),
        indent: indent + (isLast ? lines.space : lines.pass), level: level + 1)
    }
    visits.leave(key)
  }

  private mutating func flush() throws {
    if !pending.isEmpty { try console.output.write(pending) }
    pending = ""
  }
}

/// The characters that draw the lines of a tree.
struct TreeLines {
  /// The line to an object that others follow.
  let branch: String
  /// The line to the last object.
  let last: String
  /// The line that passes an object of a lower level.
  let pass: String
  let space = "    "

  static let boxes = TreeLines(branch: "├── ", last: "└── ", pass: "│   ")
  static let ascii = TreeLines(branch: "|-- ", last: "`-- ", pass: "|   ")

  /// Returns whether the environment says that terminals show UTF-8.
  static func isUTF8(_ environment: [String: String]) -> Bool {
    // The first of these variables that is set counts.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale = locale?.lowercased() else { return false }
    return locale.contains("utf-8") || locale.contains("utf8")
  }
}

/// A tree of objects as JSON: a list of the topmost objects, written one by one.
struct TreeJSON {
  private let tree: ObjectTree
  private let output: Console.Stream
  private let most: Int?
  private var count = 0
  private var visits = TreeVisits()

  init(_ tree: ObjectTree, _ output: Console.Stream, most: Int?) {
    self.tree = tree
    self.output = output
    self.most = most
  }

  mutating func write(_ roots: TreeRoots) throws {
    var isFirst = true
    try output.write("[")
    try roots.forEach(in: tree.store) { key in
      let child = ObjectTree.Child(relationship: nil, key: key)
      guard let json = try json(child, level: 0) else { return false }
      let text = output.isTerminal ? TerminalText.shownJSON(json.text) : json.text
      let indented = text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "  \($0)" }.joined(separator: "\n")
      try output.write((isFirst ? "\n" : ",\n") + indented)
      isFirst = false
      return true
    }
    try output.write(isFirst ? "]\n" : "\n]\n")
  }

  /// Returns an object with the objects below it; `nil` if enough objects are written.
  private mutating func json(_ child: ObjectTree.Child, level: Int) throws -> JSON? {
    if let most, count >= most { return nil }
    count += 1
    let key = child.key
    let below = try tree.children(of: key)
    var children: [JSON]?
    var mark: String?
    if !below.isEmpty {
      switch visits.continuation(of: key, isLastLevel: level == tree.levels) {
      case .children:
        visits.enter(key)
        children = try below.compactMap { try json($0, level: level + 1) }
        visits.leave(key)
      case .cycle: mark = "cycle"
      case .shownAbove: mark = "shownAbove"
      case .tooDeep: break
      }
    }
    let isCut = children.map { $0.count < below.count } ?? (mark == nil && !below.isEmpty)
    return .object([
      "id": ValueText.exchange.json(.object(key)), "entity": .string(tree.entityName(of: key)),
      "name": try tree.name(of: key).map { ValueText.exchange.json($0.value, $0.precision) },
      "relationship": child.relationship.map(JSON.string), "mark": mark.map(JSON.string),
      "childCount": isCut ? .number(below.count) : nil, "children": children.map(JSON.array),
    ])
  }
}
