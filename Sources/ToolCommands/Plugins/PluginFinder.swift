import DurableFiles
import PluginHost
import Quire
import StoreInterface
import Synchronization

/// The plug-ins for one run of the tool. The search folders are searched at the first use.
final class PluginFinder: Sendable {
  /// The search folders.
  let folders: PluginFolders
  private let found = Mutex<PluginRegistry?>(nil)

  /// The tool's own file; `nil` if the commands run in another program.
  let executable: String?

  init(_ folders: PluginFolders, executable: String? = nil) {
    (self.folders, self.executable) = (folders, executable)
  }

  /// A finder that finds no plug-ins, for a tool without search folders.
  static let none = PluginFinder(.off("no folder was given"))

  /// The plug-ins that were found. The first use searches for them.
  var registry: PluginRegistry {
    found.withLock { found in
      if let found { return found }
      let registry = PluginRegistry.search(folders, builtIn: StoreBackends.builtIn.types)
      found = registry
      return registry
    }
  }

  /// The built-in backends, and the backends of the plug-ins.
  var backends: StoreBackends { .builtIn.adding(contentsOf: registry) }
}
