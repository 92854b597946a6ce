import CommandInterface
import DurableFiles
import PluginHost
import Quire
import StoreInterface
import Synchronization

/// The plug-ins for one run of the tool. The search folders are searched at the first use.
final class PluginFinder: Sendable {
  let folders: PluginFolders
  private let found = Mutex<PluginRegistry?>(nil)

  /// The tool's own file; `nil` if the commands run in another program.
  let executable: String?

  init(_ folders: PluginFolders, executable: String? = nil) {
    (self.folders, self.executable) = (folders, executable)
  }

  /// The stream for the messages of plug-ins, each with the name of its plug-in and its level; `nil` to drop them.
  private let messages = Mutex<Console.Stream?>(nil)

  /// Whether the messages of plug-ins are printed.
  var isVerbose: Bool { messages.withLock { $0 != nil } }

  /// Prints the messages of plug-ins to a stream, or drops them if the stream is `nil`.
  func printMessages(to stream: Console.Stream?) {
    messages.withLock { $0 = stream }
  }

  /// Prints a message of a plug-in if the tool is verbose.
  func note(_ line: String) { try? messages.withLock { $0 }?.writeLine(line) }

  /// Returns the services for the stores of a plug-in.
  func services(for plugin: FoundPlugin) -> PluginServices {
    PluginServices(log: { [self] level, text in
      note(Self.line(plugin.manifest.name, level, text))
    })
  }

  /// Returns the line that shows a message of a plug-in.
  static func line(_ name: String, _ level: PluginServices.LogLevel, _ text: String) -> String {
    oneLine("\(name): \(level): \(text)")
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
  var backends: StoreBackends { .builtIn.adding(contentsOf: registry, services: services) }
}
