package import CStorePlugin
package import StoreInterface

/// A plug-in with a library that is part of the process and a table that was checked against its manifest (spec §9.5).
///
/// The plug-in stays loaded until the process ends: code of a library may run on any thread at any time, and a library
/// of Swift code can't be unloaded at all.
@safe public final class LoadedPlugin: Sendable {
  public let manifest: PluginManifest
  /// The path of the library's file.
  public let path: String
  /// A copy of the plug-in's table, as far as this program knows its members.
  ///
  /// The table is written once, before any other code can read it, and is never freed.
  package nonisolated(unsafe) let table: UnsafePointer<QuirePlugin>
  /// The start and the end of the plug-in.
  package let life: PluginLife
  /// The plug-in's own description of each type, which is passed to its functions.
  ///
  /// The descriptions lie in the library, which stays loaded.
  private nonisolated(unsafe) let types: [StoreType: UnsafePointer<QuireStoreType>]
  /// The flags of each type, which determine how its functions may be called.
  private let flags: [StoreType: UInt32]

  init(
    _ manifest: PluginManifest, path: String, _ table: QuirePlugin, _ types: [TableType]
  ) {
    self.manifest = manifest
    self.path = path
    flags = Dictionary(uniqueKeysWithValues: types.map { ($0.type, $0.flags) })
    // SAFETY: The memory is never freed and never written to again. The structures at the addresses of the types were
    // read when the table was checked.
    unsafe self.types = Dictionary(
      uniqueKeysWithValues: types.map {
        unsafe ($0.type, UnsafePointer<QuireStoreType>(bitPattern: $0.address)!)
      })
    let memory = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    unsafe memory.initialize(to: table)
    unsafe self.table = UnsafePointer(memory)
    unsafe life = PluginLife(memory)
  }

  /// Returns the flags that determine how the functions of a type may be called, such as QUIRE_THREADED.
  package func flags(of type: StoreType) -> UInt32 { flags[type] ?? 0 }

  /// Returns the plug-in's own description of a type, which is passed to its functions.
  ///
  /// - Precondition: The type is one of the manifest's.
  package func description(of type: StoreType) -> UnsafePointer<QuireStoreType> {
    // SAFETY: The description was read when the plug-in was loaded, and lies in the library.
    guard let description = unsafe types[type] else {
      preconditionFailure(
        "The plug-in '\(manifest.name)' does not implement the type '\(type.rawValue)'.")
    }
    return unsafe description
  }
}
