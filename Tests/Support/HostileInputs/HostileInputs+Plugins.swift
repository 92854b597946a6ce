import PluginHost
import StoreInterface

extension HostileInputs {
  /// Any bytes are a plug-in's manifest or a refusal that names the file. What is a manifest names a library in its
  /// own folder, and knows files by what lies in their first bytes.
  public static func pluginManifest(_ bytes: [UInt8]) {
    let manifest: PluginManifest
    do {
      manifest = try PluginManifest(bytes, path: "/p/plugin.json", folderName: "p")
    } catch {
      precondition(error.message.contains("/p/plugin.json"), "It says no file: \(error)")
      precondition([.badManifest, .wrongVersion].contains(error.reason), "\(error.reason)")
      return
    }
    precondition(!manifest.library.contains("/") && !manifest.library.hasPrefix("."))
    precondition(!manifest.types.isEmpty)
    precondition(Set(manifest.types.map(\.type)).count == manifest.types.count)
    for type in manifest.types {
      precondition(type.marker.map { !$0.contains("/") && $0 != ".." } ?? true)
      for one in type.begins {
        precondition(!one.bytes.isEmpty)
        precondition(one.offset + one.bytes.count <= StoreBackends.firstByteCount)
        let file = [UInt8](repeating: 0, count: one.offset) + one.bytes + (one.contains ?? [])
        precondition(type.recognizes(file) || file.count > StoreBackends.firstByteCount)
      }
      _ = type.recognizes(bytes)
    }
  }
}
