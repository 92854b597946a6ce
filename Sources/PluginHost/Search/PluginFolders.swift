/// The folders that are searched for plug-ins, in order (spec §9.4.1).
///
///     let folders = PluginFolders(
///       environment: ProcessInfo.processInfo.environment, executable: pathOfThisProgram)
///
/// The value depends only on the arguments of its initializer: it reads neither the process nor the disk.
public struct PluginFolders: Sendable, Hashable {
  /// The folders in the order of the search. If two folders bring the same plug-in, the first one wins.
  public private(set) var folders: [PluginFolder] = []
  /// The refusals of named folders that can't be searched.
  public private(set) var refusals: [PluginRefusal] = []
  /// The reason why plug-ins are off; `nil` if they are on.
  public private(set) var offReason: String?

  /// Returns a value without folders and with the given reason, such as "the program was started with --no-plugins".
  public static func off(_ reason: String) -> PluginFolders {
    var folders = PluginFolders([])
    folders.offReason = reason
    return folders
  }

  /// Creates a value with only the folders that the program names.
  public init(_ paths: [String]) {
    for path in paths { add(path, .program, "The program") }
  }

  /// Creates a value with the folders that the program names, followed by the usual ones: the folders in
  /// `QUIRE_PLUGIN_PATH`, the user's, the system's, and the ones beside the program.
  ///
  /// The value is empty if `QUIRE_PLUGINS` is set to any word but `on`.
  ///
  /// - Parameter executable: The absolute path of the program's file, for the folders beside it.
  public init(
    _ paths: [String] = [], environment: [String: String], executable: String? = nil
  ) {
    if let word = environment["QUIRE_PLUGINS"], !word.isEmpty, word.lowercased() != "on" {
      guard word.lowercased() != "off" else {
        self = .off("QUIRE_PLUGINS is 'off'")
        return
      }
      // An unknown value most likely was meant to turn plug-ins off.
      self = .off("QUIRE_PLUGINS is '\(word)', not 'on' or 'off'")
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
          "\(source) names the folder '\(path)', which is not searched for plug-ins: the path is not absolute, "
            + "so it would depend on where the program is started."))
      return
    }
    folders.append(PluginFolder(path: path, kind: kind))
  }

  private func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}

/// A folder with subfolders that are plug-ins.
public struct PluginFolder: Sendable, Hashable {
  /// The path of the folder.
  public let path: String
  /// The source that named the folder.
  public let kind: Kind

  /// A source that names search folders.
  public enum Kind: String, Sendable, Hashable {
    /// The program: a folder that it names, or one beside it.
    case program
    case environment
    /// The user: the folder for one user's own files.
    case user
    /// The system: folders for all users.
    case system
  }
}
