// SAFETY: Tables are made by PluginSupport and never freed.

import BinaryStore
import CStorePlugin
import DurableFiles
import Foundation
import PluginHost
import PluginSupport
import StoreInterface
import XMLStore

/// How rows cross.
enum Crossing: String, CaseIterable, Sendable {
  /// As blocks, and with changes that give some values.
  case blocks
  /// As Arrow arrays of whole rows, one call at a time: what the least plug-in does.
  case arrays
}

/// Backends of ours, each as a plug-in would bring it: behind the C interface, without a library.
enum Boundary {
  /// A backend seen through the C interface.
  static func through(_ backend: any StoreBackend, _ crossing: Crossing = .blocks) -> PluginBackend
  {
    let table = StorePlugin.table("Boundary \(backend.type.rawValue)", "1", [backend])
      .assumingMemoryBound(to: QuirePlugin.self)
    let functions =
      switch crossing {
      case .blocks:
        PluginFunctions(
          table, type: table.pointee.types[0]!, flags: table.pointee.types[0]!.pointee.flags,
          name: "Boundary")
      case .arrays: least(table)
      }
    return PluginBackend(
      backend.type, backend.capabilities, recognizing: { backend.recognizes($0) },
      load: { functions })
  }

  /// A table without what the least plug-in does not have.
  private static func least(_ full: UnsafePointer<QuirePlugin>) -> PluginFunctions {
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: full.pointee)
    table.pointee.blocks = nil
    table.pointee.read_block = nil
    table.pointee.read_value = nil
    return PluginFunctions(
      UnsafePointer(table), type: full.pointee.types[0]!, flags: 0, name: "Boundary")
  }

  /// The backends whose stores last.
  static let lasting: [any StoreBackend] = [
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
  ]
}
