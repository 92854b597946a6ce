import Foundation
package import PluginHost

extension FoundPlugin {
  /// Returns the plug-in in a folder, by the path of the folder or of its manifest.
  ///
  /// - Parameter replacingBuiltIn: Whether the plug-in may implement a type of stores that is built in.
  /// - Throws: ``PluginKitError`` if the folder contains no plug-in, or one that the host refuses.
  package static func inFolder(
    _ path: String, replacingBuiltIn: Bool = false
  ) throws(PluginKitError) -> FoundPlugin {
    var url = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
    if url.lastPathComponent == PluginManifest.fileName { url.deleteLastPathComponent() }
    let parent = url.deletingLastPathComponent().path(percentEncoded: false)
    let name = url.lastPathComponent
    let beside = PluginRegistry.search(
      PluginFolders([parent]), replacingBuiltIn: replacingBuiltIn, only: name)
    let inFolder = { (path: String) in URL(filePath: path).lastPathComponent == name }
    if let found = beside.plugins.first(where: { inFolder($0.path) }) { return found }
    let why =
      beside.refusals.first { inFolder($0.path) || $0.path.contains("/\(name)/") }
      ?? beside.refusals.first { $0.plugin == nil }
    if let objection = why?.objection {
      throw PluginKitError(.refused, "The plug-in in '\(path)' can't be used: \(objection).")
    }
    throw PluginKitError(.refused, why?.message ?? "'\(path)' contains no plug-in.")
  }
}
