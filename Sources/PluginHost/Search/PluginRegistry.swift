public import DurableFiles
public import StoreInterface

/// The result of a search for plug-ins: the plug-ins that may be used, and the refusals with their reasons.
///
///     let registry = PluginRegistry.search(
///       PluginFolders(environment: ProcessInfo.processInfo.environment), on: RealDisk())
///     let backends = StoreBackends.builtIn.adding(contentsOf: registry)
///
/// A search reads manifests and checks the owners of files. It neither reads nor loads a library: that happens when a
/// store is created or opened.
public struct PluginRegistry: Sendable {
  /// The plug-ins that may be used, in the order in which they were found.
  public internal(set) var plugins: [FoundPlugin] = []
  /// The refusals of plug-ins that are not used, or not for all of their types.
  public internal(set) var refusals: [PluginRefusal] = []
  /// The folders that were searched, in order.
  public internal(set) var folders: [SearchedFolder] = []
  /// The reason why plug-ins are off; `nil` if the search took place.
  public internal(set) var offReason: String?

  /// A folder with the outcome of the search in it.
  public struct SearchedFolder: Sendable, Hashable {
    /// The folder, with the path by which it was named.
    public let folder: PluginFolder
    /// The outcome of the search.
    public let outcome: Outcome

    /// The outcome of a search in one folder.
    public enum Outcome: String, Sendable, Hashable {
      /// The folder does not exist.
      case missing
      /// The folder is not trusted, or can't be read; a refusal gives the reason.
      case refused
      /// The whole folder was searched.
      case searched
    }
  }

  /// Creates a registry without plug-ins and without searched folders.
  public init() {}

  /// The types that a plug-in does not replace by default.
  public static let builtInTypes: [StoreType] = [.binary, .compressed, .xml, .memory]

  /// Searches for plug-ins.
  ///
  /// The method throws no error: each unusable plug-in adds to ``refusals``, and the search continues.
  ///
  /// - Parameters:
  ///   - builtIn: The types that exist without plug-ins.
  ///   - replacingBuiltIn: Whether a plug-in may replace a built-in type.
  ///   - only: The name of the only folder in a search folder that may be a plug-in; `nil` for all folders.
  public static func search(
    _ folders: PluginFolders, on disk: any Disk = RealDisk(),
    builtIn: [StoreType] = builtInTypes, replacingBuiltIn: Bool = false, only: String? = nil
  ) -> PluginRegistry {
    search(
      folders, on: disk, builtIn: builtIn, replacingBuiltIn: replacingBuiltIn, only: only,
      trust: .standard)
  }

  static func search(
    _ folders: PluginFolders, on disk: any Disk, builtIn: [StoreType] = builtInTypes,
    replacingBuiltIn: Bool = false, only: String? = nil, trust: PluginTrust
  ) -> PluginRegistry {
    var search = PluginSearch(
      disk: disk, trust: trust, builtIn: replacingBuiltIn ? [] : builtIn, only: only)
    search.run(folders)
    return search.registry
  }

  /// Returns the plug-in of the given name.
  public subscript(name: String) -> FoundPlugin? { plugins.first { $0.manifest.name == name } }

  /// Returns the plug-in that brings the given type.
  public func plugin(for type: StoreType) -> FoundPlugin? {
    plugins.first { $0.types.contains { $0.type == type } }
  }

  /// Returns the reason why a plug-in for a type is missing: the searched folders, the plug-ins found there, and the
  /// refusals of the plug-ins that have the type.
  public func refusal(ofType type: StoreType) -> PluginRefusal {
    var sentences = ["No plug-in for stores of type '\(type.rawValue)' can be used."]
    let wanted = refusals.filter { $0.types.contains(type) }
    // A plug-in with an unreadable manifest may be for any type.
    let unread = wanted.isEmpty ? refusals.filter { $0.types.isEmpty && $0.plugin != nil } : []
    let first = wanted.first ?? unread.first
    if let offReason {
      sentences.append("Plug-ins are off: \(offReason).")
    } else {
      let places = folders.map { one in
        "\(one.folder.path) (\(one.outcome == .searched ? one.folder.kind.rawValue : one.outcome.rawValue))"
      }
      sentences.append(
        places.isEmpty
          ? "No folder was searched." : "Searched: \(places.joined(separator: ", ")).")
      let found = plugins.map { plugin in
        let types = plugin.types.map(\.name).joined(separator: ", ")
        return "'\(plugin.manifest.name)' for \(types)"
      }
      sentences.append(
        found.isEmpty ? "No plug-in was found." : "Found: \(found.joined(separator: "; ")).")
      sentences += (wanted + unread).map(\.message)
    }
    return PluginRefusal(
      first?.reason ?? (offReason == nil ? .notFound : .refusedByPolicy),
      plugin: first?.plugin, path: first?.path ?? folders.first?.folder.path ?? "",
      types: [type], sentences.joined(separator: " "))
  }
}
