import CommandInterface
import Documents
import DurableFiles
import Foundation
import Interchange
import JSONText
import StoreInterface
import SystemPrograms

/// The command `quire git`.
enum GitCommand {
  static let action = Argument(
    "ACTION",
    "The action: 'install' and 'uninstall' change git's configuration, and 'resolve' ends a conflict; git itself calls "
      + "'diff', 'text' and 'merge'."
  )
  static let words = Argument(
    "FOLDER",
    "A folder of the repository; the default is the current folder. For 'resolve' and 'text' it is a file, and for "
      + "'diff' and 'merge' the words that git passes.", isRequired: false, isRepeating: true,
    role: .input)
  static let global = Option(
    "global", "Changes the configuration of the user, for all repositories.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "git", "makes git compare and merge documents and stores",
      discussion: """
        'install' sets a diff driver and a merge driver in git's configuration, and adds these lines to \
        .gitattributes, or with --global to the user's file with attributes:

          *.quire.zip diff=quire merge=quire
          *.store diff=quire merge=quire

        Everything else in these files stays. 'git diff' then shows the changed objects, 'git log -p' compares \
        the objects as text, and 'git merge' merges them as 'quire merge'. 'uninstall' removes the settings and the lines.

        After a conflict the file has the content of the current branch, git marks it as unmerged, and 'git diff' shows \
        the three values of each conflict. 'resolve' merges the three versions again, puts the result in the place of the \
        file, and adds it to git's index. Without --ours, --theirs or --interactive it prints the conflicts, writes nothing, \
        and the exit code is 1. 'git mergetool --tool=quire' does the same as 'resolve --interactive' for each file.

        Keep documents packed in git, as NAME.quire.zip. The folder of a document consists of several files, which \
        git would merge one by one. 'quire pack' makes the packed document, and each command that changes a document \
        changes a packed one.

        The configuration contains the path of this tool, unless the search path finds the same tool. The \
        attributes are part of the repository, but each clone needs its own configuration. The exit code is 1 if \
        'uninstall' finds nothing.
        """,
      arguments: [action, words],
      options: [
        global, MergeCommand.keepsOurs, MergeCommand.keepsTheirs, MergeCommand.interactive, .format,
      ],
      changing: [words],
      examples: [
        Example("quire git install", "Sets up the repository of the current folder."),
        Example("quire git install --global", "Sets up all repositories of the user."),
        Example(
          "quire git resolve Trips.quire.zip --theirs",
          "Ends a conflict by the values of the branch that is merged."),
        Example("quire git uninstall", "Removes the settings from the repository."),
      ]
    ) { invocation in
      let word = invocation[action]
      let values = invocation.values(of: words)
      if invocation.has(global), word != "install", word != "uninstall" {
        throw CommandError.wrongUsage("Option '--global' belongs to 'install' and 'uninstall'.")
      }
      let answers = [MergeCommand.keepsOurs, MergeCommand.keepsTheirs, MergeCommand.interactive]
      for option in answers where invocation.has(option) && word != "resolve" {
        throw CommandError.wrongUsage("Option '--\(option.name)' belongs to 'resolve'.")
      }
      switch word {
      case "resolve":
        guard values.count == 1 else { throw CommandError.wrongUsage("'resolve' needs one file.") }
        return try resolve(values[0], reader, models, invocation)
      case "merge": return try drive(values, reader, models, invocation)
      case "install", "uninstall":
        guard values.count < 2 else {
          throw CommandError.wrongUsage("Unexpected argument '\(oneLine(values[1]))'.")
        }
        let settings = GitSettings(
          GitProgram(folder: values.first ?? "."), isGlobal: invocation.has(global),
          on: reader.disk)
        return try word == "install"
          ? install(settings, invocation) : uninstall(settings, invocation)
      case "diff": return try compare(values, reader, models, invocation)
      case "text":
        guard values.count == 1 else {
          throw CommandError.wrongUsage("'text' needs one file.")
        }
        // Git compares its own copies at other paths. The lines of the working folder's file show in a combined diff.
        if !values[0].hasPrefix("/") {
          try? showConflicts(of: values[0], reader, models, invocation)
        }
        try write(values[0], reader, models, invocation) {
          try invocation.console.output.write(bytes: $0)
        }
        return .done
      default:
        throw CommandError.unknown(
          "action", oneLine(word), in: "for 'quire git'",
          known: ["install", "uninstall", "resolve", "diff", "text", "merge"],
          otherwise: "It is 'install', 'uninstall' or 'resolve'.")
      }
    }
  }

  // MARK: - Settings

  private static func install(
    _ settings: GitSettings, _ invocation: Invocation
  ) throws -> ExitCode {
    let path = try settings.install(tool)
    try tell("git compares and merges documents and stores.", path, invocation)
    return .done
  }

  private static func uninstall(
    _ settings: GitSettings, _ invocation: Invocation
  ) throws -> ExitCode {
    let isFound = try settings.uninstall()
    try tell(
      isFound ? "The settings are removed." : "There are no settings of Quire.", nil, invocation)
    return isFound ? .done : .no
  }

  private static func tell(_ text: String, _ path: String?, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      try output.writeLine(path.map { "\(text) The attributes are in '\(oneLine($0))'." } ?? text)
    case .json:
      try output.writeLine(
        .object([
          "installed": .boolean(path != nil), "attributes": path.map(JSON.string),
        ]))
    }
  }

  /// This tool as a shell calls it: by its name if the search path finds it, and otherwise by its path.
  private static var tool: String {
    let own = URL(filePath: ThisProgram.path ?? CommandLine.arguments[0])
      .resolvingSymlinksInPath()
    let folders = (ThisProgram.environment["PATH"] ?? "").split(separator: ":")
    let found = folders.map { URL(filePath: String($0)).appending(path: "quire") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
    if found?.resolvingSymlinksInPath() == own { return "quire" }
    return "'" + own.path(percentEncoded: false).replacing("'", with: "'\\''") + "'"
  }

  // MARK: - Drivers

  /// Prints the difference of two files that git names: the path, and then the file, the hash and the mode of each
  /// side. A missing side is /dev/null. For a file that git could not merge, git names the path alone.
  private static func compare(
    _ words: [String], _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    if words.count == 1 {
      try showConflicts(of: words[0], reader, models, invocation)
      return .done
    }
    guard words.count >= 7 else {
      throw CommandError.wrongUsage(
        "'diff' is for git, which passes seven words.", hint: "Run 'quire diff A B'.")
    }
    let (path, old, new) = (words[0], words[1], words[4])
    let output = invocation.console.output
    try output.writeLine("diff --quire \(oneLine(path))")
    for (missing, other, sign) in [(old, new, "+"), (new, old, "-")] where missing == "/dev/null" {
      try output.writeLine(sign == "+" ? "new file" : "deleted file")
      try write(other, reader, models, invocation) { bytes in
        for line in bytes.split(separator: 0x0A) {
          try output.write(bytes: Array("\(sign) ".utf8) + line + [0x0A])
        }
      }
      return .done
    }
    let command = DiffCommand.command(reader, models)
    let code = try command.run(command.parse([old, new], on: invocation.console))
    // Git takes any other code for a failure of the driver.
    return code == .no ? .done : code
  }

  /// Writes all objects of a document or a store as text.
  private static func write(
    _ path: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation,
    _ sink: ([UInt8]) throws -> Void
  ) throws {
    func write(_ store: any Store) throws {
      let export = try ObjectExport(of: try store.snapshot(), as: .jsonl)
      for entity in export.entities {
        _ = try export.write(entity) { _ in
        } to: { bytes in
          if !bytes.isEmpty { try sink(bytes) }
        }
      }
    }
    guard try reader.isDocument(path) else {
      return try write(reader.open(path, invocation, models))
    }
    let document = try reader.document(path, access: .readOnly)
    defer { try? document.close() }
    for store in document.stores { try write(store) }
    for attachment in document.attachments {
      try sink(
        Array(
          "{\"@attachment\":\(JSON.string(attachment.name).line),\"digest\":\"\(attachment.digest)\"}\n"
            .utf8))
    }
  }
}
