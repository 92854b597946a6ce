package import DurableFiles
import PluginHost

extension PluginTemplate {
  /// Returns whether a plug-in in a language may have the name.
  package static func isName(_ name: String, in language: Language) -> Bool {
    PluginManifest.isName(name) && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.first != UInt8(ascii: "-")
      && (!language.usesNameInSource || isModuleName(name))
  }

  /// Returns whether a name can be the name of a module, and of a type in the source.
  private static func isModuleName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Z][A-Za-z0-9_]*/) != nil
  }
}

extension PluginTemplate.File {
  /// Writes the file into the folder of the plug-in. Makes the missing folders.
  package func write(into folder: String, on disk: any Disk) throws {
    let place = folder.appendingPathComponent(path)
    try disk.makeDirectories(for: place)
    try disk.replace(place) { writer in try writer.write(bytes) }
  }
}
