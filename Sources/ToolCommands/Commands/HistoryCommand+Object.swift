import CommandInterface
import Comparison
import Documents
import JSONText
import ObjectModel
import Rows
import StoreInterface

extension HistoryCommand {
  /// Shows the versions of a document that changed one object.
  static func follow(_ document: Document, _ invocation: Invocation) throws -> ExitCode {
    let key = try ObjectKey(word: invocation.value(of: object) ?? "")
    let stores = document.stores
    var holding = try stores.filter { try $0.snapshot().view.contains(key) }
    if let name = invocation.value(of: .storeName) {
      holding = [try StoreReader.store(name, of: document, at: invocation[.store])]
    }
    guard holding.count < 2 else {
      throw CommandError.wrongUsage(
        "Several stores contain an object '\(Wording.text(.object(key)))'.",
        hint: "Choose one with --in: \(holding.map(\.name).joined(separator: ", ")).")
    }
    // An object that is gone may have been in any store, and most documents have one.
    let store = holding.first ?? stores[0]
    let history = VersionHistory(document)
    return try write(
      ObjectHistory(
        of: key, store: stores.count > 1 ? store.name : nil,
        now: ComparedStore("", store.snapshot()), versions: document.versions.map(\.number),
        change: history.change),
      document.versions.map { HistoryLine($0) }, invocation)
  }

  /// Shows the commits of a store that changed one object.
  static func follow(_ store: any Store, _ invocation: Invocation) throws -> ExitCode {
    let snapshot = try store.snapshot()
    let names = try snapshot.metadata.namedCommits
    let commits = try Array(store.commits().reversed())
    if commits.isEmpty { throw StoreReader.keepsNoVersions(store, at: invocation[.store]) }
    return try write(
      ObjectHistory(
        of: ObjectKey(word: invocation.value(of: object) ?? ""), store: nil,
        now: ComparedStore("", snapshot),
        versions: commits.map(\.number)
      ) { before, number in
        try VersionChange(
          from: store.snapshot(ofCommit: before), to: store.snapshot(ofCommit: number))
      }, commits.map { HistoryLine($0, name: names[$0.number]) }, invocation)
  }

  private static func write(
    _ history: ObjectHistory, _ versions: [HistoryLine], _ invocation: Invocation
  ) throws -> ExitCode {
    let word = oneLine(invocation.value(of: object) ?? "")
    let lines = Dictionary(versions.map { ($0.number, $0) }, uniquingKeysWith: { one, _ in one })
    if history.object == nil, history.steps.isEmpty {
      throw CommandError(
        .no, "No version that is kept has changed an object '\(word)'.",
        hint: "'quire fetch' prints the identifiers of objects.")
    }
    if invocation.has(values) {
      try writeValues(history, lines, invocation)
    } else {
      try writeSteps(history, lines, invocation)
    }
    return .done
  }

  private static func writeSteps(
    _ history: ObjectHistory, _ lines: [Int64: HistoryLine], _ invocation: Invocation
  ) throws {
    let console = invocation.console
    let steps = history.steps.prefix(try invocation.number(of: limit) ?? .max)
    if invocation.format == .json {
      return try console.output.writeLine(
        JSON.array(
          steps.map { step in
            (lines[step.number]?.json ?? .members([]))
              .adding(["object": DiffJSON.json(step.change, nil)])
          }))
    }
    let text = DiffText(console.output, width: console.width)
    for step in steps {
      if let line = lines[step.number] { try console.output.writeLine(line.text(nil)) }
      try console.output.writeLine("    " + text.line(step.change))
    }
    if history.steps.last?.change.kind != .inserted {
      try console.messages.writeLine(
        "Version \(history.end) contained the object already, and the versions before it can't be compared."
      )
    }
  }

  private static func writeValues(
    _ history: ObjectHistory, _ lines: [Int64: HistoryLine], _ invocation: Invocation
  ) throws {
    let console = invocation.console
    guard history.object != nil else {
      throw CommandError(
        .no,
        "The object was deleted in version \(history.steps[0].number).",
        hint: "Leave out --values to see its changes.")
    }
    if invocation.format == .json {
      return try console.output.writeLine(
        JSON.array(
          history.origins.map { origin in
            JSON.object([
              "property": .string(origin.property.name),
              "value": DiffJSON.json(origin.property),
              "isEarlier": origin.number == nil ? .boolean(true) : nil,
            ]).adding(lines[origin.number ?? history.end]?.json)
          }))
    }
    let text = DiffText(console.output, width: console.width)
    var table = Table()
    for origin in history.origins {
      let line = lines[origin.number ?? history.end]
      table.add([
        origin.property.name, text.value(origin.property),
        origin.number.map { "\($0)" } ?? "≤ \(history.end)",
        line.map { Wording.text(.date($0.saved)) } ?? "",
        [line?.author.map { "by \($0)" }, line?.message.map { "message \"\($0)\"" }]
          .compactMap(\.self).joined(separator: "  "),
      ])
    }
    try console.output.write(table.text())
  }
}
