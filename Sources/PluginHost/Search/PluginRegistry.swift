public import DurableFiles
public import StoreInterface

/// The plug-ins that there are, and those that are not used and why. A value: what a search has found.
///
///     let registry = PluginRegistry.search(
///       PluginFolders(environment: ProcessInfo.processInfo.environment), on: RealDisk())
///     let backends = StoreBackends.builtIn.adding(contentsOf: registry)
///
/// A search reads manifests and looks at whose files they are. It reads nothing of a library and loads none:
/// that happens when a store is made or opened.
public struct PluginRegistry: Sendable {
  /// The plug-ins that may be used, in the order in which they were found.
  public internal(set) var plugins: [FoundPlugin] = []
  /// What was found and is not used, or not for all it brings.
  public internal(set) var refusals: [PluginRefusal] = []
  /// The folders that were searched, in order.
  public internal(set) var folders: [SearchedFolder] = []
  /// Why there are no plug-ins at all; `nil` when they were looked for.
  public internal(set) var offReason: String?

  /// A folder and what became of the search in it.
  public struct SearchedFolder: Sendable, Hashable {
    /// The folder, as it was named.
    public let folder: PluginFolder
    /// What became of the search.
    public let outcome: Outcome

    /// What became of a search.
    public enum Outcome: String, Sendable, Hashable {
      /// There is no such folder.
      case missing
      /// It is not to be trusted, or can't be read; a refusal says why.
      case refused
      /// All of it was looked at.
      case searched
    }
  }

  /// No plug-ins, and nowhere looked.
  public init() {}

  /// The types that plug-ins do not replace unless it is said.
  public static let builtInTypes: [StoreType] = [.binary, .compressed, .xml, .memory]

  /// Looks for plug-ins.
  ///
  /// Nothing is thrown: what can't be used is among ``refusals``, and stops nobody else.
  ///
  /// - Parameters:
  ///   - builtIn: The types that there are without plug-ins.
  ///   - replacingBuiltIn: Whether a plug-in may bring one of those all the same.
  public static func search(
    _ folders: PluginFolders, on disk: any Disk = RealDisk(),
    builtIn: [StoreType] = builtInTypes, replacingBuiltIn: Bool = false
  ) -> PluginRegistry {
    search(
      folders, on: disk, builtIn: builtIn, replacingBuiltIn: replacingBuiltIn, trust: .standard)
  }

  static func search(
    _ folders: PluginFolders, on disk: any Disk, builtIn: [StoreType] = builtInTypes,
    replacingBuiltIn: Bool = false, trust: PluginTrust
  ) -> PluginRegistry {
    var search = PluginSearch(
      disk: disk, trust: trust, builtIn: replacingBuiltIn ? [] : builtIn)
    search.run(folders)
    return search.registry
  }

  /// The plug-in of the given name.
  public subscript(name: String) -> FoundPlugin? { plugins.first { $0.manifest.name == name } }

  /// The plug-in that brings the given type.
  public func plugin(for type: StoreType) -> FoundPlugin? {
    plugins.first { $0.types.contains { $0.type == type } }
  }

  /// Why there is no plug-in for a type: where it was looked for, what was found there, and why none that has the
  /// type is used.
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
