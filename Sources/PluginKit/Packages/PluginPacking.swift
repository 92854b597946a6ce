import Archives
package import DurableFiles
package import PluginHost

/// The packing of a built plug-in into one file, which ``PackedPlugin`` reads.
package struct PluginPacking {
  private let plugin: FoundPlugin
  private let disk: any Disk

  /// Creates the packing of a plug-in. Loads its library, because a library that differs from its manifest would be refused
  /// after the installation.
  package init(_ plugin: FoundPlugin, on disk: any Disk) throws {
    self.plugin = plugin
    self.disk = disk
    _ = try plugin.load()
  }

  /// Returns the names of the packed files: the manifest, the library, and texts for people such as the licence.
  package func files() throws -> [String] {
    let texts = ["readme", "license", "licence", "copying", "notice", "authors", "changelog"]
    let others = try disk.list(plugin.path).filter { entry in
      let name = entry.name.lowercased()
      return entry.kind == .file && texts.contains { name == $0 || name.hasPrefix($0 + ".") }
    }
    return [PluginManifest.fileName, plugin.manifest.library] + others.map(\.name).sorted()
  }

  /// Packs some files of the plug-in, and returns the SHA-256 of the new file.
  package func pack(_ files: [String], into path: String) throws -> String {
    let temporaryFolder = try TemporaryFolder(named: "quire-plugin-pack-\(plugin.manifest.name)")
    defer { temporaryFolder.remove() }
    let folder = try temporaryFolder.makeFolder("plugin")
    for file in files {
      try disk.copy(
        plugin.path.appendingPathComponent(file), to: folder.appendingPathComponent(file))
    }
    do {
      _ = try FolderPacking(folder, on: disk).run(into: path, overwriting: true) { _ in }
    } catch let error as ArchiveError {
      throw PluginKitError(.inputOutput, error.message)
    }
    return try disk.open(path, for: .read).sha256()
  }
}
