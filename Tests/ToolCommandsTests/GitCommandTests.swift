import CommandInterface
import Foundation
import InstalledPlugins
import Testing

@testable import ToolCommands

private let hasGit: Bool = (try? run("/usr/bin/env", ["git", "--version"], in: "/"))?.code == 0

private struct Finished {
  let code: Int32
  let output: String
}

private func run(
  _ program: String, _ words: [String], in folder: String
) throws -> Finished {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: program)
  process.arguments = words
  process.currentDirectoryURL = URL(filePath: folder)
  var environment = ProcessInfo.processInfo.environment
  // Keep the user's own configuration out of the test.
  environment["HOME"] = folder
  environment["XDG_CONFIG_HOME"] = folder + "/config"
  environment["GIT_CONFIG_NOSYSTEM"] = "1"
  process.environment = environment
  process.standardOutput = pipe
  process.standardError = pipe
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return Finished(
    code: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
}

/// A repository of the real git, whose drivers run the real tool.
@Suite("quire git")
struct GitCommandTests {
  private final class Repository {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "git-\(UUID().uuidString)")
    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let repository: Repository
  private var folder: String { repository.url.path(percentEncoded: false) }

  init() throws { repository = try Repository() }

  @discardableResult
  private func git(
    _ words: String..., code: Int32? = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let finished = try run("/usr/bin/env", ["git"] + words, in: folder)
    if let code {
      #expect(finished.code == code, "\(words): \(finished.output)", sourceLocation: sourceLocation)
    }
    return finished.output
  }

  @discardableResult
  private func tool(
    _ words: String..., code: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String { try tool(words, code: code, sourceLocation: sourceLocation) }

  private func tool(
    _ words: [String], code: Int32, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let finished = try run(
      BuiltTool.url.path, words, in: folder)
    #expect(finished.code == code, "\(words): \(finished.output)", sourceLocation: sourceLocation)
    return finished.output
  }

  private func begin() throws {
    try git("init", "-q", "-b", "main", ".")
    try git("config", "user.name", "Ada")
    try git("config", "user.email", "ada@example.org")
  }

  @Test(
    "git shows and merges the objects of packed documents and stores",
    .enabled(if: BuiltTool.exists, "The tool is not built."),
    .enabled(if: hasGit, "git is not installed."))
  func merge() throws {
    try begin()
    let examples = InstalledPlugins.root.appending(path: "Examples")
    try tool(
      "new", "Trips.quire", "--model", examples.appending(path: "Trips.xcdatamodeld").path)
    try tool("insert", "Trips.quire", "Trip", "name=Douro")
    try tool("insert", "Trips.quire", "Trip", "name=Lisbon")
    try tool("pack", "Trips.quire")
    try FileManager.default.removeItem(atPath: folder + "/Trips.quire")
    try FileManager.default.copyItem(
      atPath: examples.appending(path: "Trips.store").path, toPath: folder + "/Example.store")
    try Data("*.txt text".utf8).write(to: repository.url.appending(path: ".gitattributes"))
    try tool("git", "install")
    try tool("git", "install", ".")
    let attributes = try String(contentsOfFile: folder + "/.gitattributes", encoding: .utf8)
    #expect(
      attributes == """
        *.txt text
        *.quire.zip diff=quire merge=quire
        *.store diff=quire merge=quire

        """)
    try git("add", ".")
    try git("commit", "-qm", "Add trips")

    try git("checkout", "-qb", "side")
    try tool("set", "Trips.quire.zip", "Trip", "--where", "name == 'Lisbon'", "name=Lisboa")
    try tool("insert", "Example.store", "Person", "fullName=Side")
    let shown = try git("diff")
    #expect(shown.contains("name \"Lisbon\" -> \"Lisboa\""), "\(shown)")
    #expect(shown.contains("+ Person") && shown.contains("\"Side\""), "\(shown)")
    try git("commit", "-qam", "Rename Lisbon")
    let log = try git("log", "-p", "-1", "--", "Trips.quire.zip")
    #expect(log.contains("-{") && log.contains("+{") && log.contains("Lisboa"), "\(log)")

    try git("checkout", "-q", "main")
    try tool("set", "Trips.quire.zip", "Trip", "--where", "name == 'Douro'", "name=Duero")
    try tool("insert", "Trips.quire.zip", "Trip", "name=Sintra")
    try tool("insert", "Example.store", "Person", "fullName=Main")
    try git("commit", "-qam", "Rename Douro")
    try git("merge", "-q", "--no-edit", "side")
    let names = try tool("fetch", "Trips.quire.zip", "Trip", "--columns", "name")
    for name in ["Duero", "Lisboa", "Sintra"] { #expect(names.contains(name), "\(names)") }
    let persons = try tool("fetch", "Example.store", "Person", "--columns", "fullName")
    #expect(persons.contains("Side") && persons.contains("Main"), "\(persons)")
    try tool("validate", "Trips.quire.zip")
    try tool("validate", "Example.store")
    #expect(try git("status", "--porcelain").isEmpty)

    try tool("git", "uninstall")
    #expect(
      try String(contentsOfFile: folder + "/.gitattributes", encoding: .utf8) == "*.txt text\n")
    #expect(try !git("config", "--list").contains("quire"))
    try tool("git", "uninstall", code: 1)
  }

  /// Makes a repository in which the merge of a branch stops at a packed document, and returns git's messages.
  private func conflict() throws -> String {
    try begin()
    try Data("name,nights\nPorto,3\nFaro,2\n".utf8)
      .write(to: repository.url.appending(path: "stops.csv"))
    try FileManager.default.createDirectory(
      at: repository.url.appending(path: "deep"), withIntermediateDirectories: true)
    try tool("new", "T.quire", "--from", "stops.csv")
    try tool("pack", "T.quire", file)
    try FileManager.default.removeItem(atPath: folder + "/T.quire")
    try tool("git", "install")
    try git("add", file, ".gitattributes")
    try git("commit", "-qm", "Add stops")
    for (branch, nights, other) in [("side", "9", "Lagos"), ("main", "8", "Sintra")] {
      try git("checkout", "-q", "-B", branch, "main")
      try tool("set", file, "Stop", "nights=\(nights)", "--where", "name = \"Faro\"")
      try tool("insert", file, "Stop", "name=\(other)", "nights=1")
      try git("commit", "-qam", "Stay \(nights) nights")
    }
    return try git("merge", "-q", "--no-edit", "side", code: 1)
  }

  private let file = "deep/T's.quire.zip"

  private var stops: String {
    get throws {
      try tool("fetch", file, "Stop", "--columns", "name,nights", "--format", "csv")
    }
  }

  @Test(
    "quire git resolve ends a conflict",
    .enabled(if: BuiltTool.exists, "The tool is not built."),
    .enabled(if: hasGit, "git is not installed."), arguments: [nil, "--ours", "--theirs"])
  func resolve(_ option: String?) throws {
    let before = try conflict()
    let conflict = "nights  base 2; ours 8; theirs 9"
    #expect(before.contains(conflict), "\(before)")
    #expect(before.contains("Run 'quire git resolve 'deep/T'\\''s.quire.zip''"), "\(before)")
    for words in [[], ["--ours"]] {
      let shown = try run("/usr/bin/env", ["git", "diff"] + words, in: folder).output
      #expect(shown.contains(conflict), "\(words): \(shown)")
    }
    let hinted = try tool("merge", file, code: 2)
    #expect(hinted.contains("quire git resolve"), "\(hinted)")
    let bytes = try Data(contentsOf: repository.url.appending(path: file))

    let resolved = try tool(
      ["git", "resolve", file] + (option.map { [$0] } ?? []), code: option == nil ? 1 : 0)

    #expect(resolved.contains(conflict), "\(resolved)")
    guard let option else {
      #expect(resolved.contains("1 conflict. Nothing was written."))
      #expect(try Data(contentsOf: repository.url.appending(path: file)) == bytes)
      #expect(try git("status", "--porcelain", file).hasPrefix("UU"))
      return
    }
    #expect(try stops.contains("Faro,\(option == "--ours" ? 8 : 9)\n"))
    #expect(try stops.contains("Lagos") && stops.contains("Sintra"))
    #expect(try git("status", "--porcelain", file).hasPrefix("M "))
    try git("commit", "-qm", "Merge")
    try tool("validate", file)
    #expect(try tool("git", "resolve", file, code: 2).contains("git has no conflict"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/deep")
    #expect(names == ["T's.quire.zip"])
  }

  @Test(
    "A file that was changed or removed is not resolved",
    .enabled(if: BuiltTool.exists, "The tool is not built."),
    .enabled(if: hasGit, "git is not installed."))
  func unresolvable() throws {
    _ = try conflict()
    try tool("insert", file, "Stop", "name=Later", "nights=1")
    let changed = try tool("git", "resolve", file, "--ours", code: 3)
    #expect(changed.contains("has changed since git could not merge it"), "\(changed)")
    #expect(try stops.contains("Later"))
    try git("checkout", "-q", "--ours", file)
    try tool("git", "resolve", file, "--ours", "--theirs", code: 2)
    try tool("git", "resolve", file, "--interactive", code: 2)
    try tool("git", "resolve", code: 2)
    try tool("git", "text", file, "--ours", code: 2)
    try tool("git", "resolve", "--ours", "stops.csv", code: 2)

    try git("merge", "--abort")
    try git("checkout", "-q", "-b", "removed")
    try git("rm", "-q", file)
    try git("commit", "-qm", "Remove")
    try git("merge", "-q", "side", code: 1)
    let removed = try tool("git", "resolve", file, "--ours", code: 1)
    #expect(removed.contains("The current branch has removed"), "\(removed)")
  }

  @Test(
    "A terminal asks about each conflict, and git mergetool calls the same command",
    .enabled(if: BuiltTool.exists, "The tool is not built."),
    .enabled(if: hasGit, "git is not installed."), arguments: [true, false])
  func interactive(_ isTerminal: Bool) throws {
    _ = try conflict()
    if isTerminal {
      let run = try TerminalRun(
        ["git", "resolve", "--interactive", file], in: repository.url,
        answers: [("(q)uit? ", "t\n")])
      #expect(run.exitCode == 0, "\(run.text)")
    } else {
      // Without a terminal the answer is given beforehand.
      let command = try git("config", "mergetool.quire.cmd").trimmingCharacters(in: .newlines)
      #expect(command.hasSuffix("git resolve --interactive \"$MERGED\""))
      try git(
        "-c", "mergetool.quire.cmd=" + command.replacing("--interactive", with: "--theirs"),
        "-c", "mergetool.keepBackup=false", "mergetool", "--no-prompt", "--tool=quire")
    }
    #expect(try stops.contains("Faro,9\n"))
    #expect(try git("status", "--porcelain", file).hasPrefix("M "))
  }

  @Test(
    "--global changes the user's files, and a folder without a repository is an error",
    .enabled(if: BuiltTool.exists, "The tool is not built."),
    .enabled(if: hasGit, "git is not installed."))
  func global() throws {
    #expect(try tool("git", "install", code: 3).contains("not a git repository"))
    try tool("git", "install", "--global")
    let attributes = folder + "/config/git/attributes"
    #expect(
      try String(contentsOfFile: attributes, encoding: .utf8).contains("*.store diff=quire"))
    #expect(try git("config", "--global", "diff.quire.textconv").contains("git text"))
    try tool("git", "uninstall", "--global")
    #expect(!FileManager.default.fileExists(atPath: attributes))
    try git("config", "--global", "diff.quire.textconv", code: 1)
    try tool("git", "frobnicate", code: 2)
    try tool("git", "diff", "a", "b", code: 2)
  }
}
