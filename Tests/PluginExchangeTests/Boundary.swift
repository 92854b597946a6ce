// SAFETY: Tables are made by PluginSupport and never freed.

import BinaryStore
import CStorePlugin
import DurableFiles
import Foundation
import PluginHost
import PluginSupport
import StoreInterface
import XMLStore

/// The form in which rows cross the interface.
enum Crossing: String, CaseIterable, Sendable {
  /// As blocks, and with changes that contain some values of a row.
  case blocks
  /// As Arrow arrays of whole rows, one call at a time: the form of the smallest possible plug-in.
  case arrays
}

/// The project's own backends, each behind the C interface as a plug-in would provide it, but without a library.
enum Boundary {
  /// Returns a backend that is reached through the C interface.
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

  /// Returns a copy of the table without the functions that the smallest possible plug-in lacks.
  private static func least(_ full: UnsafePointer<QuirePlugin>) -> PluginFunctions {
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: full.pointee)
    table.pointee.blocks = nil
    table.pointee.read_block = nil
    table.pointee.read_value = nil
    return PluginFunctions(
      UnsafePointer(table), type: full.pointee.types[0]!, flags: 0, name: "Boundary")
  }

  /// The backends with stores that outlive the process.
  static let lasting: [any StoreBackend] = [
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
  ]
}
