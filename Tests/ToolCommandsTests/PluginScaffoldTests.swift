import Foundation
import InstalledPlugins
import JSONText
import ProgramRuns
import Testing

@testable import ToolCommands

@Suite("quire plugin new")
struct PluginScaffoldTests {
  private func read(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
  }

  @Test("A plug-in in C has the headers of this program, word for word")
  func headers() throws {
    let folder = try ScaffoldFolder()

    let run = quire([
      "plugin", "new", "Ledger", "--language", "c", "--output", folder.path + "/Ledger",
    ])

    #expect(run.exitCode == .done, "\(run.messages)")
    for (module, header) in [("CStorePlugin", "quire_store_plugin.h"), ("CArrow", "CArrow.h")] {
      let own = InstalledPlugins.root.appending(path: "Sources/\(module)/include/\(header)").path
      #expect(try read("\(folder.path)/Ledger/include/\(header)") == read(own))
    }
    let listed = run.output.split(separator: "\n").map(String.init)
    #expect(listed.contains("\(folder.path)/Ledger/Ledger.c"))
    #expect(listed.allSatisfy { FileManager.default.fileExists(atPath: $0) })
  }

  @Test(
    "A plug-in in C builds without a warning, is loaded and passes",
    .enabled(if: InstalledPlugins.compiler != nil),
    arguments: [
      "every-value-stays", "keys-are-given-once", "emptied-and-filled", "models-between", "closing",
    ])
  func runs(_ name: String) throws {
    let folder = try ScaffoldFolder()
    let plugin = folder.path + "/Ledger"
    let made = quire(["plugin", "new", "Ledger", "--language", "c", "--output", plugin])
    let sources = try FileManager.default.contentsOfDirectory(atPath: plugin)
      .filter { $0.hasSuffix(".c") }
    let building = try ProgramRun(
      InstalledPlugins.compiler ?? "cc",
      ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden"]
        + ["-I\(plugin)/include", "-o", plugin + "/libLedger.so"]
        + sources.map { "\(plugin)/\($0)" })
    #expect(building.status == 0, "\(building.text)")
    try folder.setMode(0o755, "Ledger")
    for file in ["plugin.json", "libLedger.so"] { try folder.setMode(0o755, "Ledger/\(file)") }

    let run = quire(["plugin", "test", plugin, "--only", name])

    #expect(made.exitCode == .done)
    #expect(run.exitCode == .done, "\(run.messages)\(run.output)")
    #expect(run.output.contains("passed   \(name)\n"))
  }

  @Test("A plug-in in Swift depends on the named package")
  func swift() throws {
    let folder = try ScaffoldFolder()

    let local = quire([
      "plugin", "new", "Ledger", "--language", "swift", "--output", folder.path + "/a",
      "--quire", InstalledPlugins.root.path,
    ])
    let remote = quire([
      "plugin", "new", "Ledger", "--language", "swift", "--output", folder.path + "/b",
      "--quire", "https://example.org/quire.git", "--format", "json",
    ])

    #expect(local.exitCode == .done, "\(local.messages)")
    #expect(remote.exitCode == .done, "\(remote.messages)")
    let root = InstalledPlugins.root.path
    #expect(
      try read(folder.path + "/a/Package.swift").contains(
        #".package(name: "quire", path: "\#(root)")"#))
    #expect(
      try read(folder.path + "/b/Package.swift").contains(
        #".package(url: "https://example.org/quire.git", branch: "main")"#))
    #expect(
      try read(folder.path + "/a/Sources/Ledger/Ledger.swift").contains(
        #"StorePlugin.table("Ledger", "1.0", [Backend()])"#))
    #expect(remote.output.contains(#""Tests/LedgerTests/LedgerTests.swift""#))
  }

  @Test(
    "A new plug-in contains no unfilled placeholder, and its manifest is read",
    arguments: ["c", "swift"])
  func places(_ language: String) throws {
    let folder = try ScaffoldFolder()
    let plugin = folder.path + "/Ledger"

    let run = quire([
      "plugin", "new", "Ledger", "--language", language, "--output", plugin,
      "--quire", InstalledPlugins.root.path,
    ])

    let files = run.output.split(separator: "\n").map(String.init)
    #expect(files.count >= 6)
    for file in files {
      let text = try read(file)
      #expect(!text.contains("@NAME@") && !text.contains("@QUIRE@"), "\(file)")
    }
    let json = try JSON.read(Array(read(plugin + "/plugin.json").utf8))
    #expect(json["library"] == .string("libLedger.so"))
  }

  @Test(
    "A plug-in name that equals a file's name removes no file",
    arguments: ["rows", "arrays", "file", "bytes"])
  func fileNames(_ name: String) throws {
    let folder = try ScaffoldFolder()

    let run = quire(["plugin", "new", name, "--language", "c", "--output", folder.path + "/x"])

    let files = run.output.split(separator: "\n")
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(files.count { $0.hasSuffix(".c") } == 5)
    #expect(Set(files).count == files.count)
  }

  @Test("An existing folder is not changed")
  func exists() throws {
    let folder = try ScaffoldFolder()

    let run = quire(["plugin", "new", "Ledger", "--language", "c", "--output", folder.path])

    #expect(run.exitCode == .inputOutput)
    #expect(run.messages.contains("exists already"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test(
    "A name that a plug-in can't have is refused",
    arguments: [("a b", "c"), ("../x", "c"), (".x", "c"), ("", "c"), ("ledger", "swift")])
  func names(_ name: String, _ language: String) throws {
    let folder = try ScaffoldFolder()

    let run = quire([
      "plugin", "new", name, "--language", language, "--output", folder.path + "/x",
    ])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("can't be the name of a plug-in"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/x"))
  }

  @Test("A missing language and a missing package are errors")
  func options() throws {
    let folder = try ScaffoldFolder()

    let language = quire(["plugin", "new", "Ledger"])
    let package = quire([
      "plugin", "new", "Ledger", "--language", "swift", "--quire", folder.path,
      "--output", folder.path + "/x",
    ])

    #expect(language.exitCode == .wrongUsage)
    #expect(language.messages.contains("'--language' is missing"))
    #expect(package.exitCode == .inputOutput)
    #expect(package.messages.contains("contains no package"))
  }
}
