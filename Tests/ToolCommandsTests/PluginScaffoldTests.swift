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
    arguments: [["c"], ["c", "--incremental"], ["c++"], ["python"], ["rust"], ["swift"]])
  func places(_ words: [String]) throws {
    let folder = try ScaffoldFolder()
    let plugin = folder.path + "/Ledger"

    let run = quire(
      [
        "plugin", "new", "Ledger", "--output", plugin, "--quire", InstalledPlugins.root.path,
        "--language",
      ] + words)

    let files = run.output.split(separator: "\n").map(String.init)
    #expect(files.count >= 6)
    for file in files {
      let text = try read(file)
      #expect(text.firstMatch(of: /@[A-Z_]+@/) == nil, "\(file)")
    }
    let json = try JSON.read(Array(read(plugin + "/plugin.json").utf8))
    #expect(json["library"] == .string("libLedger.so"))
  }

  @Test(
    "A plug-in name that equals a file's name removes no file",
    arguments: [
      ("c", ["rows", "arrays", "file", "bytes", "commits", "disk"], 7),
      ("c --incremental", ["log", "history"], 8), ("c++", ["arrays", "disk", "format"], 4),
    ])
  func fileNames(_ options: String, _ names: [String], _ count: Int) throws {
    let folder = try ScaffoldFolder()

    for name in names {
      let words = options.split(separator: " ").map(String.init)
      let run = quire(
        ["plugin", "new", name, "--output", "\(folder.path)/\(name)", "--language"] + words)

      let files = run.output.split(separator: "\n")
      #expect(run.exitCode == .done, "\(run.messages)")
      #expect(files.count { $0.hasSuffix(".c") || $0.hasSuffix(".cpp") } == count)
      #expect(Set(files).count == files.count)
    }
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
    arguments: [
      ("a b", "c"), ("../x", "c"), (".x", "c"), ("", "c"), ("ledger", "swift"), ("a-b", "rust"),
    ])
  func names(_ name: String, _ language: String) throws {
    let folder = try ScaffoldFolder()

    let run = quire([
      "plugin", "new", name, "--language", language, "--output", folder.path + "/x",
    ])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("can't be the name of a plug-in"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/x"))
  }

  @Test("A missing language, a missing package and a missing template are errors")
  func options() throws {
    let folder = try ScaffoldFolder()

    let language = quire(["plugin", "new", "Ledger"])
    let package = quire([
      "plugin", "new", "Ledger", "--language", "swift", "--quire", folder.path,
      "--output", folder.path + "/x",
    ])

    #expect(language.exitCode == .wrongUsage)
    #expect(language.messages.contains("'--language' is missing"))
    let incremental = quire([
      "plugin", "new", "Ledger", "--language", "rust", "--incremental",
      "--output", folder.path + "/y",
    ])
    #expect(incremental.exitCode == .wrongUsage)
    #expect(incremental.messages.contains("no incremental store in Rust"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/y"))
    #expect(package.exitCode == .inputOutput)
    #expect(package.messages.contains("contains no package"))
  }
}
