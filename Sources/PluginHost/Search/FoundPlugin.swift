import Checksums
public import DurableFiles
public import StoreInterface

/// A plug-in that was found and may be used. Nothing of its library has been read.
public struct FoundPlugin: Sendable {
  /// What it says of itself.
  public let manifest: PluginManifest
  /// The types of stores that it is used for: those of the manifest without those that somebody else brings.
  public internal(set) var types: [PluginManifest.StoreType]
  /// Its folder, reached over no link.
  public let path: String
  /// The folder that was searched.
  public let folder: PluginFolder
  /// The disk that it lies on.
  public let disk: any Disk
  let trust: PluginTrust

  /// Its manifest's file.
  public var manifestPath: String { path.appendingPathComponent(PluginManifest.fileName) }
  /// Its library's file.
  public var libraryPath: String { path.appendingPathComponent(manifest.library) }

  /// The SHA-256 of the library, as hexadecimal digits. Reads all of it.
  ///
  /// - Throws: ``StoreError`` with what the disk says.
  public func digest() throws(StoreError) -> String {
    do {
      let file = try disk.open(libraryPath, for: .read, links: .refused)
      var hash = SHA256()
      var offset = 0
      while true {
        let rest = try file.byteCount() - offset
        guard rest > 0 else { return "\(hash.digest())" }
        let bytes = try file.read(byteCount: min(rest, 1 << 20), at: offset)
        hash.update(bytes)
        offset += bytes.count
      }
    } catch { throw StoreError(error, path: libraryPath) }
  }

  /// What has become of it in this process so far.
  public var state: State { PluginLoader.state(of: self) }

  /// What has become of a plug-in in this process.
  public enum State: Sendable, Hashable {
    /// Nobody has asked for it yet.
    case available
    /// Its library is part of the process.
    case loaded
    /// It was to be loaded, and is not used.
    case refused(PluginRefusal)
  }
}
