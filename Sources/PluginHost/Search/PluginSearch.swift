import DurableFiles
import StoreInterface

/// A search, with its results so far.
struct PluginSearch {
  let disk: any Disk
  let trust: PluginTrust
  let builtIn: [StoreType]
  /// The name of the only folder that may be a plug-in; `nil` for all folders.
  let only: String?
  var registry = PluginRegistry()
  /// Whether each folder is a document, so that no folder is checked twice.
  private var documents: [String: Bool] = [:]
  private var searched: Set<String> = []

  init(disk: any Disk, trust: PluginTrust, builtIn: [StoreType], only: String? = nil) {
    self.disk = disk
    self.trust = trust
    self.builtIn = builtIn
    self.only = only
  }

  mutating func run(_ folders: PluginFolders) {
    registry.offReason = folders.offReason
    registry.refusals = folders.refusals
    for folder in folders.folders {
      let outcome = search(folder)
      registry.folders.append(PluginRegistry.SearchedFolder(folder: folder, outcome: outcome))
    }
  }

  private mutating func search(
    _ folder: PluginFolder
  ) -> PluginRegistry.SearchedFolder.Outcome {
    do {
      // Most folders do not exist, and one call finds that out sooner than a call for each folder above.
      _ = try disk.status(of: folder.path)
      let (path, above) = try disk.resolved(folder.path)
      // A folder that is named twice is searched once.
      guard searched.insert(path).inserted else { return .searched }
      for one in above {
        let status = try disk.status(of: one, followingLinks: false)
        if let objection = trust.objection(toFolderOnTheWay: status, at: one) {
          return refuse(folder, "'\(one)', a folder above it, \(objection)")
        }
      }
      let status = try disk.status(of: path, followingLinks: false)
      if let objection = trust.objection(to: status, wanting: .directory, at: path) {
        return refuse(folder, "'\(path)' \(objection)")
      }
      if let document = (above + [path]).first(where: { isDocument($0) }) {
        return refuse(
          folder, "it is in the document '\(document)', and a document must not contain code")
      }
      for entry in try disk.list(path)
      where !entry.name.hasPrefix(".") && (only ?? entry.name) == entry.name {
        let plugin = path.appendingPathComponent(entry.name)
        do throws(PluginRefusal) {
          if let found = try look(at: plugin, in: folder) { take(found) }
        } catch { registry.refusals.append(error) }
      }
      return .searched
    } catch  where error.code == .notFound || error.code == .notADirectory {
      return .missing
    } catch {
      registry.refusals.append(
        PluginRefusal(
          .notFound, plugin: nil, path: folder.path,
          "The folder '\(folder.path)' (\(folder.kind.rawValue)) can't be searched for plug-ins: "
            + error.message))
      return .refused
    }
  }

  private mutating func refuse(
    _ folder: PluginFolder, _ objection: String
  ) -> PluginRegistry.SearchedFolder.Outcome {
    registry.refusals.append(
      PluginRefusal(
        .refusedByPolicy, plugin: nil, path: folder.path,
        "The folder '\(folder.path)' (\(folder.kind.rawValue)) is not searched for plug-ins: \(objection).",
        objection: objection))
    return .refused
  }

  private mutating func isDocument(_ folder: String) -> Bool {
    if let known = documents[folder] { return known }
    let isDocument = disk.isDocument(folder)
    documents[folder] = isDocument
    return isDocument
  }

  /// Returns the plug-in in a folder; `nil` if the folder is not a plug-in.
  private mutating func look(
    at path: String, in folder: PluginFolder
  ) throws(PluginRefusal) -> FoundPlugin? {
    let manifestPath = path.appendingPathComponent(PluginManifest.fileName)
    let checked = PluginFiles(disk: disk, trust: trust, plugin: path.lastPathComponent, types: [])
    // A manifest behind a link, or in an unreadable folder, is refused by its name and not skipped.
    do { _ = try disk.status(of: manifestPath, followingLinks: false) } catch {
      if error.code == .notFound || error.code == .notADirectory { return nil }
      throw checked.unreadable(manifestPath, error)
    }
    try checked.check(path, .directory)
    if isDocument(path) {
      throw PluginRefusal(
        .refusedByPolicy, plugin: path.lastPathComponent, path: path,
        "The plug-in in '\(path)' is not used: the folder is a document, and a document must not contain code."
      )
    }
    let bytes = try checked.read(manifestPath, byteLimit: PluginManifest.byteLimit)
    let manifest = try PluginManifest(
      bytes, path: manifestPath, folderName: path.lastPathComponent)
    let found = FoundPlugin(
      manifest: manifest, types: manifest.types, path: path, folder: folder, disk: disk,
      trust: trust)
    try PluginFiles(found).check(found.libraryPath, .file)
    return found
  }

  /// Registers a plug-in for the types of its manifest that are still free.
  private mutating func take(_ found: FoundPlugin) {
    let name = found.manifest.name
    if let other = registry[name] {
      registry.refusals.append(
        PluginRefusal(
          .duplicate, plugin: name, path: found.manifestPath,
          types: found.manifest.types.map(\.type),
          "The plug-in '\(name)' in \(found.manifestPath) is not used: a plug-in of that name was found earlier, in "
            + "\(other.manifestPath)."))
      return
    }
    var used = found
    used.types = found.types.filter { type in
      let other: String
      if builtIn.contains(type.type) {
        other = "is built in"
      } else if let plugin = registry.plugin(for: type.type) {
        other = "comes from the plug-in '\(plugin.manifest.name)', \(plugin.manifestPath)"
      } else {
        return true
      }
      registry.refusals.append(
        PluginRefusal(
          .duplicate, plugin: name, path: found.manifestPath, types: [type.type],
          "The plug-in '\(name)' in \(found.manifestPath) is not used for stores of type '\(type.name)': that "
            + "type \(other)."))
      return false
    }
    if !used.types.isEmpty { registry.plugins.append(used) }
  }
}

/// The files of one plug-in, which are checked before they are used.
struct PluginFiles {
  let disk: any Disk
  let trust: PluginTrust
  let plugin: String
  let types: [StoreType]

  init(disk: any Disk, trust: PluginTrust, plugin: String, types: [StoreType]) {
    self.disk = disk
    self.trust = trust
    self.plugin = plugin
    self.types = types
  }

  init(_ found: FoundPlugin) {
    self.init(
      disk: found.disk, trust: found.trust, plugin: found.manifest.name,
      types: found.manifest.types.map(\.type))
  }

  /// Checks that a file or folder exists, has the wanted kind, is not a link, and is trusted.
  @discardableResult
  func check(_ path: String, _ kind: FileKind) throws(PluginRefusal) -> FileStatus {
    let status: FileStatus
    do { status = try disk.status(of: path, followingLinks: false) } catch {
      throw unreadable(path, error)
    }
    try check(status, path, kind)
    return status
  }

  private func check(
    _ status: FileStatus, _ path: String, _ kind: FileKind
  ) throws(PluginRefusal) {
    guard let objection = trust.objection(to: status, wanting: kind, at: path) else { return }
    throw PluginRefusal(
      .refusedByPolicy, plugin: plugin, path: path, types: types,
      "The plug-in '\(plugin)' is not used: '\(path)' \(objection).")
  }

  /// Returns the bytes of a file. The check uses the same handle as the read.
  func read(_ path: String, byteLimit: Int) throws(PluginRefusal) -> [UInt8] {
    try check(path, .file)
    let file: DurableFile
    let byteCount: Int
    do {
      file = try disk.open(path, for: .read, links: .refused)
      byteCount = try file.byteCount()
    } catch { throw unreadable(path, error) }
    try check(file.openingStatus, path, .file)
    guard byteCount <= byteLimit else {
      throw PluginRefusal(
        .badManifest, plugin: plugin, path: path, types: types,
        "The plug-in '\(plugin)' can't be used: its manifest, \(path), has \(byteCount) bytes, more than the "
          + "limit of \(byteLimit).")
    }
    do { return try file.read(byteCount: byteCount, at: 0) } catch { throw unreadable(path, error) }
  }

  /// Returns the refusal of a plug-in that has an unreadable file.
  func unreadable(_ path: String, _ error: DiskError) -> PluginRefusal {
    PluginRefusal(
      error.code == .notFound ? .notFound : .refusedByPolicy, plugin: plugin, path: path,
      types: types, "The plug-in '\(plugin)' can't be used: \(error.message)")
  }
}
