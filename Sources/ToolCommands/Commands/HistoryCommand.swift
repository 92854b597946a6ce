import BinaryStore
import CommandInterface
import Comparison
import Documents
import Foundation
import ObjectModel
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

  static let objects = Option(
    "objects",
    "Shows the objects that each version inserted, changed and deleted, as 'quire diff' does, with "
      + "--changes.")
  static let prune = Option(
    "prune-before", value: "DATE",
    "Removes the transactions before a date from the history of changes that Core Data keeps in a database, which grows "
      + "until somebody removes them. DATE is a day, such as 2026-01-01, or a moment. The objects stay."
  )
  static let limit = Option("limit", value: "COUNT", "Shows only the newest versions.")
  static let graph = Option(
    "graph",
    "Draws the versions of all heads of a document, each with lines to the versions from which it derives. The names of "
      + "heads stand behind their newest versions, and '*' marks the current head.")
  static let object = Option(
    "object", value: "ID",
    "Shows only the versions that changed the object with this identifier (2/p17), and its changes."
  )
  static let values = Option(
    "values", "Shows each value of the object with the version that set it, with --object.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "history",
      "lists, names and removes the versions of a document or a store",
      discussion: """
        Each save makes a version. 'quire fetch STORE --version NUMBER' and other commands read a version, \
        and 'quire revert' returns a document to one. A store without a document keeps its versions until a \
        save rewrites the file, which happens when enough of the file is unused; versions with names stay. \
        --thin is for documents; 'quire vacuum --keep' removes versions of a store. DOC@draft stands for the \
        head 'draft' of a document, a line of versions of its own.

        With --objects, the lines after a version are the objects that differ from the version before, in the \
        form of 'quire diff'. If the model changed, its changes are shown and the objects are not compared. In \
        JSON, 'objects' and 'modelChanges' have the form of 'changes' of 'quire diff' and 'quire model --diff'. \
        The time depends on the changes, and not on the size of the store, except for stores of type XML.

        A database of Core Data or SwiftData may have a history of changes, which says who changed which properties of which \
        objects, and keeps no earlier values: its versions are listed and can't be opened. An application that has not read \
        its history up to the date of --prune-before has to read all objects again.
        """,
      arguments: [.store],
      options: [
        compared, objects, object, values, graph, limit, name, thin, prune, .dryRun, .storeName,
        .storeModel, .format,
      ],
      changing: [.store],
      examples: [
        Example("quire history Trips.store --changes", "Lists the saves of a store."),
        Example("quire history Trip.quire", "Lists the versions, the newest first."),
        Example(
          "quire history Trip.quire --objects --limit 3",
          "Shows the objects that the last three versions changed."),
        Example(
          "quire history Trip.quire --object 1/p2 --values",
          "Shows which version set each value of an object, when and by whom."),
        Example("quire history Trip.quire --graph", "Draws the versions of all heads."),
        Example("quire history Trip.quire --name '12=Before the trip'", "Names a version."),
        Example("quire history Trip.quire --thin usual", "Removes old versions."),
        Example(
          "quire history App.sqlite --prune-before 2026-01-01",
          "Removes old transactions from the history of a database of Core Data."),
        Example(
          "quire history Trip.quire --thin usual --dry-run",
          "Lists the versions that would be removed."),
      ]
    ) { invocation in
      try check(invocation)
      guard try reader.isDocument(invocation[.store]) else {
        return try list(invocation[.store], reader, models, invocation)
      }
      try StoreReader.checkModelOption(ofDocument: invocation[.store], invocation)
      let writes =
        (invocation.has(name) || invocation.has(thin)) && !invocation.has(.dryRun)
      if invocation.has(prune) {
        throw CommandError.wrongUsage(
          "--prune-before is for databases of Core Data, but '\(oneLine(invocation[.store]))' is a document.",
          hint: "Use --thin for a document.")
      }
      let document = try reader.document(
        invocation[.store], access: writes ? .exclusive : .readOnly)
      defer { try? document.close() }
      if invocation.has(graph) {
        let shown = try invocation.number(of: limit)
        let drawn = try HistoryGraph(document)
        let output = invocation.console.output
        switch invocation.format {
        case .text:
          for line in try drawn.draw(limit: shown, current: document.heads.current) {
            try output.writeLine(line)
          }
        case .json: try output.writeLine(drawn.json(limit: shown))
        }
        return .done
      }
      if invocation.has(object) { return try follow(document, invocation) }
      if let words = invocation.value(of: name) {
        let (number, text) = try parts(ofName: words)
        let former = document.versions.first { $0.number == number }?.name
        try document.nameVersion(number, text)
        try note(former, number, isReplaced: text != nil, invocation)
        try invocation.console.outcome.didChange("The name is saved.")
      }
      var versions = document.versions
      if let word = invocation.value(of: thin) {
        let policy: VersionPolicy = word == "usual" ? .usual : .newestOnly
        let count: Int
        if invocation.has(.dryRun) {
          versions = try document.versionsToThin(policy)
          count = versions.count
        } else {
          let outcome = invocation.console.outcome
          outcome.willChange("No version was removed.")
          count = try document.thin(policy) { count in
            try outcome.didChange(
              "\(Wording.count(count, "version")) \(count == 1 ? "is" : "are") removed. Run 'quire vacuum "
                + "\(CommandError.quoted(invocation[.store]))' to free the space.")
          }
          versions = document.versions
        }
        let verb = invocation.has(.dryRun) ? "would be" : count == 1 ? "was" : "were"
        try invocation.console.messages.writeLine(
          "\(Wording.count(count, "version")) \(verb) removed.")
      }
      let history = VersionHistory(document)
      // Take the lines from all versions: the predecessor of a removed version may be one that stays.
      let all = HistoryLine.all(of: document.versions)
      let shown = Set(versions.map(\.number))
      try write(
        all.filter { shown.contains($0.number) }, after: document.versions.map(\.number),
        invocation,
        history.change)
      return .done
    }
  }

  /// Throws an error for options that do not belong together.
  private static func check(_ invocation: Invocation) throws(CommandError) {
    if invocation.has(values), !invocation.has(object) {
      throw .wrongUsage("--values needs --object.", hint: "Give the identifier of an object.")
    }
    for one in [graph, object] where invocation.has(one) {
      let others = [compared, objects, name, thin, prune, graph].filter { $0.name != one.name }
      if let other = others.first(where: { invocation.has($0) }) {
        throw .wrongUsage("Give either --\(one.name) or --\(other.name).")
      }
    }
    if invocation.has(.storeName), !invocation.has(object) {
      throw .wrongUsage("--in is for --object.", hint: "Leave out --in.")
    }
    guard invocation.has(.dryRun) else { return }
    guard invocation.has(thin) || invocation.has(prune) else {
      throw .wrongUsage(
        "--dry-run is for --thin and --prune-before.", hint: "Leave out --dry-run.")
    }
    if invocation.has(name) {
      throw .wrongUsage(
        "--name names a version, but --dry-run changes nothing.", hint: "Leave out one of them.")
    }
  }

  /// Prints versions with the options of the command line. `versions` begins with the oldest, and the output with the
  /// newest.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of all versions, the oldest first.
  ///   - change: Returns the difference between two versions.
  private static func write(
    _ versions: [HistoryLine], after numbers: [Int64], _ invocation: Invocation,
    _ change: (_ before: Int64, _ number: Int64) throws -> any ShownChange
  ) throws {
    let before = Dictionary(
      zip(numbers.dropFirst(), numbers), uniquingKeysWith: { one, _ in one })
    let shown = try invocation.number(of: limit) ?? versions.count
    try withoutActuallyEscaping(change) { change in
      try output(versions.reversed().prefix(shown).map(\.self), invocation) { number in
        try before[number].map { try change($0, number) }
      }.write(invocation)
    }
  }

  /// Returns the list of versions, the newest first, with the options of the command line.
  private static func output(
    _ versions: [HistoryLine], _ invocation: Invocation,
    _ change: @escaping (Int64) throws -> (any ShownChange)?
  ) -> HistoryOutput {
    HistoryOutput(
      versions: versions, showsCounts: invocation.has(compared) || invocation.has(objects),
      showsObjects: invocation.has(objects), change: change)
  }

  /// Lists the transactions in a store's log of changes.
  private static func list(
    _ log: any ChangeLogStore, _ invocation: Invocation
  ) throws -> ExitCode {
    let newest = try log.newestTransaction()
    let found =
      try newest < 1 ? [] : log.transactions(in: 1...newest, newest: invocation.number(of: limit))
    let snapshot = try log.snapshot()
    let (schema, model) = (snapshot.schema, try snapshot.model)
    try output(found.reversed().map { HistoryLine($0) }, invocation) { number in
      LoggedVersion(try log.changes(ofTransactions: number...number)[number] ?? [], schema, model)
    }.write(invocation)
    return .done
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

  /// Prints the former name of a version, so that the user can give it again.
  private static func note(
    _ former: String?, _ number: Int64, isReplaced: Bool, _ invocation: Invocation
  ) throws {
    guard let former else {
      if !isReplaced { try invocation.console.messages.writeLine("Version \(number) has no name.") }
      return
    }
    try invocation.console.messages.writeLine(
      "Version \(number) \(isReplaced ? "was named" : "has lost its name") '\(oneLine(former))'.")
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
    if invocation.has(prune) { return try pruning(path, reader, models, invocation) }
    let store = try reader.open(path, invocation, models, readOnly: !invocation.has(name))
    if invocation.has(graph) {
      throw CommandError.wrongUsage(
        "--graph is for documents, but '\(oneLine(path))' is a store, which has no heads.",
        hint: "Leave out --graph.")
    }
    if let log = store.features.changeLog, !invocation.has(name), !invocation.has(object) {
      return try list(log, invocation)
    }
    try StoreReader.checkHistory(of: store, at: path)
    if let words = invocation.value(of: name) {
      guard let store = store as? BinaryStore else {
        throw CommandError.wrongUsage(
          "'\(oneLine(path))' is a store of type \(store.type.rawValue), whose versions can't have "
            + "names.",
          hint: "'quire convert' copies the store into a block file.")
      }
      let (number, text) = try parts(ofName: words)
      let former = try store.snapshot().metadata.namedCommits[number]
      try store.name(commit: number, text)
      try note(former, number, isReplaced: text != nil, invocation)
      try invocation.console.outcome.didChange("The name is saved.")
    }
    if invocation.has(object) { return try follow(store, invocation) }
    let names = try store.snapshot().metadata.namedCommits
    let commits = try Array(store.commits().reversed())
    if commits.isEmpty { throw StoreReader.keepsNoVersions(store, at: path) }
    try write(
      commits.map { HistoryLine($0, name: names[$0.number]) }, after: commits.map(\.number),
      invocation
    ) { before, number in
      try VersionChange(
        from: store.snapshot(ofCommit: before), to: store.snapshot(ofCommit: number))
    }
    return .done
  }
}

extension HistoryCommand {
  /// Removes old transactions from a store's log of changes.
  private static func pruning(
    _ path: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    let words = invocation.value(of: prune) ?? ""
    guard let time = MomentText.seconds(words).map(Date.init(timeIntervalSinceReferenceDate:))
    else {
      throw CommandError.wrongUsage(
        "'\(oneLine(words))' is not a date.", hint: "Write a day, such as 2026-01-01.")
    }
    for option in [compared, objects, limit, name] where invocation.has(option) {
      throw CommandError.wrongUsage(
        "--\(option.name) does not go with --prune-before.", hint: "Leave out --\(option.name).")
    }
    let isTrial = invocation.has(.dryRun)
    let store = try reader.open(
      path, invocation, models, readOnly: isTrial, writesForeign: true)
    guard let log = store.features.changeLog else {
      throw CommandError.wrongUsage(
        "'\(oneLine(path))' has no history of changes of Core Data.",
        hint: "Use 'quire vacuum --keep' for the versions of a store.")
    }
    let (end, count) = try log.transactions(before: time)
    if !isTrial, count > 0 {
      invocation.console.outcome.willChange("No transaction was removed.")
      try log.forgetTransactions(before: end)
      try invocation.console.outcome.didChange("\(Wording.count(count, "transaction")) removed.")
    }
    let verb = isTrial ? "would be" : count == 1 ? "was" : "were"
    try invocation.console.messages.writeLine(
      "\(Wording.count(count, "transaction")) \(verb) removed.")
    try store.close()
    return .done
  }
}

extension Argument {
  /// The document on which a command works.
  static let document = Argument("DOC", "The folder of a document.", role: .input)
}
