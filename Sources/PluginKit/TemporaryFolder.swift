import Foundation

/// A new temporary folder that only the user can read and write, so that the host trusts plug-ins in it.
package struct TemporaryFolder {
  package let path: String

  /// Makes the folder.
  ///
  /// - Parameter name: The beginning of its name.
  /// - Throws: ``PluginKitError`` if the folder can't be made.
  package init(named name: String) throws {
    path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "\(name)-\(UUID().uuidString)").path(percentEncoded: false)
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw PluginKitError(.inputOutput, "Can't create the folder '\(path)': \(error)")
    }
  }

  /// Removes the folder and everything in it.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a folder in the folder, and returns its path.
  package func makeFolder(_ name: String) throws -> String {
    let inner = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    return inner.path(percentEncoded: false)
  }
}
