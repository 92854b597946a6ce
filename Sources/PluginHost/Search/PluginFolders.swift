/// Where plug-ins are looked for, in order (spec §9.4.1).
///
///     let folders = PluginFolders(
///       environment: ProcessInfo.processInfo.environment, executable: pathOfThisProgram)
///
/// A value made from what it is given: nothing is asked of the process or of the disk.
public struct PluginFolders: Sendable, Hashable {
  /// The folders, those first whose plug-ins win.
  public private(set) var folders: [PluginFolder] = []
  /// What was named and is no place to look.
  public private(set) var refusals: [PluginRefusal] = []
  /// Why there are no plug-ins at all; `nil` when there may be.
  public private(set) var offReason: String?

  /// No plug-ins, for the given reason, such as "the program was started with --no-plugins".
  public static func off(_ reason: String) -> PluginFolders {
    var folders = PluginFolders([])
    folders.offReason = reason
    return folders
  }

  /// The folders that a program names and no others.
  public init(_ paths: [String]) {
    for path in paths { add(path, .program, "The program") }
  }

  /// The folders that a program names, and then those that everybody looks into: the ones in
  /// `QUIRE_PLUGIN_PATH`, the user's, the system's, and the ones beside the program.
  ///
  /// `QUIRE_PLUGINS=off` leaves none.
  ///
  /// - Parameter executable: The program's file, as an absolute path, for the folders beside it.
  public init(
    _ paths: [String] = [], environment: [String: String], executable: String? = nil
  ) {
    if let word = environment["QUIRE_PLUGINS"], !word.isEmpty, word.lowercased() != "on" {
      guard word.lowercased() != "off" else {
        self = .off("QUIRE_PLUGINS is 'off'")
        return
      }
      // Whoever wrote it wanted something said about plug-ins, and most likely that there be none.
      self = .off("QUIRE_PLUGINS is '\(word)', and not 'on' or 'off'")
      return
    }
    self.init(paths)
    for path in (environment["QUIRE_PLUGIN_PATH"] ?? "").split(separator: ":") {
      add(String(path), .environment, "QUIRE_PLUGIN_PATH")
    }
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      add(joined(data, "quire/plugins"), .user, "XDG_DATA_HOME")
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      add(joined(home, ".local/share/quire/plugins"), .user, "HOME")
    }
    add("/usr/local/lib/quire/plugins", .system, "The system")
    add("/usr/lib/quire/plugins", .system, "The system")
    if let executable, executable.hasPrefix("/"), let slash = executable.lastIndex(of: "/") {
      let folder = String(executable[..<slash])
      add(joined(folder, "plugins"), .program, "The program")
      add(joined(folder, "../lib/quire/plugins"), .program, "The program")
    }
  }

  private mutating func add(_ path: String, _ kind: PluginFolder.Kind, _ source: String) {
    guard path.hasPrefix("/") else {
      refusals.append(
        PluginRefusal(
          .refusedByPolicy, plugin: nil, path: path,
          "\(source) names the folder '\(path)', which is not searched for plug-ins: it is no absolute path, "
            + "and would be another folder wherever the program is started."))
      return
    }
    folders.append(PluginFolder(path: path, kind: kind))
  }

  private func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}

/// A folder whose subfolders are plug-ins.
public struct PluginFolder: Sendable, Hashable {
  /// Where it is.
  public let path: String
  /// Who says that it is searched.
  public let kind: Kind

  /// Who says that a folder is searched.
  public enum Kind: String, Sendable, Hashable {
    /// The program: a folder that it names, or one beside it.
    case program
    /// `QUIRE_PLUGIN_PATH`.
    case environment
    /// The user: the folder for what belongs to one.
    case user
    /// The system: folders for everybody.
    case system
  }
}
