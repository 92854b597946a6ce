// SAFETY: Tables are made by PluginSupport and never freed.

import BinaryStore
import CStorePlugin
import DurableFiles
import Foundation
import PluginHost
import PluginSupport
import StoreInterface
import XMLStore

/// Backends of ours, each as a plug-in would bring it: behind the C interface, without a library.
enum Boundary {
  /// A backend seen through the C interface.
  static func through(_ backend: any StoreBackend) -> PluginBackend {
    let table = StorePlugin.table("Boundary \(type(of: backend)) \(backend.type.rawValue)", "1", [backend])
      .assumingMemoryBound(to: QuirePlugin.self)
    let functions = PluginFunctions(table, type: backend.type.rawValue)!
    return PluginBackend(
      backend.type, backend.capabilities, recognizing: { backend.recognizes($0) },
      load: { functions })
  }

  /// The backends whose stores last.
  static let lasting: [any StoreBackend] = [
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
  ]
}
