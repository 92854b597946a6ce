// SAFETY: The table and everything that it refers to are created once and never freed, like the constants of a library.

import CStorePlugin
import DurableFiles
import ObjectModel
import PluginExchange
public import StoreInterface
import Synchronization

/// A plug-in: backends behind the C interface of stores.
///
/// A package that brings backends exports one function, in one line:
///
///     @_cdecl("quire_store_plugin")
///     public func plugin(_ abi: UInt32) -> StorePlugin.Table { StorePlugin.table("Ledger", "1.0", [LedgerBackend()]) }
///
/// The name, the version, the types and their capabilities are also in `plugin.json`, and must be the same there.
public enum StorePlugin {
  /// The address of a plug-in's table, which the exported function returns.
  public typealias Table = UnsafeRawPointer

  private static let made = Mutex<[String: UInt]>([:])

  /// Returns the table of a plug-in with the given backends. Later calls with the same name and version return the same
  /// table.
  public static func table(
    _ name: String, _ version: String, _ backends: [any StoreBackend]
  ) -> Table {
    let key = "\(name) \(version)"
    let address = made.withLock { made in
      if let known = made[key] { return known }
      let address = unsafe UInt(bitPattern: make(name, version, backends))
      made[key] = address
      return address
    }
    return unsafe UnsafeRawPointer(bitPattern: address)!
  }

  @unsafe private static func make(
    _ name: String, _ version: String, _ backends: [any StoreBackend]
  ) -> UnsafePointer<QuirePlugin> {
    let types = UnsafeMutablePointer<UnsafePointer<QuireStoreType>?>.allocate(
      capacity: backends.count)
    for (index, backend) in backends.enumerated() {
      let type = UnsafeMutablePointer<QuireStoreType>.allocate(capacity: 1)
      unsafe type.initialize(
        to: QuireStoreType(
          struct_size: UInt32(MemoryLayout<QuireStoreType>.size),
          name: UnsafePointer(allocatedText(backend.type.rawValue)),
          capabilities: backend.capabilities.rawValue,
          flags: UInt32(QUIRE_THREADED | QUIRE_TAKES_CHANGES | QUIRE_TAKES_BLOCKS),
          context: Unmanaged.passRetained(ExportedBackend(backend)).toOpaque()))
      unsafe (types + index).initialize(to: UnsafePointer(type))
    }
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    unsafe table.initialize(to: .exported)
    unsafe table.pointee.name = unsafe UnsafePointer(allocatedText(name))
    unsafe table.pointee.version = unsafe UnsafePointer(allocatedText(version))
    unsafe table.pointee.type_count = UInt32(backends.count)
    unsafe table.pointee.types = UnsafePointer(types)
    return unsafe UnsafePointer(table)
  }
}

/// A backend that the host uses through a type of the table.
final class ExportedBackend: Sendable {
  let backend: any StoreBackend

  init(_ backend: any StoreBackend) { self.backend = backend }

  @unsafe static func of(_ type: UnsafePointer<QuireStoreType>?) throws -> any StoreBackend {
    guard let type = unsafe type, let context = unsafe type.pointee.context else {
      throw StoreError(.notSupported, "The plug-in does not implement this type of stores.")
    }
    return unsafe Unmanaged<ExportedBackend>.fromOpaque(context).takeUnretainedValue().backend
  }
}
