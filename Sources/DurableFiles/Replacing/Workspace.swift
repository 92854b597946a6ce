/// A private folder beside a path, in which the file or folder is made that will take the place of that path.
///
/// The folder contains the new file under its own name in `new/`, and the files that the new file displaces in
/// `old/`. Only the owner has access to the folder.
struct Workspace {
  let disk: any Disk
  /// The path of the file or folder that will be replaced.
  let target: String
  let folder: String
  /// Files beside the target that belong to it, by the endings of their names.
  let companionEndings: [String]

  static let oldFolder = "old"
  static let newFolder = "new"

  init(_ disk: any Disk, for target: String, companionEndings: [String]) throws(DiskError) {
    self.disk = disk
    self.target = target
    self.companionEndings = companionEndings
    folder = disk.temporaryPath(for: target)
    try disk.makeDirectory(folder, permissions: FilePermissions(rawValue: 0o700))
    do { try disk.makeDirectory(folder.appendingPathComponent(Workspace.newFolder)) } catch {
      disk.discard(folder) { try disk.removeDirectory(folder) }
      throw error
    }
  }

  /// The path at which the new file or folder is made.
  var newPath: String {
    folder.appendingPathComponent(Workspace.newFolder)
      .appendingPathComponent(target.lastPathComponent)
  }

  private var oldFolder: String { folder.appendingPathComponent(Workspace.oldFolder) }
  private var oldPath: String { oldFolder.appendingPathComponent(target.lastPathComponent) }

  /// Returns the companions of the target that exist.
  static func companions(
    of target: String, _ endings: [String], on disk: any Disk
  ) throws(DiskError) -> [String] {
    var found: [String] = []
    for ending in endings where try disk.exists(target + ending) { found.append(target + ending) }
    return found
  }

  /// Moves the new file or folder to its path, calls `check`, and puts the old one back if that fails.
  func takePlace(of old: FileStatus?, check: () throws -> Void) throws {
    let new = try disk.status(of: newPath, followingLinks: false)
    if let old { try keepPermissions(of: old, new) }
    let companions = try Workspace.companions(of: target, companionEndings, on: disk)
    try disk.makeDirectory(oldFolder, permissions: FilePermissions(rawValue: 0o700))
    let switches = old?.kind == .file && new.kind == .file && companions.isEmpty
    var moved: [(from: String, to: String)] = []
    var isPlaced = false
    var isExchanged = false
    var hasBackup = false
    func move(_ path: String) throws(DiskError) {
      let place = oldFolder.appendingPathComponent(path.lastPathComponent)
      try disk.rename(path, to: place)
      moved.append((path, place))
    }
    func syncMoves() throws(DiskError) {
      try disk.syncDirectory(oldFolder)
      try disk.syncDirectory(of: target)
    }
    do {
      if switches {
        // Some file systems do not support second names. Then a failing sync of the directory is the one failure that
        // leaves the new file in place.
        hasBackup = (try? disk.link(target, to: oldPath)) != nil
        try disk.rename(newPath, to: target)
      } else {
        if old != nil || !companions.isEmpty {
          // A crash must not lose the folder and keep the moves into it.
          try disk.syncDirectory(folder)
          try disk.syncDirectory(of: folder)
        }
        // In one step, so that a process that ends in between leaves the old or the new folder at the path.
        if old != nil, companions.isEmpty {
          isExchanged = try disk.exchange(newPath, with: target)
        }
        // The file goes first: without it, its companions mean nothing, and no companion is ever beside a new file.
        // So a crash that leaves a companion in the folder leaves the file there too.
        if old != nil, !isExchanged { try move(target) }
        if !moved.isEmpty { try syncMoves() }
        for path in companions { try move(path) }
        if !companions.isEmpty { try syncMoves() }
        if isExchanged {
          // The workspace contains the old folder now, and is removed with it.
        } else if new.kind == .file {
          // A rename would replace a file that appeared meanwhile. Giving the new file a second name fails in this
          // case.
          try disk.link(newPath, to: target)
          isPlaced = true
          try disk.remove(newPath)
        } else {
          try disk.rename(newPath, to: target)
        }
      }
      isPlaced = true
      try disk.syncDirectory(of: target)
      try check()
    } catch {
      if isPlaced {
        if switches {
          if hasBackup { try? disk.rename(oldPath, to: target) }
        } else if isExchanged {
          _ = try? disk.exchange(newPath, with: target)
        } else if new.kind == .file {
          try? disk.remove(target)
        } else {
          try? disk.rename(target, to: newPath)
        }
      }
      for (from, to) in moved.reversed() { try? disk.rename(to, to: from) }
      try? disk.syncDirectory(of: target)
      throw error
    }
  }

  /// Gives new files the permissions of the files whose place they take.
  private func keepPermissions(of old: FileStatus, _ new: FileStatus) throws {
    guard old.kind == new.kind else { return }
    try setPermissions(newPath, new.kind, old.permissions)
    guard old.kind == .directory else { return }
    try keepPermissions(inside: target, newPath)
  }

  private func keepPermissions(inside old: String, _ new: String) throws {
    for entry in try disk.list(new, links: .refused)
    where entry.kind == .file || entry.kind == .directory {
      let before = old.appendingPathComponent(entry.name)
      let path = new.appendingPathComponent(entry.name)
      guard let status = try? disk.status(of: before, followingLinks: false),
        status.kind == entry.kind
      else { continue }
      try setPermissions(path, entry.kind, status.permissions)
      if entry.kind == .directory { try keepPermissions(inside: before, path) }
    }
  }

  private func setPermissions(
    _ path: String, _ kind: FileKind, _ permissions: FilePermissions
  ) throws(DiskError) {
    guard try disk.status(of: path, followingLinks: false).permissions != permissions else {
      return
    }
    try disk.setPermissions(of: path, isDirectory: kind == .directory, to: permissions)
  }

  /// Removes the folder with everything left in it.
  func remove() {
    if (try? disk.removeTree(folder)) == nil {
      disk.discard(folder) { try disk.removeTree(folder) }
    }
  }

  /// Removes the folder, unless it contains the only copy of the old file.
  func removeAfterFailure() {
    let isOnlyCopy =
      (try? disk.exists(oldPath)) == true && (try? disk.exists(target)) == false
    if !isOnlyCopy { remove() }
  }
}
