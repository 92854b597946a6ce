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
  // The user's own configuration has no effect.
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

  /// Changes the packed document with the tool.
  private func change(_ file: String, _ words: String...) throws {
    try tool("unpack", file, "work.quire")
    let finished = try run(
      BuiltTool.url.path, [words[0], "work.quire"] + words.dropFirst(),
      in: folder)
    #expect(finished.code == 0, "\(finished.output)")
    try tool("pack", "work.quire", file, "--force")
    try FileManager.default.removeItem(atPath: folder + "/work.quire")
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
    try change("Trips.quire.zip", "set", "Trip", "--where", "name == 'Lisbon'", "name=Lisboa")
    try tool("insert", "Example.store", "Person", "fullName=Side")
    let shown = try git("diff")
    #expect(shown.contains("name \"Lisbon\" -> \"Lisboa\""), "\(shown)")
    #expect(shown.contains("+ Person") && shown.contains("\"Side\""), "\(shown)")
    try git("commit", "-qam", "Rename Lisbon")
    let log = try git("log", "-p", "-1", "--", "Trips.quire.zip")
    #expect(log.contains("-{") && log.contains("+{") && log.contains("Lisboa"), "\(log)")

    try git("checkout", "-q", "main")
    try change("Trips.quire.zip", "set", "Trip", "--where", "name == 'Douro'", "name=Duero")
    try change("Trips.quire.zip", "insert", "Trip", "name=Sintra")
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

    // The same name is changed on both branches.
    try git("checkout", "-q", "side")
    try change("Trips.quire.zip", "set", "Trip", "--where", "name == 'Douro'", "name=River")
    try git("commit", "-qam", "Rename Douro")
    try git("checkout", "-q", "main")
    let before = try Data(contentsOf: repository.url.appending(path: "Trips.quire.zip"))
    let failed = try git("merge", "-q", "--no-edit", "side", code: 1)
    #expect(failed.contains("ours \"Duero\"; theirs \"River\""), "\(failed)")
    #expect(try git("status", "--porcelain").contains("UU Trips.quire.zip"))
    #expect(
      try Data(contentsOf: repository.url.appending(path: "Trips.quire.zip")) == before)
    for (stage, name) in [(1, "base"), (2, "ours"), (3, "theirs")] {
      _ = try run(
        "/bin/sh", ["-c", "git show :\(stage):Trips.quire.zip > \(name).zip"], in: folder)
    }
    try tool(
      "merge", "base.zip", "ours.zip", "theirs.zip", "--theirs", "--output", "Trips.quire.zip",
      "--force")
    #expect(try tool("fetch", "Trips.quire.zip", "Trip", "--columns", "name").contains("River"))

    try tool("git", "uninstall")
    #expect(
      try String(contentsOfFile: folder + "/.gitattributes", encoding: .utf8) == "*.txt text\n")
    #expect(try !git("config", "--list").contains("quire"))
    try tool("git", "uninstall", code: 1)
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
