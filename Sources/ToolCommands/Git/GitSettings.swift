import CommandInterface
import DurableFiles
import Foundation
import SystemPrograms

/// The settings that make git compare and merge documents and stores: a section of the configuration, and lines of a
/// file with attributes.
struct GitSettings {
  private let git: GitProgram
  private let isGlobal: Bool
  private let disk: any Disk

  /// The lines of the file with attributes.
  static let lines = ["*.quire.zip", "*.store"].map { "\($0) diff=quire merge=quire" }

  init(_ git: GitProgram, isGlobal: Bool, on disk: any Disk) {
    self.git = git
    self.isGlobal = isGlobal
    self.disk = disk
  }

  private var scope: String { isGlobal ? "--global" : "--local" }

  /// Returns the settings.
  ///
  /// - Parameter tool: The tool as git's shell calls it.
  static func values(_ tool: String) -> [(name: String, value: String)] {
    [
      ("diff.quire.textconv", "\(tool) git text"),
      ("diff.quire.command", "\(tool) git diff"),
      ("merge.quire.name", "Quire documents and stores"),
      ("merge.quire.driver", "\(tool) git merge %O %A %B %P"),
      // The base of a criss-cross merge is one of the candidates, without its own merge.
      ("merge.quire.recursive", "binary"),
      ("mergetool.quire.cmd", "\(tool) git resolve --interactive \"$MERGED\""),
      ("mergetool.quire.trustExitCode", "true"),
    ]
  }

  /// Writes the settings, and adds the missing lines of the attributes.
  ///
  /// - Returns: The file with the attributes.
  func install(_ tool: String) throws -> String {
    let path = try attributesPath()
    for (name, value) in GitSettings.values(tool) {
      try git.output(["config", scope, "--replace-all", name, value])
    }
    var text = try attributes(path)
    let known = Set(text.split(separator: "\n").map(String.init))
    let missing = GitSettings.lines.filter { !known.contains($0) }
    guard !missing.isEmpty else { return path }
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    try write(text + missing.map { $0 + "\n" }.joined(), path)
    return path
  }

  /// Removes the settings and the lines. Everything else stays.
  ///
  /// - Returns: Whether there was anything to remove.
  func uninstall() throws -> Bool {
    let path = try attributesPath()
    var isFound = false
    for section in ["diff.quire", "merge.quire", "mergetool.quire"] {
      // Without the section, git fails.
      let run = try git.run(["config", scope, "--remove-section", section])
      if run.exitCode == 0 { isFound = true }
    }
    let text = try attributes(path)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let kept = lines.filter { !GitSettings.lines.contains(String($0)) }
    guard kept.count < lines.count else { return isFound }
    let rest = kept.joined(separator: "\n")
    if rest.isEmpty { try disk.remove(path) } else { try write(rest, path) }
    return true
  }

  // MARK: - Attributes

  private func attributesPath() throws -> String {
    guard isGlobal else {
      return try git.output(["rev-parse", "--show-toplevel"]).appendingPathComponent(
        ".gitattributes")
    }
    let configured = try git.run(["config", "--global", "--type=path", "core.attributesFile"])
    if configured.exitCode == 0, !configured.output.isEmpty { return configured.output }
    let environment = ThisProgram.environment
    let folder =
      environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
      ?? (environment["HOME"] ?? "/").appendingPathComponent(".config")
    return folder.appendingPathComponent("git/attributes")
  }

  private func attributes(_ path: String) throws -> String {
    guard try disk.exists(path) else { return "" }
    let bytes = try disk.read(path, byteLimit: 1 << 24)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        .inputOutput, "'\(oneLine(path))' is not text in UTF-8, so it was not changed.",
        hint: "Add these lines yourself: \(GitSettings.lines.joined(separator: "; ")).")
    }
    return text
  }

  private func write(_ text: String, _ path: String) throws {
    try disk.makeDirectories(for: path)
    try disk.replace(path) { try $0.write(text) }
  }
}
