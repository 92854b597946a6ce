import CommandInterface
import Comparison
import Documents
import DurableFiles
import StoreInterface

extension GitCommand {
  /// Merges the three versions of a file that git could not merge, writes the result, and adds it to git's index.
  static func resolve(
    _ file: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    _ = try MergeCommand.checkTarget(invocation, reader)
    guard let conflict = try GitConflict(file) else {
      throw CommandError.wrongUsage(
        "git has no conflict in '\(oneLine(file))'.",
        hint: "'git status' lists the files that git could not merge.")
    }
    return try conflict.withVersions(on: reader.disk) { versions in
      guard let ours = versions.ours, versions.theirs != nil else {
        let branch = versions.ours == nil ? "the current branch" : "the other branch"
        throw CommandError(
          .no,
          "\(branch.prefix(1).uppercased() + branch.dropFirst()) has removed '\(oneLine(file))'.",
          hint: "Keep the file with 'git add', or remove it with 'git rm'.")
      }
      try checkIsUnchanged(file, ours, reader)
      let output = try Output(
        file, overwrites: true, inputs: [], on: reader.disk, invocation.console)
      let code = try merge(versions, named: file, into: output, reader, models, invocation)
      guard code == .done else { return code }
      try conflict.add()
      try invocation.console.messages.writeLine("'\(oneLine(file))' is added to git's index.")
      return .done
    }
  }

  /// Prints the conflicts of a file that git could not merge, for `git diff`.
  static func showConflicts(
    of file: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws {
    guard let conflict = try GitConflict(file) else { return }
    try conflict.withVersions(on: reader.disk) { versions in
      guard versions.ours != nil, versions.theirs != nil else { return }
      _ = try merge(versions, named: file, into: nil, reader, models, invocation)
    }
  }

  /// Merges as git's merge driver: changes `ours`, and names the command for the conflicts that are left.
  static func drive(
    _ words: [String], _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    guard words.count == 4 else {
      throw CommandError.wrongUsage(
        "'merge' is for git, which passes four words.", hint: "Run 'quire merge BASE A B'.")
    }
    let command = MergeCommand.command(reader, models)
    let code = try command.run(
      command.parse(
        Array(words.prefix(3)) + ["--\(MergeCommand.inPlace.name)"],
        on: invocation.console))
    if code == .no {
      try invocation.console.messages.writeLine("hint: \(GitConflict.hint(words[3]))")
    }
    return code
  }

  /// - Parameter output: The result; `nil` to print the conflicts alone.
  private static func merge(
    _ versions: GitConflict.Versions, named file: String, into output: Output?,
    _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    func source(_ path: String, _ name: String) throws -> ComparedPlace {
      try DiffSides.source(
        "\(file) (\(name))", at: VersionedPath(path, nil), reader, models, invocation)
    }
    let base =
      try versions.base.map { try source($0, "base") }
      ?? ComparedPlace(emptyFile: "\(file) (base)", at: VersionedPath(versions.ours!, nil))
    let sources = try MergeSources.open(
      base: base, ours: source(versions.ours!, "ours"), theirs: source(versions.theirs!, "theirs"))
    defer { sources.close() }
    let run = MergeRun(sources, reader, models, invocation) { part in
      try MergeTranslation(part, MatchChoices(), renumbers: false).layers()
    }
    guard let output else {
      try run.showConflicts()
      return .no
    }
    return try run.run(output)
  }

  /// Throws an error if the file is not the one of the current branch, which the merge driver has left there.
  private static func checkIsUnchanged(
    _ file: String, _ ours: String, _ reader: StoreReader
  ) throws {
    let disk = reader.disk
    guard try disk.exists(file), try !disk.hasSameBytes(file, as: ours) else { return }
    throw CommandError(
      .inputOutput, "'\(oneLine(file))' has changed since git could not merge it.",
      hint:
        "'git add' takes the file as the result, and 'git checkout --ours' discards its changes.")
  }
}
