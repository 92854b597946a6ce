import CommandInterface
import Comparison
import JSONText
import ObjectModel

/// The output of `quire diff`. Changes are written as they are found.
final class DiffOutput {
  /// The form of the output.
  enum Form: String, CaseIterable {
    case text
    case json
    case jsonl
    case patch
  }

  /// Ends a comparison whose answer is known, because nothing is printed.
  struct Finished: Error {}

  /// The numbers of changes.
  private struct Counts {
    var inserted = 0
    var changed = 0
    var deleted = 0

    mutating func add(_ kind: ObjectChange.Kind) {
      switch kind {
      case .inserted: inserted += 1
      case .changed: changed += 1
      case .deleted: deleted += 1
      }
    }

    var text: String { "\(inserted) inserted, \(changed) changed, \(deleted) deleted" }
    var members: [JSON.Member] {
      [("inserted", inserted), ("changed", changed), ("deleted", deleted)].map {
        JSON.Member(name: $0, value: .number($1))
      }
    }
  }

  private let output: Console.Stream
  private let form: Form
  private let isQuiet: Bool
  private let showsCounts: Bool
  private let sides: PairedStores
  private let text: DiffText
  /// Lines that are not written yet. A terminal shows each line at once.
  private var lines = ""
  private var store: String?
  private var shownStore: String?
  private var total = Counts()
  private var counts: [(store: String?, entity: String, counts: Counts)] = []
  private var modelSummary: String?
  /// The differences of the attachments; `nil` if attachments are not compared.
  private var attachments: [AttachmentChange]?
  /// Whether the sides differ, as far as they have been compared.
  private(set) var isDifferent = false

  init(_ invocation: Invocation, _ sides: PairedStores) {
    output = invocation.console.output
    form = invocation.value(of: DiffCommand.form).flatMap(Form.init) ?? .text
    isQuiet = invocation.has(DiffCommand.quiet)
    showsCounts = invocation.has(DiffCommand.stat)
    self.sides = sides
    text = DiffText(output, width: invocation.console.width)
  }

  /// Writes the difference of the models.
  func begin(_ model: ModelDifference) throws {
    if !model.isEmpty { try noteDifference() }
    if isQuiet { return }
    modelSummary = model.isEmpty ? nil : model.summary
    switch form {
    case .text:
      if model.isEmpty || showsCounts { return }
      for change in model.changes { try writeLine(ModelCommand.line(change)) }
      try writeLine("\n\(model.summary)\n")
    // PatchWriter writes patches.
    case .patch: return
    case .jsonl:
      for change in model.changes {
        guard case .members(let members) = ModelCommand.json(change) else { continue }
        try write(.members([.init(name: "change", value: .string("model"))] + members))
      }
    case .json:
      let start = JSON.object([
        "old": .string(sides.names.old), "new": .string(sides.names.new),
        "model": .object([
          "isSeenByHashes": .boolean(model.isSeenByHashes),
          "changes": .array(model.changes.map(ModelCommand.json)),
        ]),
      ])
      // The object stays open for the changes, which are written one by one.
      let text = shown(start.text).dropLast("\n}".count)
      try add("\(text),\n  \"\(showsCounts ? "entities" : "changes")\": [")
    }
  }

  /// Begins the changes of a store of a document; `nil` if there is only one.
  func beginStore(_ name: String?) { store = name }

  /// Writes a change.
  func write(_ change: ObjectChange) throws {
    try noteDifference()
    if isQuiet { return }
    total.add(change.kind)
    if showsCounts { return count(change) }
    switch form {
    case .text:
      if let store, store != shownStore { try writeLine("store \(oneLine(store))") }
      shownStore = store
      try writeLine(text.line(change))
    case .json:
      let isFirst = total.inserted + total.changed + total.deleted == 1
      try add((isFirst ? "\n" : ",\n") + indented(DiffJSON.json(change, store)))
    case .jsonl: try write(DiffJSON.json(change, store))
    case .patch: return
    }
  }

  /// Writes the differences of the attachments.
  func write(_ attachments: [AttachmentChange]) throws {
    if !attachments.isEmpty { try noteDifference() }
    self.attachments = attachments
    if isQuiet || showsCounts { return }
    switch form {
    case .text: for one in attachments { try writeLine(one.line(output)) }
    case .jsonl: for one in attachments { try write(one.jsonLine) }
    // JSON has the attachments at its end, and patches have none.
    case .json, .patch: return
    }
  }

  /// Writes the numbers of the changes.
  func end() throws {
    if isQuiet { return }
    switch form {
    case .text: try endText()
    case .patch: break
    case .jsonl:
      if showsCounts { for one in counts { try write(json(one)) } }
    case .json:
      for (index, one) in counts.enumerated() {
        try add((index == 0 ? "\n" : ",\n") + indented(json(one)))
      }
      let isEmpty = total.inserted + total.changed + total.deleted == 0
      let listed = attachments.map {
        JSON.Member(name: "attachments", value: .array($0.map(\.json)))
      }
      let end = shown(JSON.members(total.members + [listed].compactMap(\.self)).text).dropFirst()
      try add("\(isEmpty ? "" : "\n  ")],\(end)\n")
    }
    try flush()
  }

  // MARK: - Counts

  private func noteDifference() throws {
    isDifferent = true
    if isQuiet { throw Finished() }
  }

  private func count(_ change: ObjectChange) {
    if counts.last?.entity != change.entity || counts.last?.store != store {
      counts.append((store, change.entity, Counts()))
    }
    counts[counts.count - 1].counts.add(change.kind)
  }

  private func endText() throws {
    guard isDifferent else { return try writeLine("No differences.") }
    if showsCounts {
      if let modelSummary { try writeLine("model: \(modelSummary)") }
      var table = Table()
      for one in counts {
        let numbers = one.counts
        table.add(
          (one.store.map { "\($0): " } ?? "") + one.entity, "+\(numbers.inserted)",
          "~\(numbers.changed)", "-\(numbers.deleted)")
      }
      if let attachments, !attachments.isEmpty {
        func count(_ kind: ObjectChange.Kind) -> Int { attachments.count { $0.kind == kind } }
        table.add(
          "attachments", "+\(count(.inserted))", "~\(count(.changed))", "-\(count(.deleted))")
      }
      try add(table.text())
    }
    let hasChanges =
      total.inserted + total.changed + total.deleted + (attachments?.count ?? 0) > 0
    try writeLine((hasChanges ? "\n" : "") + total.text)
  }

  private func json(_ one: (store: String?, entity: String, counts: Counts)) -> JSON {
    .members(
      (one.store.map { [JSON.Member(name: "store", value: .string($0))] } ?? [])
        + [JSON.Member(name: "entity", value: .string(one.entity))] + one.counts.members)
  }

  // MARK: - Writing

  private func write(_ json: JSON) throws { try writeLine(shown(json.line)) }

  private func shown(_ json: String) -> String {
    output.isTerminal ? TerminalText.shownJSON(json) : json
  }

  /// Returns an element of the array of changes.
  private func indented(_ json: JSON) -> String {
    shown(json.text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    \($0)" }.joined(separator: "\n")
  }

  private func writeLine(_ line: String) throws { try add(line + "\n") }

  private func add(_ text: String) throws {
    lines += text
    if output.isTerminal || lines.utf8.count >= 1 << 16 { try flush() }
  }

  private func flush() throws {
    if lines.isEmpty { return }
    try output.write(lines)
    lines = ""
  }
}
