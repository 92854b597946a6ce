import CommandInterface
import Comparison
import Documents
import JSONText
import ObjectGraph
import ObjectModel

/// The conflicts of a merge: the answers to them, and their output.
struct MergeReport {
  private let conflicts: [StoreMerge.Conflict]
  private let attachments: [AttachmentMerge.Conflict]
  private let invocation: Invocation

  init(_ conflicts: [Merge.Conflict], _ invocation: Invocation) {
    self.conflicts = conflicts.compactMap {
      if case .object(let conflict) = $0.facts { conflict } else { nil }
    }
    attachments = conflicts.compactMap {
      if case .attachment(let conflict) = $0.facts { conflict } else { nil }
    }
    self.invocation = invocation
  }

  private var count: Int { conflicts.count + attachments.count }
  private var output: Console.Stream { invocation.console.output }

  // MARK: - Answers

  /// Returns the side that wins each conflict; `nil` if a conflict is not resolved.
  func sides() throws -> [MergeSide]? {
    if invocation.has(MergeCommand.keepsOurs) {
      return [MergeSide](repeating: .ours, count: count)
    }
    if invocation.has(MergeCommand.keepsTheirs) {
      return [MergeSide](repeating: .theirs, count: count)
    }
    if count == 0 { return [] }
    guard invocation.has(MergeCommand.interactive) else { return nil }
    var sides: [MergeSide] = []
    var answers = Answers(invocation.console)
    for line in lines {
      guard let side = try answers.side(line) else { return nil }
      sides.append(side)
    }
    return sides
  }

  /// The answers that the user types.
  private struct Answers {
    private let console: Console
    private var typed: InputText

    init(_ console: Console) {
      self.console = console
      typed = InputText(console.input)
    }

    /// Asks about a conflict until the answer is clear; `nil` to stop.
    mutating func side(_ conflict: String) throws -> MergeSide? {
      try console.alerts.writeLine(conflict)
      while true {
        try console.alerts.write("(o)urs, (t)heirs, (b)ase, (q)uit? ")
        guard let answer = try typed.next() else { return nil }
        switch answer.lowercased().filter({ !$0.isWhitespace }) {
        case "o", "ours": return .ours
        case "t", "theirs": return .theirs
        case "b", "base": return .base
        case "q", "quit": return nil
        default: continue
        }
      }
    }
  }

  // MARK: - Output

  /// Prints the conflicts as text.
  func showConflicts() throws {
    for line in lines { try output.writeLine(line) }
  }

  /// Prints the conflicts of a merge that has written nothing.
  func writeConflicts() throws {
    switch invocation.format {
    case .text:
      try showConflicts()
      try invocation.console.messages.writeLine(
        "\(Wording.count(count, "conflict")). Nothing was written. --ours, --theirs or --interactive "
          + "resolves conflicts.")
    case .json: try output.writeLine(json(nil, isWritten: false))
    }
  }

  /// Prints the result of a merge.
  func write(
    _ counts: Merge.Counts, _ sides: [MergeSide],
    _ renumbered: [StoreMerge.Renumbered], isWritten: Bool
  ) throws {
    switch invocation.format {
    case .text:
      for object in renumbered {
        let store = object.store.map { "\(oneLine($0)): " } ?? ""
        let key = isWritten ? Wording.text(.object(object.key)) : "another identifier"
        try output.writeLine(
          "\(store)\(object.entity) \(Wording.text(.object(object.former))) -> \(key)")
      }
      for (line, side) in zip(lines, sides) {
        try output.writeLine("\(line)  (resolved: \(side.rawValue))")
      }
      let would = isWritten ? "" : "would be "
      try output.writeLine(
        "\(counts.inserted) \(would)inserted, \(counts.changed) \(would)changed, "
          + "\(counts.deleted) \(would)deleted")
    case .json: try output.writeLine(json((counts, sides), renumbered, isWritten: isWritten))
    }
  }

  private func json(
    _ result: (counts: Merge.Counts, sides: [MergeSide])?,
    _ renumbered: [StoreMerge.Renumbered] = [], isWritten: Bool
  ) -> JSON {
    let all = conflicts.map(json) + attachments.map(json)
    return .object([
      "merged": .boolean(isWritten),
      "inserted": result.map { .number($0.counts.inserted) },
      "changed": result.map { .number($0.counts.changed) },
      "deleted": result.map { .number($0.counts.deleted) },
      "renumbered": renumbered.isEmpty ? nil : .array(renumbered.map { json($0, isWritten) }),
      "conflicts": .array(
        all.enumerated().map { index, members in
          .members(
            members
              + (result.map {
                [JSON.Member(name: "resolved", value: .string($0.sides[index].rawValue))]
              } ?? []))
        }),
    ])
  }

  // MARK: - Text

  private var lines: [String] {
    conflicts.map { conflict in
      let dispute = conflict.dispute
      let object = "\(dispute.entity) \(text(dispute.object, conflict))"
      let head = output.styled(
        "! \(conflict.store.map { "\(oneLine($0)): " } ?? "")\(object)", .failure)
      let name =
        dispute.property.map { "  \($0)\(dispute.kind == .order ? " order" : "")" } ?? ""
      return "\(head)\(name)  base \(text(dispute.base, conflict)); "
        + "ours \(text(dispute.ours, conflict)); theirs \(text(dispute.theirs, conflict))"
    }
      + attachments.map { conflict in
        func text(_ attachment: Attachment?) -> String {
          attachment.map { "\(Wording.count($0.byteCount, "byte")) \($0.digest.prefix(12))" }
            ?? "none"
        }
        return output.styled("! attachment \(oneLine(conflict.name))", .failure)
          + "  base \(text(conflict.base)); ours \(text(conflict.ours)); "
          + "theirs \(text(conflict.theirs))"
      }
  }

  /// Returns the identifier of an object, in the copy that has it.
  private func text(_ key: ObjectKey, _ conflict: StoreMerge.Conflict) -> String {
    Wording.text(.object(conflict.originalKeys[key] ?? key))
  }

  private func text(
    _ value: Value, _ precision: Attribute.Precision?, _ conflict: StoreMerge.Conflict
  ) -> String {
    if case .object(let key) = value { return text(key, conflict) }
    return Wording.text(value, precision).replacing("\n", with: "\\n").replacing("\r", with: "\\r")
  }

  private func text(_ state: MergeDispute.State, _ conflict: StoreMerge.Conflict) -> String {
    switch state {
    case .missing: return conflict.dispute.kind == .deletion ? "deleted" : "nothing"
    case .value(let value): return text(value, conflict.precision, conflict)
    case .order(let keys): return keys.map { text($0, conflict) }.joined(separator: " ")
    case .object(let changes, let references):
      let parts =
        changes.map { change in
          let precision = conflict.precision(of: change.property)
          return "\(change.property) \(text(change.base, precision, conflict)) -> "
            + text(change.value, precision, conflict)
        }
        + references.map { "\($0.property) of \(text($0.object, conflict))" }
      return parts.isEmpty ? "exists" : parts.joined(separator: ", ")
    }
  }

  // MARK: - JSON

  private func json(_ conflict: StoreMerge.Conflict) -> [JSON.Member] {
    let dispute = conflict.dispute
    return members([
      ("store", conflict.store.map(JSON.string)), ("kind", .string(dispute.kind.rawValue)),
      ("entity", .string(dispute.entity)), ("id", .string(text(dispute.object, conflict))),
      ("property", dispute.property.map(JSON.string)), ("base", json(dispute.base, conflict)),
      ("ours", json(dispute.ours, conflict)), ("theirs", json(dispute.theirs, conflict)),
    ])
  }

  private func json(_ conflict: AttachmentMerge.Conflict) -> [JSON.Member] {
    func json(_ attachment: Attachment?) -> JSON {
      attachment.map {
        .object(["digest": .string($0.digest), "byteCount": .number($0.byteCount)])
      } ?? .null
    }
    return members([
      ("kind", .string("attachment")), ("name", .string(conflict.name)),
      ("base", json(conflict.base)), ("ours", json(conflict.ours)),
      ("theirs", json(conflict.theirs)),
    ])
  }

  private func json(_ object: StoreMerge.Renumbered, _ isWritten: Bool) -> JSON {
    .object([
      "store": object.store.map(JSON.string), "entity": .string(object.entity),
      "id": .string(Wording.text(.object(object.former))),
      "newID": isWritten ? .string(Wording.text(.object(object.key))) : nil,
    ])
  }

  private func members(_ members: [(String, JSON?)]) -> [JSON.Member] {
    members.compactMap { name, value in value.map { JSON.Member(name: name, value: $0) } }
  }

  private func json(
    _ value: Value, _ precision: Attribute.Precision?, _ conflict: StoreMerge.Conflict
  ) -> JSON {
    if case .object(let key) = value { return .string(text(key, conflict)) }
    return ValueText.exchange.json(value, precision)
  }

  private func json(_ state: MergeDispute.State, _ conflict: StoreMerge.Conflict) -> JSON {
    switch state {
    case .missing: return .null
    case .value(let value): return json(value, conflict.precision, conflict)
    case .order(let keys): return .array(keys.map { .string(text($0, conflict)) })
    case .object(let changes, let references):
      return .object([
        "changes": changes.isEmpty
          ? nil
          : .members(
            changes.map { change in
              let precision = conflict.precision(of: change.property)
              return JSON.Member(
                name: change.property,
                value: .object([
                  "old": json(change.base, precision, conflict),
                  "new": json(change.value, precision, conflict),
                ]))
            }),
        "references": references.isEmpty
          ? nil
          : .array(
            references.map {
              .object([
                "id": .string(text($0.object, conflict)), "property": .string($0.property),
              ])
            }),
      ])
    }
  }
}
