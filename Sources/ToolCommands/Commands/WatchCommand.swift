import CommandInterface
import Comparison
import Documents
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire watch`.
enum WatchCommand {
  static let entities = Argument(
    "ENTITY", "The entities whose objects are shown, with their subentities. The default is all.",
    isRequired: false, isRepeating: true)
  static let once = Option("once", "Ends after the first save with a change.")
  static let timeout = Option(
    "timeout", value: "SECONDS", "Ends after this time. The exit code is 1 if there was no change.")
  static let form = Option(
    "format", value: "FORMAT", choices: ["text", "jsonl"],
    "The format of the changes; the default is text.")

  /// The time between two looks at the document.
  static let interval = 0.2

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "watch", "prints the changes of other processes as they are saved",
      discussion: """
        The command waits for saves of other processes. For each save it prints the number of the version, \
        the time, the author and the message as 'quire history' does, and then a line for each changed object \
        as 'quire diff' does. With ENTITY, saves without changes of such objects are not printed. A message \
        says when the command has begun to watch. Ctrl-C ends it, with exit code 130.

        Several saves between two looks, which are \(Int(interval * 1000)) milliseconds apart, are printed one by one \
        if the document or the store keeps their versions, and otherwise as one. The document stays open for \
        other processes: watching takes no lock.

        With jsonl each changed object is one line of JSON, with the members of 'quire diff' and 'version', \
        'saved', 'author' and 'message'. A save that changes no object is a line with 'change' 'none'.
        """,
      arguments: [.store, entities], options: [once, timeout, .storeModel, form],
      changing: [.store],
      examples: [
        Example("quire watch Trips.quire", "Prints all changes until Ctrl-C."),
        Example(
          "quire watch Trips.quire Trip --once --timeout 60",
          "Waits for at most a minute until a trip changes."),
        Example(
          "quire watch Trips.quire --format jsonl", "Writes the changes for another program."),
      ]
    ) { invocation in
      let end = try seconds(invocation).map { Date(timeIntervalSinceNow: $0) }
      let path = invocation[.store]
      let watched: any WatchedPlace
      if try reader.isDocument(path) {
        try StoreReader.checkModelOption(ofDocument: path, invocation)
        watched = try WatchedDocument(path, reader)
      } else {
        watched = try WatchedStore(reader.open(path, invocation, models))
      }
      defer { watched.close() }
      let names = invocation.values(of: entities)
      for name in names { try FetchCommand.checkEntity(name, watched.model, in: path) }
      let output = WatchOutput(invocation, names.isEmpty ? nil : names)
      try invocation.console.messages.writeLine(
        "Watching '\(oneLine(path))' from version \(watched.number).")
      var didChange = false
      while true {
        for save in try watched.newSaves() where try output.write(save) {
          didChange = true
          if invocation.has(once) { return .done }
        }
        let left = end?.timeIntervalSinceNow ?? interval
        if left <= 0 { return didChange ? .done : .no }
        Thread.sleep(forTimeInterval: min(interval, left))
      }
    }
  }

  private static func seconds(_ invocation: Invocation) throws(CommandError) -> Double? {
    guard let text = invocation.value(of: timeout) else { return nil }
    guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
      throw .wrongUsage("--timeout needs a number of seconds, not '\(oneLine(text))'.")
    }
    return seconds
  }
}

/// A save that `quire watch` has noticed.
struct WatchedSave {
  let version: HistoryLine
  let change: VersionChange
}

/// A document or a store that `quire watch` looks at.
protocol WatchedPlace: AnyObject {
  /// The number of the version that was seen last.
  var number: Int64 { get }
  /// The model of this version.
  var model: Model { get }
  /// Returns the saves since the last call, the oldest first.
  func newSaves() throws -> [WatchedSave]
  func close()
}

/// A document, open for reading only.
final class WatchedDocument: WatchedPlace {
  private let path: String
  private let reader: StoreReader
  private var document: Document
  private var last: VersionHistory.State

  init(_ path: String, _ reader: StoreReader) throws {
    (self.path, self.reader) = (path, reader)
    if try reader.disk.status(of: reader.headPlace(path).path).kind == .file {
      throw CommandError.wrongUsage(
        "'\(oneLine(path))' is a packed document, which never changes.",
        hint: "Watch a document or a store.")
    }
    document = try reader.document(path, access: .readOnly)
    last = try VersionHistory(document).state(at: document.manifest.number)
  }

  var number: Int64 { last.number }
  var model: Model { last.model }

  func newSaves() throws -> [WatchedSave] {
    do {
      guard try document.refresh() else { return [] }
    } catch let error as DocumentError where error.code == .incompatibleModel {
      // A migration has replaced a store.
      try? document.close()
      document = try reader.document(path, access: .readOnly)
    }
    let history = VersionHistory(document)
    var saves: [WatchedSave] = []
    for version in document.versions where version.number > last.number {
      let state = try history.state(at: version.number)
      saves.append(
        WatchedSave(
          version: HistoryLine(version), change: try history.change(from: last, to: state)))
      last = state
    }
    return saves
  }

  func close() { try? document.close() }
}

/// A store that is not part of a document.
final class WatchedStore: WatchedPlace {
  private let store: any Store
  private var last: any StoreSnapshot
  private(set) var model: Model

  init(_ store: any Store) throws {
    self.store = store
    last = try store.snapshot()
    model = try last.model
  }

  var number: Int64 { last.commit }

  func newSaves() throws -> [WatchedSave] {
    let newest = try store.snapshot()
    guard newest.commit != last.commit else { return [] }
    let commits = try store.commits().filter {
      last.commit < $0.number && $0.number <= newest.commit
    }
    let unknown = CommitSummary(
      number: newest.commit, time: try store.describe().savedAt ?? Date())
    return try (commits.isEmpty ? [unknown] : commits.reversed()).map { commit in
      let snapshot =
        commit.number == newest.commit ? newest : try store.snapshot(ofCommit: commit.number)
      let change = try VersionChange(from: last, to: snapshot)
      (last, model) = (snapshot, change.models.new)
      return WatchedSave(version: HistoryLine(commit), change: change)
    }
  }

  // The reader closes the store.
  func close() {}
}

/// The output of `quire watch`.
struct WatchOutput {
  private let console: Console
  private let entities: [String]?
  private let isText: Bool

  init(_ invocation: Invocation, _ entities: [String]?) {
    console = invocation.console
    self.entities = entities
    isText = invocation.value(of: WatchCommand.form) != "jsonl"
  }

  /// Writes a save, and returns whether there was anything to write.
  func write(_ save: WatchedSave) throws -> Bool {
    let output = console.output
    var didWrite = false
    func begin() throws {
      if isText, !didWrite { try output.writeLine(save.version.text(nil)) }
      didWrite = true
    }
    let difference = save.change.modelDifference
    // A change of the model concerns all entities.
    for one in difference.changes {
      try begin()
      if isText {
        try output.writeLine("    " + ModelCommand.line(one))
      } else if case .members(let members) = ModelCommand.json(one) {
        try writeLine([.init(name: "change", value: .string("model"))] + members, save.version)
      }
    }
    let text = DiffText(output, width: console.width)
    var shownStore: String?
    try save.change.forEachObject(in: entities) { object, store in
      try begin()
      if !isText {
        if case .members(let members) = DiffJSON.json(object, store) {
          try writeLine(members, save.version)
        }
        return
      }
      if let store, store != shownStore { try output.writeLine("    store \(oneLine(store))") }
      shownStore = store
      try output.writeLine("    " + text.line(object))
    }
    if !didWrite, entities == nil {
      try begin()
      if !isText {
        try writeLine([.init(name: "change", value: .string("none"))], save.version)
      }
    }
    return didWrite
  }

  private func writeLine(_ members: [JSON.Member], _ version: HistoryLine) throws {
    guard
      case .members(let head) = JSON.object([
        "version": .number("\(version.number)"),
        "saved": ValueText.exchange.json(.date(version.saved)),
        "author": version.author.map(JSON.string), "message": version.message.map(JSON.string),
      ])
    else { return }
    let line = JSON.members(head + members).line
    try console.output.writeLine(
      console.output.isTerminal ? TerminalText.shownJSON(line) : line)
  }
}
