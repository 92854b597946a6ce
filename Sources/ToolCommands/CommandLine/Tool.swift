package import CommandInterface
import DurableFiles
import PluginHost
import StoreInterface

/// The command-line tool: its commands, and the choice of the command for a command line.
///
///     let environment = ThisProgram.environment
///     let tool = Tool.quire(environment: environment, executable: nil)
///     exit(tool.run(["hash", "Trips.xcdatamodeld"], on: .standard(environment: environment)).rawValue)
package struct Tool: Sendable {
  private let groups: [CommandGroup]
  private let opened: OpenStores
  /// The plug-ins, for the names that completion suggests.
  private let plugins: PluginFinder

  /// Creates a tool with the given commands and without plug-ins.
  init(commands: [Command]) { self.init([CommandGroup("Commands", commands)], OpenStores()) }

  private init(_ groups: [CommandGroup], _ opened: OpenStores) {
    self.groups = groups
    self.opened = opened
    plugins = .none
  }

  /// Creates a tool with every command, and with the plug-ins that the finder finds.
  private init(_ plugins: PluginFinder) {
    opened = OpenStores()
    self.plugins = plugins
    groups = Tool.groups(plugins, opened)
  }

  /// All commands, in the order of the help.
  var commands: [Command] { groups.flatMap(\.commands) }

  private static let withoutPlugins = PluginFinder(
    .off("the command line contains --no-plugins"))

  /// `quire` with all commands and without plug-ins. A tool runs one command at a time.
  package static var quire: Tool { Tool(.none) }

  /// Returns `quire` with the plug-ins in the usual search folders.
  ///
  /// - Parameters:
  ///   - environment: The environment of the process. `QUIRE_PLUGIN_PATH`, `QUIRE_PLUGINS` and other variables determine the
  /// search folders.
  ///   - executable: The tool's own file, as an absolute path.
  package static func quire(environment: [String: String], executable: String?) -> Tool {
    let folders = PluginFolders(environment: environment, executable: executable)
    return Tool(PluginFinder(folders, executable: executable))
  }

  /// Handles the signals that end the process for the rest of the process, and ends the process if a plug-in crashes while it is
  /// loaded.
  package static func prepareProcess() {
    EndingSignals.handle()
    LoadingWatch.endProcess(exitCode: ExitCode.plugin.rawValue, limit: 30)
  }

  private static func groups(_ plugins: PluginFinder, _ opened: OpenStores) -> [CommandGroup] {
    let files = StoreReader.files(plugins, opened)
    let models = ModelReader.files(andStores: files)
    return [
      CommandGroup(
        "Reading objects",
        [
          InfoCommand.command(files), FetchCommand.command(files), CountCommand.command(files),
          TreeCommand.command(files), ReportCommand.command(files), WatchCommand.command(files),
        ]),
      CommandGroup(
        "Changing objects",
        [
          InsertCommand.command(files), SetCommand.command(files), DeleteCommand.command(files),
          OpenCommand.command(files),
        ]),
      CommandGroup(
        "Making and copying files",
        [
          NewCommand.command(files, models), ImportCommand.command(files),
          ExportCommand.command(files), ConvertCommand.command(files, models),
          SaveAsCommand.command(files, models), BackupCommand.command(files),
          AttachCommand.command(files), PackCommand.command(on: RealDisk()),
          UnpackCommand.command(on: RealDisk()),
        ]),
      CommandGroup(
        "Models",
        [
          ModelCommand.command(models, files), MigrateCommand.command(files, models),
          PredicateCommand.command(models), HashCommand.command(models),
        ]),
      CommandGroup(
        "Versions",
        [
          HistoryCommand.command(files, models), UndoCommand.command(files),
          RedoCommand.command(files), RevertCommand.command(files),
          DiffCommand.command(files, models), MergeCommand.command(files, models),
          BranchCommand.command(files), SwitchCommand.command(files),
          GitCommand.command(files, models),
        ]),
      CommandGroup(
        "Other devices",
        [
          RemoteCommand.command(files), CloneCommand.command(files), ExchangeCommands.sync(files),
          ExchangeCommands.pull(files), ExchangeCommands.push(files), StatusCommand.command(files),
        ]),
      CommandGroup(
        "Checking and repairing",
        [
          ValidateCommand.command(on: RealDisk(), models) { plugins.backends },
          RecoverCommand.command(files, models), VacuumCommand.command(files),
        ]),
      CommandGroup(
        "The tool itself",
        [
          HelpCommand.command, PluginCommand.command(plugins), CompletionCommand.command,
          ManCommand.command, VersionCommand.command,
        ]),
    ]
  }

  /// Runs the command that `words` names. `words` does not include the tool's own name.
  ///
  /// Results and messages go to the console. The method does not throw and does not end the process.
  package func run(_ words: [String], on console: Console) -> ExitCode {
    if words.first == CompleteCommand.name {
      complete(Array(words.dropFirst()), on: console)
      return .done
    }
    console.outcome.reset()
    console.outcome.setCompletion(opened.commit)
    do {
      if words.first == PartCommand.name {
        try PartCommand(words: Array(words.dropFirst())).run(plugins, on: console)
        return .done
      }
      defer { try? opened.end() }
      let code = try dispatch(words, on: console)
      try opened.end()
      // A command that finds damage must not return an exit code that promises a right answer.
      let damages = opened.takeDamages()
      for damage in damages { console.report(damage, asJSON: Self.wantsJSON(words)) }
      return damages.isEmpty ? code : .unreadable
    } catch {
      let explained = CommandError(explaining: error, words: words)
      console.report(
        console.outcome.completing(explained, of: error), asJSON: Self.wantsJSON(words))
      return explained.exitCode
    }
  }

  /// Returns whether a command line asks for results as JSON. Errors are JSON then, too.
  private static func wantsJSON(_ words: [String]) -> Bool {
    let words = words.prefix { $0 != "--" }
    let values = zip(words, words.dropFirst()).filter { $0.0 == "--format" || $0.0 == "--report" }
      .map(\.1)
    let joined = words.filter { $0.hasPrefix("--format=") || $0.hasPrefix("--report=") }
      .map { String($0.drop { $0 != "=" }.dropFirst()) }
    return (values + joined).contains { $0 == "json" || $0 == "jsonl" }
  }

  /// Runs the command of a process's command line.
  ///
  /// - Parameter arguments: The bytes of each argument, the tool's own name included.
  package func run(arguments: [[UInt8]], on console: Console) -> ExitCode {
    var words: [String] = []
    for (position, bytes) in arguments.enumerated().dropFirst() {
      guard let word = String(validating: bytes, as: UTF8.self) else {
        if words.first == CompleteCommand.name { return .done }
        console.report(
          .wrongUsage(
            "Argument \(position) is not valid UTF-8: '\(String(decoding: bytes, as: UTF8.self))'.",
            hint: "Rename the file, or use a link to it with a name in UTF-8."))
        return .wrongUsage
      }
      words.append(word)
    }
    return run(words, on: console)
  }

  /// Returns an overview of all commands, in lines of at most `width` columns.
  func help(width: Int = 80) -> String { ToolHelp(of: groups).text(width: width) }

  private func dispatch(_ words: [String], on console: Console) throws -> ExitCode {
    if let index = words.prefix(while: { $0 != "--" }).firstIndex(of: "--verbose") {
      var others = words
      others.remove(at: index)
      // A line of an interactive session does not end the messages of the session.
      let wasVerbose = plugins.isVerbose
      plugins.printMessages(to: console.alerts)
      defer { if !wasVerbose { plugins.printMessages(to: nil) } }
      return try dispatch(others, on: console)
    }
    if let index = words.prefix(while: { $0 != "--" }).firstIndex(of: "--no-plugins") {
      var others = words
      others.remove(at: index)
      let tool = Tool(Tool.groups(Tool.withoutPlugins, opened), opened)
      return try tool.dispatch(others, on: console)
    }
    guard let first = words.first else {
      try console.writeHelp(help, to: console.messages)
      return .wrongUsage
    }
    let rest = Array(words.dropFirst())
    switch first {
    case "-h", "--help": return try dispatch(["help"] + rest, on: console)
    case "--version", "-V": return try dispatch(["version"] + rest, on: console)
    default: break
    }
    if first == "--quiet", !rest.isEmpty {
      return try dispatch([rest[0], first] + rest.dropFirst(), on: console)
    }
    let command = try command(named: first)
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) {
      try console.writeHelp(command.help)
      return .done
    }
    var (words, console) = (rest, console)
    let own = command.options.contains { $0.name == "quiet" }
    if !own, let index = words.prefix(while: { $0 != "--" }).firstIndex(of: "--quiet") {
      words.remove(at: index)
      console = console.quiet
    }
    let invocation = try command.parse(words, on: console).readingVersionInPath()
    for path in invocation.inputs { _ = RealDisk().restoreMovedAway(path) }
    return try StandardFiles.run(
      invocation, companionEndings: StorePlaces.companionEndings
    ) { try command.run($0) }
  }

  /// Runs the hidden command `complete`, for the script of a shell.
  private func complete(_ words: [String], on console: Console) {
    let request = CompleteCommand(words)
    let finder = request.usesPlugins ? plugins : Tool.withoutPlugins
    let reader = StoreReader.files(finder, opened)
    let completion = Completion(
      of: commands, FileNames(reader, .files(andStores: reader), finder),
      commonOptions: ToolHelp.commonOptions.map {
        Candidate($0.spelling, firstSentence(of: $0.help))
      },
      toolOptions: [
        Candidate("--help", "Lists all commands"), Candidate("--version", "Prints the version"),
        Candidate("--quiet", "Prints no notes and no progress"),
        Candidate("--verbose", "Prints the messages of plug-ins"),
        Candidate("--no-plugins", "Uses no plug-ins"),
      ])
    // An error must not appear in the middle of the line that the user is typing.
    try? console.output.write(request.answer(completion))
    try? opened.close()
  }

  /// Returns the command with the given name.
  func command(named name: String) throws(CommandError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    if let hint = ForeignCommand.hint(for: name) {
      throw .wrongUsage("Unknown command '\(oneLine(name))' for 'quire'.", hint: hint)
    }
    let kind = name.hasPrefix("-") ? "option" : "command"
    throw .unknown(
      kind, name, in: "for 'quire'",
      known: commands.map(\.name) + [
        "--help", "--version", "--quiet", "--verbose", "--no-plugins",
      ],
      otherwise: "Run 'quire help' to see all commands.")
  }
}
