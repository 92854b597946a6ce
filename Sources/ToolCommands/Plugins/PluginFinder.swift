import DurableFiles
import PluginHost
import Quire
import StoreInterface
import Synchronization

/// The plug-ins that one run of the tool may use, looked for when somebody first asks.
final class PluginFinder: Sendable {
  /// Where they are looked for.
  let folders: PluginFolders
  private let found = Mutex<PluginRegistry?>(nil)

  init(_ folders: PluginFolders) { self.folders = folders }

  /// No plug-ins: what the tool has when nobody says where there are any.
  static let none = PluginFinder(.off("no place was given"))

  /// What there is.
  var registry: PluginRegistry {
    found.withLock { found in
      if let found { return found }
      let registry = PluginRegistry.search(folders, builtIn: StoreBackends.builtIn.types)
      found = registry
      return registry
    }
  }

  /// The kinds of stores that are built in, and those that plug-ins bring.
  var backends: StoreBackends { .builtIn.adding(contentsOf: registry) }
}
