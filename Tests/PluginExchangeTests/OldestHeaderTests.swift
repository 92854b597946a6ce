import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import PluginHost
import StoreConformance
import StoreInterface
import Testing

/// Plug-ins built against the header of version 1.0 keep working: the interface grows only at its end (spec §9.6).
@Suite("Plug-ins built against the header of version 1.0")
struct OldestHeaderTests {
  @Test(
    "A plug-in built against the header of version 1.0 loads and keeps its promises",
    .enabled(if: InstalledPlugins.compiler != nil))
  func oldest() throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "quire-oldest-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    try InstalledPlugins.addFolderStore(
      in: folder, headers: [InstalledPlugins.oldestHeaders])
    let registry = PluginRegistry.search(PluginFolders([folder.path(percentEncoded: false)]))
    let plugin = try #require(registry["FolderStore"], "\(registry.refusals)")
    let backend = PluginBackend(plugin, plugin.types[0])
    // A function that the shorter table does not have is NULL.
    #expect(try !backend.backUp("/a", to: "/b", on: SimulatedDisk()))

    for name in ["every-value-stays", "conflicts-are-refused", "history-can-be-opened"] {
      let disk = SimulatedDisk()
      let report = StoreConformance(backend, on: disk, in: "/").run(only: name)
      #expect(report.failures == [])
      #expect(report.results.count == 1)
    }
  }

  @Test("Today's header declares everything that the header of 1.0 declares, in the same order")
  func grown() throws {
    let oldest = try Self.structures(InstalledPlugins.oldestHeaders)
    let today = try Self.structures(
      InstalledPlugins.root.appending(path: "Sources/CStorePlugin/include"))

    #expect(oldest.count > 15)
    for (name, members) in oldest {
      #expect(today[name]?.prefix(members.count) == members[...], "\(name)")
    }
  }

  /// Returns the members of each structure, without comments and blanks.
  private static func structures(_ folder: URL) throws -> [String: [String]] {
    let text = try String(
      contentsOf: folder.appending(path: "quire_store_plugin.h"), encoding: .utf8)
    let plain = text.replacing(/\/\/[^\n]*/, with: "").replacing(/\s+/, with: " ")
    var found: [String: [String]] = [:]
    for match in plain.matches(of: /struct (\w+) \{(.*?)\};/) {
      found[String(match.1)] = match.2.split(separator: ";").map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
    }
    return found
  }
}
