package import CStorePlugin
package import StoreInterface

/// A plug-in whose library is part of the process, and whose table was held against its manifest (spec §9.5).
///
/// It stays loaded until the process ends: what runs in a library may be on any thread at any time, and a library
/// of Swift code can't be taken out at all.
@safe public final class LoadedPlugin: Sendable {
  /// What the plug-in says of itself.
  public let manifest: PluginManifest
  /// The library's file.
  public let path: String
  /// The plug-in's table, in the size that this program knows: what the plug-in's own does not have is NULL.
  ///
  /// Written once, before anybody else has it, and never freed.
  package nonisolated(unsafe) let table: UnsafePointer<QuirePlugin>
  /// The plug-in's own description of each type, which its functions are handed.
  ///
  /// They lie in the library, which stays.
  private nonisolated(unsafe) let types: [StoreType: UnsafePointer<QuireStoreType>]
  /// How each type is called.
  private let flags: [StoreType: UInt32]

  init(
    _ manifest: PluginManifest, path: String, _ table: QuirePlugin, _ types: [TableType]
  ) {
    self.manifest = manifest
    self.path = path
    flags = Dictionary(uniqueKeysWithValues: types.map { ($0.type, $0.flags) })
    // SAFETY: The memory is never freed, and not written to again; what the types' addresses lead to was read
    // there.
    unsafe self.types = Dictionary(
      uniqueKeysWithValues: types.map {
        unsafe ($0.type, UnsafePointer<QuireStoreType>(bitPattern: $0.address)!)
      })
    let memory = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    unsafe memory.initialize(to: table)
    unsafe self.table = UnsafePointer(memory)
  }

  /// How a type is called: QUIRE_THREADED and others.
  package func flags(of type: StoreType) -> UInt32 { flags[type] ?? 0 }

  /// The plug-in's own description of a type, which its functions are handed.
  ///
  /// - Precondition: The type is one of the manifest's.
  package func description(of type: StoreType) -> UnsafePointer<QuireStoreType> {
    // SAFETY: It was read when the plug-in was loaded, and lies in the library.
    guard let description = unsafe types[type] else {
      preconditionFailure("The plug-in '\(manifest.name)' brings no type '\(type.rawValue)'.")
    }
    return unsafe description
  }
}
