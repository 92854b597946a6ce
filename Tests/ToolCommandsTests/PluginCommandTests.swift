import Foundation
import PluginHost
import Testing

@testable import ToolCommands

@Suite("quire plugin")
struct PluginCommandTests {
  /// A folder with a valid plug-in and an invalid one. Neither has a library that can be loaded.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "plugins-\(UUID().uuidString)").path(percentEncoded: false)

    init() throws {
      try add(
        "ledger",
        #"""
        {"name": "ledger", "version": "1.2", "abi": 1, "library": "ledger.so", "author": "Ada",
         "types": [{"name": "Ledger", "capabilities": ["durable", "history"],
                    "begins": [{"text": "LEDG"}]}]}
        """#)
      try add("broken", "{")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func add(_ name: String, _ manifest: String) throws {
      let folder = path + "/" + name
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for one in [path, folder] { try setMode(0o755, one) }
      for (file, text) in [("/plugin.json", manifest), ("/ledger.so", "abc")] {
        try Data(text.utf8).write(to: URL(filePath: folder + file))
        try setMode(0o644, folder + file)
      }
    }

    private func setMode(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Runs the tool and removes the folder's path from the output.
    func run(_ words: String..., environment: [String: String] = [:]) -> RecordedRun {
      let tool = Tool.quire(
        environment: ["QUIRE_PLUGIN_PATH": path].merging(environment) { $1 }, executable: nil)
      return RecordedRun(words, tool: tool)
    }
  }

  @Test("A path names the plug-in in its folder, also beside another one of the same name")
  func sameName() throws {
    let folder = try Folder()
    let copy = folder.path + "/of-the-same-name"
    try FileManager.default.copyItem(atPath: folder.path + "/ledger", toPath: copy)

    let info = folder.run("plugin", "info", copy)

    #expect(info.exitCode == .done, "\(info.messages)")
    #expect(info.output.contains("of-the-same-name/ledger.so"))
  }

  @Test("A type that only an unreadable plug-in may add is not reported as wrong usage")
  func unreadableManifest() throws {
    let folder = try Folder()
    let store = packageRoot.appending(path: "Examples/Trips.store").path(percentEncoded: false)
    let words = ["convert", store, folder.path + "/out", "--store", "SQLite"]

    let refused = folder.run(words[0], words[1], words[2], words[3], words[4])
    try FileManager.default.removeItem(atPath: folder.path + "/broken")
    let unknown = folder.run(words[0], words[1], words[2], words[3], words[4])

    #expect(refused.exitCode == .plugin, "\(refused.messages)")
    #expect(refused.messages.contains("The plug-in 'broken' can't be used"), "\(refused.messages)")
    #expect(refused.messages.contains("/broken/plugin.json"), "\(refused.messages)")
    #expect(unknown.exitCode == .wrongUsage && unknown.messages.contains("not a type of store"))
  }

  @Test("The list shows usable plug-ins, refused ones with reasons, and the search folders")
  func list() throws {
    let folder = try Folder()

    let run = folder.run("plugin", "list")

    #expect(run.exitCode == .done)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("  ledger  1.2  Ledger  available  \(folder.path)/ledger"))
    #expect(lines.contains { $0.hasPrefix("  badManifest: The plug-in 'broken'") })
    #expect(lines.contains { $0.hasPrefix("  environment  searched") })
    #expect(lines.contains { $0.hasPrefix("  system") && $0.contains("/usr/lib/quire/plugins") })
  }

  @Test("JSON output contains the same list")
  func listJSON() throws {
    let folder = try Folder()

    let output = folder.run("plugin", "list", "--format", "json").output

    #expect(output.contains(#""name": "ledger""#))
    #expect(output.contains(#""reason": "badManifest""#))
    #expect(output.contains(#""outcome": "searched""#))
  }

  @Test("A plug-in is shown with its digest, by its name or by its folder")
  func info() throws {
    let folder = try Folder()

    let named = folder.run("plugin", "info", "ledger")
    let placed = folder.run(
      "plugin", "info", folder.path + "/ledger", environment: ["QUIRE_PLUGIN_PATH": ""])

    #expect(named.exitCode == .done)
    #expect(
      named.output.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(named.output.contains(/stores +Ledger\n/))
    #expect(named.output.contains(/history +yes  Earlier saves can be opened\./))
    #expect(named.output.contains(/shared +no   One program at a time/))
    #expect(placed.exitCode == .done)
    #expect(placed.output.contains("(program)"))
    #expect(folder.run("plugin", "info", "ledger", "--format=json").output.contains(#""sha256""#))
  }

  @Test("A refused plug-in has an exit code of its own, with the reason")
  func refused() throws {
    let folder = try Folder()

    for word in ["broken", folder.path + "/broken"] {
      let run = folder.run("plugin", "info", word)
      #expect(run.exitCode == .plugin)
      #expect(run.messages.contains("is not JSON: line 1"))
    }
    let missing = folder.run("plugin", "info", "ledgr")
    #expect(missing.exitCode == .plugin)
    #expect(missing.messages.contains("Did you mean 'ledger'?"))
  }

  @Test(
    "Plug-ins can be turned off by an option at any place and by the environment")
  func off() throws {
    let folder = try Folder()

    #expect(
      folder.run("--no-plugins", "plugin", "list").output
        == "Plug-ins are disabled: the command line contains --no-plugins.\n")
    #expect(folder.run("plugin", "info", "ledger", "--no-plugins").exitCode == .plugin)
    #expect(
      folder.run("plugin", "list", environment: ["QUIRE_PLUGINS": "off"]).output
        == "Plug-ins are disabled: QUIRE_PLUGINS is 'off'.\n")
  }

  @Test(
    "If a plug-in can't be loaded, its stores are refused with its file, and no other"
  )
  func stores() throws {
    let folder = try Folder()
    let store = folder.path + "/x.ledger"
    try Data("LEDG and more".utf8).write(to: URL(filePath: store))

    let run = folder.run("info", store)
    let other = folder.run("info", "--no-plugins", store)

    #expect(run.exitCode == .plugin)
    #expect(run.messages.contains("\(folder.path)/ledger/ledger.so, can't be loaded"))
    #expect(other.exitCode == .unreadable)
  }

  @Test("An unknown subcommand is refused")
  func words() {
    let run = RecordedRun(["plugin", "lst"])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("Did you mean 'list'?"))
    #expect(RecordedRun(["plugin", "info"]).exitCode == .wrongUsage)
  }
}
