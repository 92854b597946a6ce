import Foundation
import InstalledPlugins
import ProgramRuns

@testable import ToolCommands

/// Runs the tool with plug-ins.
func quire(_ words: [String]) -> RecordedRun {
  RecordedRun(words, tool: .quire(environment: [:], executable: nil))
}

/// A folder for plug-ins that tests write, which is removed when the test ends.
final class ScaffoldFolder {
  let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appending(path: "scaffold-\(UUID().uuidString)").path(percentEncoded: false)

  struct Failure: Error { var words: String }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try setMode(0o755, "")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Sets the permissions of a file or folder in the folder.
  func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: name.isEmpty ? path : path + "/" + name)
  }

  /// Adds a plug-in with a text in place of its library.
  func add(_ name: String, library: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
    let manifest = """
      {"name": "\(name)", "version": "1.0", "abi": 1, "library": "lib.so",
       "types": [{"name": "Bad", "capabilities": ["durable"]}]}
      """
    for (file, text) in [("plugin.json", manifest), ("lib.so", library)] {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)/\(file)"))
      try setMode(0o644, "\(name)/\(file)")
    }
    try setMode(0o755, name)
  }

  /// Adds a plug-in that can be loaded and refuses each call.
  ///
  /// - Parameter statement: The first statement of the function that creates a store.
  func addRefusingPlugin(_ name: String = "bad", creating statement: String = "") throws {
    try add(name, library: "")
    let root = InstalledPlugins.root.path
    let source = """
      #include "sound.h"
      #include <stdlib.h>
      #include <unistd.h>
      static int32_t begin(
          const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
          const struct QuireCreation *creation, struct QuireStore **store, struct QuireError *error) {
        \(statement);
        return create(host, type, path, creation, store, error);
      }
      PLUGIN((table.name = "\(name)", table.create = begin))
      """
    try Data(source.utf8).write(to: URL(filePath: "\(path)/plugin.c"))
    let run = try ProgramRun(
      InstalledPlugins.compiler ?? "cc",
      [
        "-shared", "-fPIC", "-std=gnu11", "-I\(root)/Sources/CStorePlugin/include",
        "-I\(root)/Sources/CArrow/include", "-I\(root)/Tests/PluginHostTests/BadPlugins",
        "\(path)/plugin.c", "-o", "\(path)/\(name)/lib.so",
      ])
    guard run.status == 0 else { throw Failure(words: run.text) }
    try setMode(0o755, "\(name)/lib.so")
  }
}
