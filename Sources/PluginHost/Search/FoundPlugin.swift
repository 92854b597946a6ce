import Checksums
public import DurableFiles
public import StoreInterface

/// A plug-in that was found and may be used. No byte of its library has been read.
public struct FoundPlugin: Sendable {
  public let manifest: PluginManifest
  /// The types of stores that the plug-in is used for: the manifest's types, except the ones that are built in or that
  /// another plug-in brings.
  public internal(set) var types: [PluginManifest.StoreType]
  /// The path of its folder, without symbolic links.
  public let path: String
  /// The search folder that contains the plug-in.
  public let folder: PluginFolder
  /// The disk that the plug-in lies on.
  public let disk: any Disk
  let trust: PluginTrust

  /// The path of its manifest.
  public var manifestPath: String { path.appendingPathComponent(PluginManifest.fileName) }
  /// The path of its library.
  public var libraryPath: String { path.appendingPathComponent(manifest.library) }

  /// Returns the SHA-256 of the library, as hexadecimal digits. Reads the whole library.
  ///
  /// - Throws: `StoreError` with the error of the disk.
  public func digest() throws(StoreError) -> String {
    do { return try disk.open(libraryPath, for: .read, links: .refused).sha256() } catch {
      throw StoreError(error, path: libraryPath)
    }
  }

  /// The state of the plug-in in this process.
  public var state: State { PluginLoader.state(of: self) }

  /// The state of a plug-in in a process.
  public enum State: Sendable, Hashable {
    /// The plug-in has not been loaded yet.
    case available
    /// Its library is part of the process.
    case loaded
    /// The plug-in could not be loaded.
    case refused(PluginRefusal)
  }
}

extension DurableFile {
  /// Returns the SHA-256 of the file, as hexadecimal digits. Reads the whole file.
  package func sha256() throws(DiskError) -> String {
    var hash = SHA256()
    var offset = 0
    while true {
      let rest = try byteCount() - offset
      guard rest > 0 else { return "\(hash.digest())" }
      let bytes = try read(byteCount: min(rest, 1 << 20), at: offset)
      hash.update(bytes)
      offset += bytes.count
    }
  }
}
