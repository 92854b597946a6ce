import CommandInterface
import Comparison
import DocumentExchange
import Documents
import Migration
import ObjectGraph

/// The commands `quire push`, `quire pull` and `quire sync`.
enum ExchangeCommands {
  static let remote = Argument(
    "REMOTE", "The name of the remote. The default is the only one, or 'origin'.",
    isRequired: false)
  static let consolidate = Option(
    "consolidate",
    "Then puts the contents of the small files of the remote into one, and removes them. Nothing is forgotten, and a "
      + "device that was away for long finds all versions.")
  static let noMerge = Option(
    "no-merge",
    "Shows each version of other devices as a head, such as 'origin-1f0c2a9b', and merges none.")

  private static let rules = """
    A version of another device whose changes contradict those of this document is not merged. It is kept as a head, \
    which 'quire status' lists, until 'quire pull' merges it with --ours, --theirs or --interactive. Everything else \
    goes on meanwhile.

    If a version of another device has a newer model, 'quire pull' and 'quire sync' migrate the document to it, as that device was \
    migrated. A migration that would drop values needs --allow-loss, as for 'quire migrate'.

    A file that is cut, damaged or not there yet stops nothing. It is left out, a warning names it, and the next \
    command reads it when it is whole.

    JSON is an object: 'sent' and 'received' are lists of versions, each with 'identity', 'saved', 'author' and \
    'message', and 'sentBytes' is the size of the new files. 'consolidated' is the number of files that --consolidate has put into one. 'conflicts' has the 'version', the 'reasons' and the \
    'head' of each version in conflict. 'waiting' lists versions whose files have not arrived, 'newerModel' versions whose model the \
    document can't be migrated to, 'olderModel' versions that their device has to migrate, and 'skipped' the files that were left out. \
    The exit code is 1 if a version is in conflict or has a newer model.
    """

  /// Returns `quire push`. It opens documents through `reader`.
  static func push(_ reader: StoreReader) -> Command {
    command(
      reader, "push", "sends the new versions of a document to a remote",
      """
      Writes one new file into the folder of the remote, with the versions that it lacks and their changes. The \
      first time, the file contains the whole document, with its versions and without its other heads. No file of \
      the folder is ever changed, so devices that push at the same time both succeed.

      """ + "\n" + rules,
      [
        Example("quire push Trip.quire", "Sends the new versions to the remote 'origin'."),
        Example(
          "quire push Trip.quire --consolidate", "Puts the small files of the remote into one."),
      ], [consolidate]
    ) { exchange, invocation in
      var report = try exchange.push()
      if invocation.has(consolidate) { report.take(try exchange.consolidate()) }
      return report
    }
  }

  static func pull(_ reader: StoreReader) -> Command {
    command(
      reader, "pull", "takes in the versions of other devices from a remote",
      """
      Without versions of its own since the last exchange, the document takes over the new versions as they are. \
      Otherwise it merges them into one new version, by the rules of 'quire merge'.

      """ + "\n" + rules,
      [
        Example("quire pull Trip.quire", "Takes in the versions of the remote 'origin'."),
        Example("quire pull Trip.quire --no-merge", "Looks at them first, as heads."),
        Example("quire pull Trip.quire --theirs", "Lets the values of other devices win."),
      ],
      [
        noMerge, MergeCommand.keepsOurs, MergeCommand.keepsTheirs, MergeCommand.interactive,
        MigrateCommand.allowLoss, .message, .author,
      ]
    ) { exchange, invocation in
      try invocation.has(noMerge) ? exchange.fetch() : exchange.pull()
    }
  }

  static func sync(_ reader: StoreReader) -> Command {
    command(
      reader, "sync", "takes in the versions of other devices, and sends the own ones",
      """
      Does what 'quire pull' and then 'quire push' do. Run it on each device, by hand or from time to time; the \
      order does not matter.

      """ + "\n" + rules,
      [Example("quire sync Trip.quire", "Exchanges versions with the remote 'origin'.")],
      [MigrateCommand.allowLoss]
    ) { exchange, _ in try exchange.sync() }
  }

  private static func command(
    _ reader: StoreReader, _ name: String, _ summary: String, _ discussion: String,
    _ examples: [Example], _ options: [Option] = [],
    _ body: @escaping @Sendable (Exchange, Invocation) throws -> ExchangeReport
  ) -> Command {
    Command(
      name, summary, discussion: discussion, arguments: [.document, remote],
      options: options + [.format], changing: [.document], examples: examples
    ) { invocation in
      let choice = try choice(invocation)
      let origin = options.contains(.author) ? try invocation.saveOrigin() : nil
      func run() throws -> ExchangeReport {
        // Versions in conflict become heads, which are open beside the document.
        let document = try reader.document(invocation[.document], access: .shared)
        defer { try? document.close() }
        var exchange = try Exchange(document, with: invocation.value(of: remote))
        (exchange.author, exchange.message) = (origin?.author, origin?.message)
        exchange.choose = choice
        let report = try body(exchange, invocation)
        if !report.received.isEmpty || !report.conflicts.isEmpty {
          try invocation.console.outcome.didChange("Versions were received.")
        }
        return report
      }
      var report = try run()
      let migrates = options.contains(MigrateCommand.allowLoss) && !invocation.has(noMerge)
      while migrates, !report.newerModel.isEmpty, let step = try migrate(reader, invocation) {
        report.takeAfterMigration(step)
        report.takeAfterMigration(try run())
      }
      try ExchangeOutput.write(report, reader.headPlace(invocation[.document]).path, invocation)
      return invocation.has(noMerge) || report.conflicts.isEmpty && report.newerModel.isEmpty
        ? .done : .no
    }
  }

  /// Migrates the document towards the newer model of a version that waits; returns `nil` if it can't be migrated.
  private static func migrate(
    _ reader: StoreReader, _ invocation: Invocation
  ) throws -> ExchangeReport? {
    var migrator = Migrator.automatic
    migrator.allowsLoss = invocation.has(MigrateCommand.allowLoss)
    let place = try reader.headPlace(invocation[.document])
    do {
      let report = try Exchange.migrate(
        place.path, head: place.head, with: invocation.value(of: remote), by: migrator,
        in: reader.places, whenHeld: .wait(.seconds(5)))
      if report != nil { try invocation.console.outcome.didChange("The document was migrated.") }
      return report
    } catch let error as MigrationError where error.code == .wouldLose {
      throw CommandError(
        .modelMismatch, "\(error)",
        hint:
          "The versions of the newer model wait in the remote. To take them in: quire pull \(CommandError.quoted(place.path)) --allow-loss"
      )
    }
  }

  /// Returns the answers of the command line to conflicts.
  private static func choice(
    _ invocation: Invocation
  ) throws -> (SharedVersion, [Merge.Conflict]) throws -> [MergeSide]? {
    let answers = [
      MergeCommand.keepsOurs, MergeCommand.keepsTheirs, MergeCommand.interactive, noMerge,
    ].filter { invocation.has($0) }
    guard answers.count < 2 else {
      throw CommandError.wrongUsage(
        "Give one of \(answers.map { "--\($0.name)" }.joined(separator: " and ")).")
    }
    if invocation.has(MergeCommand.interactive), !invocation.console.input.isTerminal {
      throw CommandError.wrongUsage(
        "--interactive needs a terminal for the answers.",
        hint: "Give --ours or --theirs.")
    }
    return { version, conflicts in
      if invocation.has(MergeCommand.interactive) {
        try invocation.console.messages.writeLine("\(ExchangeOutput.text(version)):")
      }
      return try MergeReport(conflicts, invocation).sides()
    }
  }
}
