import CommandInterface
import DurableFiles
import ModelNotations
import ObjectGraph
import ObjectModel
import Quire
import Rows
import StoreInterface

/// A store that is open for several commands, with unsaved changes.
final class Session {
  let store: any Store
  let schema: Schema
  let context: ManagedObjectContext
  let disk: any Disk
  /// The path of the store or of its document, as the command line names it.
  let path: String
  /// The reason why the session changes nothing; `nil` if it may change objects.
  private let readOnlyReason: String?
  /// Whether a save can have a message.
  private let keepsMessages: Bool
  /// The commands that work on the saved state; `nil` for a session without a reader of stores.
  private let savedCommands: SavedCommands?
  /// Whether the session is to end, even with unsaved changes.
  private(set) var isOver = false
  /// Whether the user has ended the session with `--discard`.
  private(set) var discards = false
  /// The interruption by which the user ends the running command.
  let interruption = Interruption()

  static let topic = Argument(
    "COMMAND", "The command to explain.", isRequired: false, kind: .command)
  static let discard = Option("discard", "Ends the session even if there is something to save.")

  init(
    _ store: any Store, at path: String? = nil, on disk: any Disk, readOnlyReason: String? = nil,
    author: String = SaveOrigin.usualAuthor, keepsMessages: Bool = true,
    savedCommands: SavedCommands? = nil
  ) throws {
    self.savedCommands = savedCommands
    self.store = store
    self.path = path ?? store.path ?? ""
    self.disk = disk
    self.readOnlyReason = readOnlyReason
    self.keepsMessages = keepsMessages
    let snapshot = try store.snapshot()
    schema = snapshot.schema
    let coordinator = PersistentStoreCoordinator(model: try snapshot.model)
    try coordinator.add(store)
    context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = author
    context.undoStack = UndoStack()
    context.mayGoOnSearching = { [interruption] in !interruption.isRequested }
  }

  var model: Model { context.coordinator.model }
  var hasChanges: Bool { context.hasChanges }

  /// Runs a command, which may have several lines.
  ///
  /// - Throws: The error of the command, after the changes of the command are undone.
  @discardableResult
  func run(_ text: String, on console: Console) throws -> ExitCode {
    switch try SessionLine(text) {
    case .shell(let command):
      // Another input than a terminal is the script of the session.
      let code = try ShellProgram(role: "command", command: command)
        .run(readsKeys: console.input.isTerminal)
      guard code == 0 else {
        throw CommandError(.no, "The command '\(oneLine(command))' ended with exit code \(code).")
      }
      return .done
    case .command(let words, let destination):
      return try RedirectedOutput(destination: destination, inputs: [path], disk: disk)
        .write(from: console) { console in try run(words, on: console) }
    }
  }

  /// Runs the command with the given words.
  private func run(_ words: [String], on console: Console) throws -> ExitCode {
    guard let name = words.first else { return .done }
    guard let action = actions.first(where: { $0.command.name == name }) else {
      throw CommandError.unknown(
        "command", name, in: "for a session", known: actions.map(\.command.name),
        otherwise: "'help' lists all commands.")
    }
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) {
      try console.writeHelp(action.command.help)
      return .done
    }
    let invocation: Invocation
    do { invocation = try action.command.parse(rest, on: console) } catch {
      throw CommandError(
        error.exitCode, error.message,
        hint: error.hint?.replacing("Run 'quire help \(name)'", with: "Run 'help \(name)'")
          .replacing("Write 'quire \(name) ", with: "Write '\(name) "))
    }
    if !hasChanges { try followOthers() }
    if action.command.arguments.contains(.entity) {
      try FetchCommand.checkEntity(invocation[.entity], model, in: path)
    }
    return try action.run(invocation)
  }

  /// Shows the newest save, also of other processes, to a session without unsaved changes.
  ///
  /// - Parameter isKnown: Whether there is a newer save. For a store that is not part of a document, only this
  ///   parameter shows it.
  private func followOthers(isKnown: Bool = false) throws {
    let isNewer = try (store as? StoreOfDocument)?.refresh() ?? false
    if isNewer || isKnown { context.refreshAllObjects() }
  }

  /// Closes the store.
  func close() throws { try store.close() }

  // MARK: - Commands

  /// A command of the session, and its action.
  struct Action {
    let command: Command
    let run: (Invocation) throws -> ExitCode
  }

  private func action(
    _ name: String, _ summary: String, arguments: [Argument] = [], options: [Option] = [],
    _ run: @escaping (Invocation) throws -> ExitCode
  ) -> Action {
    Action(
      command: Command(name, summary, arguments: arguments, options: options) { _ in .done },
      run: run)
  }

  private func edit(_ invocation: Invocation) -> StoreEdit {
    StoreEdit(context, of: store, schema, disk, invocation, interruption, inputs: [path])
  }

  /// Makes a change as one undo step.
  private func change(
    _ invocation: Invocation, did what: String, _ body: (StoreEdit) throws -> StoreEdit.Outcome
  ) throws -> ExitCode {
    if let readOnlyReason { throw Self.readOnly(readOnlyReason) }
    let edit = edit(invocation)
    let undo = context.undoStack!
    try undo.beginGroup()
    let outcome: StoreEdit.Outcome
    do {
      outcome = try body(edit)
      // The consequences of a deletion are found here, and may lie in damaged rows.
      try context.processPendingChanges()
      try interruption.check()
    } catch {
      // Undoing the changes may need a search, which must not be interrupted.
      interruption.reset()
      defer { try? undo.endGroup() }
      do { try undo.undoNestedGroup() } catch let second {
        let first = CommandError(explaining: error, words: [path])
        throw CommandError(
          first.exitCode,
          "\(first.message)\nThe changes before this error could not be undone: "
            + CommandError(explaining: second, words: [path]).message,
          hint: "Type 'revert' to discard all unsaved changes.")
      }
      throw error
    }
    if !outcome.objects.isEmpty {
      undo.setActionName("\(Wording.count(outcome.objects.count, "object")) \(what)")
    }
    try undo.endGroup()
    try edit.tell(outcome, did: what)
    return outcome.objects.isEmpty && outcome.unchangedCount == 0 ? .no : .done
  }

  /// A session has one store.
  private func explain(_ request: QueryRequest) throws -> QueryExplanation {
    try context.explain(FetchRequest<ManagedObject>(request))[0]
  }

  /// All commands, in the order of the help.
  private(set) lazy var actions: [Action] = ownActions + savedActions

  private lazy var savedActions: [Action] =
    savedCommands?.actions(at: path) { [unowned self] invocation, changes, run in
      if changes {
        if let readOnlyReason { throw Self.readOnly(readOnlyReason) }
        guard !hasChanges else {
          throw CommandError(
            .no, "'\(invocation.command.name)' saves at once, and the session has unsaved changes.",
            hint: "'save' them, or 'revert' to discard them.")
        }
      } else if hasChanges {
        try invocation.console.messages.writeLine(
          "note: '\(invocation.command.name)' reads the last save, without the unsaved changes.")
      }
      let code = try run()
      if changes { try followOthers(isKnown: true) }
      return code
    } ?? []

  private static func readOnly(_ reason: String) -> CommandError {
    CommandError(
      .inputOutput, "The session is open for reading only. \(reason)",
      hint: "Create a copy that can be changed, with 'quire unpack' or 'quire save-as'.")
  }

  private lazy var ownActions: [Action] = [
    action(
      "fetch", "shows the objects of an entity that match a predicate, with unsaved changes",
      arguments: [FetchCommand.entity, FetchCommand.variables],
      options: FetchCommand.options + [.explain, FetchCommand.form]
    ) { [unowned self] invocation in
      guard FetchCommand.asksForObjects(invocation) else {
        try EntityCounts.show(
          EntityCounts.all(of: model) { try context.count(for: FetchRequest<ManagedObject>($0)) },
          invocation)
        return .done
      }
      try FetchCommand.show(invocation, model, schema, store.tag) {
        try context.count(for: FetchRequest<ManagedObject>($0))
      } fetch: { request, body in
        try context.forEachPart(
          of: request, rowCount: FetchCommand.partRowCount, body)
      } explain: {
        try self.explain($0)
      }
      return .done
    },
    action(
      "count", "prints the number of objects of an entity that match a predicate",
      arguments: [.entity],
      options: [FetchCommand.condition, .zone, .explain, .format]
    ) { [unowned self] invocation in
      try CountCommand.show(invocation, model) {
        try context.count(for: FetchRequest<ManagedObject>($0))
      } explain: {
        try self.explain($0)
      }
      return .done
    },
    action(
      "insert", "inserts an object and prints its identifier",
      arguments: [.entity, .assignments], options: [.format]
    ) { [unowned self] invocation in
      try change(invocation, did: "inserted") {
        StoreEdit.Outcome(objects: [try InsertCommand.insert($0, invocation)])
      }
    },
    action(
      "set", "sets properties of objects, found by identifier or predicate",
      arguments: [.entity, .assignments],
      options: [
        FetchCommand.condition, .identifiers, .everyObject, .zone, .showsIdentifiers, .format,
      ]
    ) { [unowned self] invocation in
      try change(invocation, did: "changed") { edit in
        try edit.assign(to: edit.objects())
      }
    },
    action(
      "delete", "deletes objects, found by identifier or predicate", arguments: [.entity],
      options: [FetchCommand.condition, .identifiers, .everyObject, .showsIdentifiers, .format]
    ) { [unowned self] invocation in
      try change(invocation, did: "deleted") { edit in
        let objects = try edit.objects()
        for object in objects {
          try interruption.check()
          context.delete(object)
        }
        return StoreEdit.Outcome(objects: objects)
      }
    },
    action("undo", "undoes the last change") { [unowned self] invocation in
      try replay(invocation, "undo", "Undone", \.undoActionName) { try $0.undo() }
    },
    action("redo", "redoes the change that was undone last") {
      [unowned self] invocation in
      try replay(invocation, "redo", "Redone", \.redoActionName) { try $0.redo() }
    },
    action("save", "saves all changes", options: [.message]) { [unowned self] invocation in
      let isNeeded = context.hasChanges
      if invocation.has(.message), !keepsMessages {
        throw CommandError.keepsNoMessages(path, store)
      }
      context.transactionMessage = try invocation.saveOrigin().message
      defer { context.transactionMessage = nil }
      try context.save()
      try invocation.console.outcome.complete()
      // A save is never interrupted, and its message must appear. An interruption during the save is therefore dropped.
      interruption.reset()
      try invocation.console.messages.writeLine(
        isNeeded ? "Saved." : "The session has no changes to save.")
      return .done
    },
    action("revert", "discards all unsaved changes") { [unowned self] invocation in
      // Another process may have saved newer objects. The session must read them, or its next save would be in conflict again.
      context.rollback()
      try followOthers(isKnown: true)
      try invocation.console.messages.writeLine("All unsaved changes are discarded.")
      return .done
    },
    action("info", "shows the type, identity and object counts of the store", options: [.format]) {
      [unowned self] invocation in
      let code = try InfoCommand.show(store, invocation)
      if invocation.format == .text, hasChanges {
        try invocation.console.messages.writeLine("note: The session has unsaved changes.")
      }
      return code
    },
    action("model", "shows the store's model", options: [.format]) {
      [unowned self] invocation in
      try ModelCommand.show(
        ModelVersions.Version("of the store", model: model),
        as: invocation.format == .json ? .json : .text, invocation)
      return .done
    },
    action("help", "explains a command, or lists all commands", arguments: [Session.topic]) {
      [unowned self] invocation in
      try help(invocation)
      return .done
    },
    action("quit", "ends the session", options: [Session.discard]) {
      [unowned self] invocation in
      if hasChanges, !invocation.has(Session.discard) {
        throw CommandError(
          .no, "The session has unsaved changes.", hint: "'save' them, or 'quit --discard'.")
      }
      isOver = true
      discards = invocation.has(Session.discard)
      return .done
    },
  ]

  private func replay(
    _ invocation: Invocation, _ name: String, _ done: String,
    _ change: KeyPath<UndoStack, String?>, _ body: (UndoStack) throws -> Bool
  ) throws -> ExitCode {
    try context.processPendingChanges()
    let change = context.undoStack![keyPath: change]
    // An interrupted undo or redo would leave the objects between two states.
    interruption.reset()
    guard try body(context.undoStack!) else {
      throw CommandError(.no, "There is nothing to \(name).")
    }
    try context.processPendingChanges()
    try invocation.console.messages.writeLine(done + (change.map { ": \($0)." } ?? "."))
    return .done
  }

  private func help(_ invocation: Invocation) throws {
    guard let name = invocation.value(of: Session.topic) else {
      try invocation.console.writeHelp { width in
        HelpText.definitions(actions.map { ($0.command.name, $0.command.summary) }, width: width)
          + "\n\n"
          + HelpText.wrapped(
            "Words are as in a shell: 'name=two words'. An open quote or a backslash at the end of a line continues "
              + "the command in the next line. 'COMMAND > FILE' writes the output to a new file, '>|' also replaces "
              + "a file, and '>>' appends. 'COMMAND | PROGRAM' sends the output to a program. '!COMMAND' runs a command of "
              + "the shell. 'help COMMAND' explains a command.",
            width: width) + "\n"
      }
      return
    }
    guard let action = actions.first(where: { $0.command.name == name }) else {
      throw CommandError.unknown(
        "command", name, in: "for a session", known: actions.map(\.command.name),
        otherwise: "'help' lists all commands.")
    }
    try invocation.console.writeHelp(action.command.help)
  }
}
