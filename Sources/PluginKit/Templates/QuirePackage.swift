import DurableFiles
import Foundation

/// The package of Quire, on which a plug-in in Swift depends.
package enum QuirePackage {
  /// Returns the dependency on the package at a path or a URL, as the manifest of a Swift package spells it.
  ///
  /// - Throws: ``PluginKitError`` if the folder at the path contains no package.
  package static func dependency(onPackageAt place: String) throws(PluginKitError) -> String {
    if place.contains("://") || place.hasPrefix("git@") {
      return ".package(url: \(literal(place)), branch: \"main\")"
    }
    let path = URL(filePath: place).standardizedFileURL.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path + "/Package.swift") else {
      throw PluginKitError(.inputOutput, "'\(place)' contains no package.")
    }
    return local(path)
  }

  /// Returns the dependency on the package that contains a program; `nil` if the program is no longer in the folder where it
  /// was built.
  package static func dependency(onPackageOf executable: String?) -> String? {
    guard let executable else { return nil }
    var folder = URL(filePath: executable).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let manifest = folder.appending(path: "Package.swift")
      let marker = folder.appending(path: "Sources/CStorePlugin/include/quire_store_plugin.h")
      if [manifest, marker].allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) {
        return local(folder.path(percentEncoded: false).trimmingSlashes)
      }
    }
    return nil
  }

  private static func local(_ path: String) -> String {
    ".package(name: \"quire\", path: \(literal(path)))"
  }

  /// Returns the text as a Swift string literal.
  private static func literal(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
