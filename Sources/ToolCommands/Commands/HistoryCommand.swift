import BinaryStore
import Documents
import Foundation
import JSONText
import ObjectModel
import Quire
import Rows
import StoreInterface

/// The command `quire history`.
enum HistoryCommand {
  static let compared = Option(
    "changes", "Shows the numbers of objects that each version inserted, changed and deleted.")
  static let name = Option(
    "name", value: "NUMBER=TEXT",
    "Names a version, so that thinning keeps it. Without TEXT the version loses its name.")
  static let thin = Option(
    "thin", value: "POLICY", choices: ["usual", "newest"],
    "Removes old versions. 'usual' keeps all of the last hour, one for each hour of the last day "
      + "and one for each day of the last month; 'newest' keeps only the last. Versions with names "
      + "stay.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "history",
      "lists, names and removes the versions of a document or a store",
      discussion: """
        Each save makes a version. 'quire fetch STORE --version NUMBER' and other commands read a version, \
        and 'quire revert' returns a document to one. A store without a document keeps its versions until a \
        save rewrites the file, which happens when enough of the file is unused; versions with names stay. \
        --thin is for documents; 'quire vacuum --keep' removes versions of a store.
        """,
      arguments: [.store], options: [compared, name, thin, .storeModel, .format],
      examples: [
        Example("quire history Trips.store --changes", "Lists the saves of a store."),
        Example("quire history Trip.quire", "Lists the versions, the newest first."),
        Example("quire history Trip.quire --name '12=Before the trip'", "Names a version."),
        Example("quire history Trip.quire --thin usual", "Removes old versions."),
      ]
    ) { invocation in
      if !reader.isDocument(invocation[.store]) {
        return try list(invocation[.store], reader, models, invocation)
      }
      try StoreReader.checkModelOption(ofDocument: invocation[.store], invocation)
      let writes = invocation.has(name) || invocation.has(thin)
      let document = try reader.document(
        invocation[.store], access: writes ? .exclusive : .readOnly)
      defer { try? document.close() }
      if let words = invocation.value(of: name) {
        let (number, text) = try parts(ofName: words)
        try document.nameVersion(number, text)
        invocation.console.outcome.didChange("The name is saved.")
      }
      if let policy = invocation.value(of: thin) {
        let count = try document.thin(policy == "usual" ? .usual : .newestOnly)
        try invocation.console.messages.writeLine(
          "\(Wording.count(count, "version")) \(count == 1 ? "was" : "were") removed.")
      }
      try write(document, invocation)
      return .done
    }
  }

  /// Returns the number and the name in the value of an option. An empty name removes the version's name.
  private static func parts(ofName words: String) throws -> (number: Int64, name: String?) {
    let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = parts.first.flatMap({ Int64($0) }) else {
      throw CommandError.wrongUsage(
        "'\(words)' is not the name of a version.", hint: "Write NUMBER=NAME.")
    }
    let text = parts.count > 1 ? String(parts[1]) : ""
    return (number, text.isEmpty ? nil : text)
  }

  /// Lists the commits of a store that is not part of a document.
  private static func list(
    _ path: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    if invocation.has(thin) {
      throw CommandError.wrongUsage(
        "--thin is for documents, but '\(oneLine(path))' is a store.",
        hint: "Use 'quire vacuum --keep' for a store.")
    }
    let store = try reader.open(path, invocation, models, readOnly: !invocation.has(name))
    try StoreReader.checkHistory(of: store, at: path)
    if let words = invocation.value(of: name) {
      guard let store = store as? BinaryStore else {
        throw CommandError.wrongUsage(
          "'\(oneLine(path))' is a store of type \(store.type.rawValue), whose versions can't have "
            + "names.",
          hint: "'quire convert' copies the store into a block file.")
      }
      let (number, text) = try parts(ofName: words)
      try store.name(commit: number, text)
      invocation.console.outcome.didChange("The name is saved.")
    }
    let names = try store.snapshot().metadata.namedCommits
    let commits = try Array(store.commits().reversed())
    var counts: [Int64: Counts] = [:]
    if invocation.has(compared) {
      for (before, commit) in zip(commits, commits.dropFirst()) {
        let old = try store.snapshot(ofCommit: before.number)
        let new = try store.snapshot(ofCommit: commit.number)
        // The objects of commits with different models can't be compared.
        guard try old.model.versionHashes == new.model.versionHashes else { continue }
        var count = Counts()
        count.add(try new.changes(since: old), new.schema)
        counts[commit.number] = count
      }
    }
    try write(
      commits.map { commit in
        Line(
          number: commit.number, saved: commit.time, author: commit.author,
          name: names[commit.number], changes: counts[commit.number])
      }, invocation)
    return .done
  }

  private static func write(_ document: Document, _ invocation: Invocation) throws {
    let versions = document.versions
    let changes =
      invocation.has(compared) ? try self.changes(in: document, versions.map(\.number)) : [:]
    try write(
      versions.map { version in
        Line(
          number: version.number, saved: version.saved, author: version.author,
          model: version.model, name: version.name, changes: changes[version.number])
      }, invocation)
  }

  /// One version, in the form in which the command prints it.
  private struct Line {
    var number: Int64
    var saved: Date
    var author: String?
    var model: String?
    var name: String?
    var changes: Counts?
  }

  /// Prints versions in reverse order: `versions` begins with the oldest, and the output with the newest.
  private static func write(_ versions: [Line], _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      var table = Table()
      for version in versions.reversed() {
        var words = [Wording.text(.date(version.saved))]
        if let change = version.changes { words.append(change.text) }
        if let author = version.author { words.append("by \(oneLine(author))") }
        if let name = version.name { words.append("\"\(oneLine(name))\"") }
        table.add("\(version.number)", words.joined(separator: "  "))
      }
      try output.write(table.text())
    case .json:
      try output.writeLine(
        JSON.array(
          versions.reversed().map { version in
            JSON.object([
              "number": .number("\(version.number)"),
              "saved": Wording.json(.date(version.saved)),
              "model": version.model.map(JSON.string),
              "name": version.name.map(JSON.string), "author": version.author.map(JSON.string),
              "changes": version.changes?.json,
            ])
          }
        ))
    }
  }

  /// The numbers of objects that a version inserted, changed and deleted.
  private struct Counts {
    var inserted = 0
    var changed = 0
    var deleted = 0

    /// Adds the objects that a layer inserts, changes and deletes.
    mutating func add(_ layer: Layer, _ schema: Schema) {
      let objects = Set(schema.layouts.map(\.entityNumber))
      for entity in layer.entities where objects.contains(entity.entityNumber) {
        inserted += entity.put.rowCount
        changed += entity.changed.rowCount
        deleted += entity.removed.rowCount
      }
    }

    var text: String { "+\(inserted) ~\(changed) -\(deleted)" }
    var json: JSON {
      JSON.object([
        "inserted": .number(inserted), "changed": .number(changed), "deleted": .number(deleted),
      ])
    }
  }

  private static func changes(
    in document: Document, _ numbers: [Int64]
  ) throws -> [Int64: Counts] {
    var all: [Int64: Counts] = [:]
    for (before, number) in zip(numbers, numbers.dropFirst()) {
      var counts = Counts()
      do {
        for (store, layer) in try document.changes(from: before, to: number) {
          counts.add(layer, try store.snapshot().schema)
        }
      } catch let error as DocumentError where error.code == .incompatibleModel {
        // The objects of versions with different models can't be compared.
        continue
      }
      all[number] = counts
    }
    return all
  }
}

extension Argument {
  /// The document on which a command works.
  static let document = Argument("DOC", "The folder of a document.", role: .input)
}
