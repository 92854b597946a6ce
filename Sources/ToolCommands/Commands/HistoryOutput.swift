import CommandInterface
import Comparison
import Documents
import Foundation
import JSONText
import ObjectModel
import Rows
import StoreInterface

/// One version, in the form in which `quire history` prints it.
struct HistoryLine {
  var number: Int64
  var saved: Date
  var author: String?
  var model: String?
  var name: String?
  var message: String?
  /// The version whose content this version has, if undo or redo made it.
  var undoneTo: Int64?
  /// Whether redo made this version.
  var isRedo = false
  /// Whether a migration made this version, which has another model than the version before it.
  var isMigration = false
  /// The versions of other heads that were merged into this version.
  var merged: [Int64] = []
  /// The name of the context, the identifier of the application and the name of the process, in a log of changes.
  var context: String?
  var bundle: String?
  var process: String?
}

/// The change that a version made, as far as the history knows it.
protocol ShownChange {
  /// The numbers of changed objects; `nil` if the objects are not compared.
  var counts: VersionCounts? { get }
  /// The changes of the model.
  var modelChanges: [ModelDifference.Change] { get }
  /// Calls `body` with the changed objects as lines of text.
  func forEachLine(_ text: DiffText, _ body: (String) throws -> Void) throws
  /// Calls `body` with the changed objects as JSON.
  func forEachJSON(_ body: (JSON) throws -> Void) throws
}

extension HistoryLine {
  /// The version as a JSON object.
  var json: JSON {
    JSON.object([
      "number": .number("\(number)"), "saved": ValueText.exchange.json(.date(saved)),
      "model": model.map(JSON.string), "name": name.map(JSON.string),
      "author": author.map(JSON.string), "message": message.map(JSON.string),
      "undoneTo": undoneTo.map { .number("\($0)") },
      "merged": merged.isEmpty ? nil : .array(merged.map { .number("\($0)") }),
      "context": context.map(JSON.string), "bundle": bundle.map(JSON.string),
      "process": process.map(JSON.string),
    ])
  }

  /// Creates the line of a version of a document.
  ///
  /// - Parameter before: The version before it on its head; `nil` for the first version, or if it is not known.
  init(_ version: Manifest.VersionEntry, after before: Manifest.VersionEntry? = nil) {
    self.init(
      number: version.number, saved: version.saved, author: version.author, model: version.model,
      name: version.name, message: version.message, undoneTo: version.undoneTo,
      merged: version.merged)
    guard let before else { return }
    isMigration = before.model != version.model
    // If a version between them was removed, redo can't be distinguished from undo.
    if let undoneTo, before.number == number - 1 { isRedo = undoneTo > before.origin }
  }

  /// Returns the lines of versions of one head.
  static func all(of versions: [Manifest.VersionEntry]) -> [HistoryLine] {
    zip(versions, [nil] + versions).map { HistoryLine($0, after: $1) }
  }

  /// Creates the line of a commit of a store that is not part of a document.
  init(_ commit: CommitSummary, name: String? = nil) {
    self.init(
      number: commit.number, saved: commit.time, author: commit.author, name: name,
      message: commit.message)
  }

  /// Creates the line of a transaction in a log of changes.
  init(_ transaction: LoggedTransaction) {
    self.init(transaction.summary)
    context = transaction.summary.contextName
    bundle = transaction.bundleID
    process = transaction.processName
  }

  /// The time of the save with three decimals, so that the columns behind it are aligned.
  private var time: String {
    let milliseconds = (saved.timeIntervalSinceReferenceDate * 1000).rounded()
    let text = Wording.text(
      .date(Date(timeIntervalSinceReferenceDate: milliseconds / 1000)))
    let parts = text.dropLast().split(separator: ".")
    guard text.hasSuffix("Z"), parts.count < 3 else { return text }
    let digits = parts.count == 2 ? parts[1] : ""
    return "\(parts[0]).\(digits)\(String(repeating: "0", count: max(0, 3 - digits.count)))Z"
  }

  /// The kinds of saves that made this version, besides changes of objects.
  var marks: [String] {
    var marks: [String] = []
    if let undoneTo { marks.append("\(isRedo ? "redone" : "undone") to \(undoneTo)") }
    if isMigration, let model { marks.append("model \"\(oneLine(model))\"") }
    return marks
  }

  /// Returns the version as one line of text.
  ///
  /// - Parameters:
  ///   - counts: The numbers of changed objects; `nil` if they are not shown.
  ///   - widths: The widths of the two columns.
  func text(_ counts: VersionCounts?, _ widths: [Int]? = nil) -> String {
    var words = [time]
    if let counts { words.append(counts.text) }
    if let author { words.append("by \(oneLine(author))") }
    if let context { words.append("in \(oneLine(context))") }
    if let place = bundle ?? process { words.append("from \(oneLine(place))") }
    if let process, let bundle, process != bundle { words.append("(\(oneLine(process)))") }
    if let name { words.append("\"\(oneLine(name))\"") }
    words += marks
    if !merged.isEmpty {
      words.append("merged \(merged.map(String.init).joined(separator: ", "))")
    }
    if let message { words.append("message \"\(oneLine(message))\"") }
    let row = ["\(number)", words.joined(separator: "  ")]
    return String(Table.line(row, widths ?? Table.widths(of: [row])).dropLast())
  }
}

/// The list that `quire history` prints, the newest version first. Each version is written before the changes of the
/// next one are read.
struct HistoryOutput {
  /// The versions to print, the newest first.
  let versions: [HistoryLine]
  /// Whether the numbers of changed objects are printed.
  var showsCounts = false
  /// Whether the changed objects are printed.
  var showsObjects = false
  /// Returns the change that a version made; `nil` for the oldest version.
  var change: (Int64) throws -> (any ShownChange)? = { _ in nil }

  func write(_ invocation: Invocation) throws {
    switch invocation.format {
    case .text: try writeText(invocation.console)
    case .json: try writeJSON(invocation.console)
    }
  }

  private func change(of version: HistoryLine) throws -> (any ShownChange)? {
    showsCounts || showsObjects ? try change(version.number) : nil
  }

  // MARK: - Text

  private func writeText(_ console: Console) throws {
    let output = console.output
    let text = DiffText(output, width: console.width)
    let widths = Table.widths(of: versions.map { ["\($0.number)"] }) + [1]
    for version in versions {
      let change = try change(of: version)
      try output.writeLine(version.text(change?.counts, widths))
      if showsObjects, let change { try write(change, text, output) }
    }
  }

  /// Writes the changes of the model and of the objects, one on each line.
  private func write(
    _ change: any ShownChange, _ text: DiffText, _ output: Console.Stream
  ) throws {
    let indent = "    "
    for one in change.modelChanges {
      try output.writeLine(indent + ModelCommand.line(one))
    }
    try change.forEachLine(text) { try output.writeLine(indent + $0) }
  }

  // MARK: - JSON

  private func writeJSON(_ console: Console) throws {
    let output = console.output
    func shown(_ text: String, indent: String) -> String {
      (output.isTerminal ? TerminalText.shownJSON(text) : text)
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map { indent + $0 }.joined(separator: "\n")
    }
    guard !versions.isEmpty else { return try output.writeLine(JSON.array([])) }
    try output.write("[")
    for (index, version) in versions.enumerated() {
      let change = try change(of: version)
      let text = shown(json(version, change).text, indent: "  ")
      try output.write(index == 0 ? "\n" : ",\n")
      guard showsObjects, let change, change.counts != nil else {
        try output.write(text)
        continue
      }
      // The object stays open for the changed objects, which are written one by one.
      try output.write(text.dropLast("\n  }".count) + ",\n    \"objects\": [")
      var isFirst = true
      try change.forEachJSON { object in
        try output.write((isFirst ? "\n" : ",\n") + shown(object.text, indent: "      "))
        isFirst = false
      }
      try output.write(isFirst ? "]\n  }" : "\n    ]\n  }")
    }
    try output.write("\n]\n")
  }

  private func json(_ version: HistoryLine, _ change: (any ShownChange)?) -> JSON {
    let modelChanges = showsObjects ? change?.modelChanges ?? [] : []
    return version.json.adding([
      "changes": change?.counts?.json,
      "modelChanges": modelChanges.isEmpty ? nil : .array(modelChanges.map(ModelCommand.json)),
    ])
  }
}

/// The numbers of objects that a version inserted, changed and deleted.
struct VersionCounts {
  private(set) var inserted = 0
  private(set) var changed = 0
  private(set) var deleted = 0

  /// Adds the objects that a layer inserts, changes and deletes.
  fileprivate mutating func add(_ layer: Layer, _ schema: Schema) {
    let objects = Set(schema.layouts.map(\.entityNumber))
    for entity in layer.entities where objects.contains(entity.entityNumber) {
      inserted += entity.put.rowCount
      changed += entity.changed.rowCount
      deleted += entity.removed.rowCount
    }
  }

  /// Adds one object of a log of changes.
  mutating func add(_ kind: LoggedChange.Kind) {
    switch kind {
    case .insert: inserted += 1
    case .update: changed += 1
    case .delete: deleted += 1
    }
  }

  var text: String { "+\(inserted) ~\(changed) -\(deleted)" }
  var json: JSON {
    JSON.object([
      "inserted": .number(inserted), "changed": .number(changed), "deleted": .number(deleted),
    ])
  }
}

extension VersionChange: ShownChange {
  var modelChanges: [ModelDifference.Change] { modelDifference.changes }

  func forEachLine(_ text: DiffText, _ body: (String) throws -> Void) throws {
    var store: String?
    try forEachObject { object, name in
      if let name, name != store { try body("store \(oneLine(name))") }
      store = name
      try body(text.line(object))
    }
  }

  func forEachJSON(_ body: (JSON) throws -> Void) throws {
    try forEachObject { try body(DiffJSON.json($0, $1)) }
  }

  /// The numbers of changed objects; `nil` if the objects are not compared.
  var counts: VersionCounts? {
    guard let parts else { return nil }
    var counts = VersionCounts()
    for part in parts { counts.add(part.layer, part.snapshots.new.schema) }
    return counts
  }
}
