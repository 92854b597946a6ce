import CommandInterface
import DurableFiles
import JSONText
import PluginHost
import PluginKit

/// `quire plugin pack`: packs the files of a built plug-in into one file, which `quire plugin install` installs.
struct PluginPackage {
  static let sign = Option(
    "sign", value: "KEY", role: .input,
    "For 'pack': signs the file with this private key of OpenSSH. The signature is written beside "
      + "the file, with .sig at the end of its name.")
  static let force = Option(
    Option.forceName, "Replaces an existing file or folder, or an installed plug-in.")
  static let options = [PluginScaffold.output, sign, force]

  let plugin: FoundPlugin
  let invocation: Invocation

  /// Packs the plug-in, and prints the checksum of the file.
  func write() throws {
    let disk = RealDisk()
    let packing = try PluginPacking(plugin, on: disk)
    let manifest = plugin.manifest
    let made =
      try invocation.output(PluginScaffold.output, on: disk)
      ?? invocation.output(
        at: "\(manifest.name)-\(manifest.version.replacing("/", with: "-")).zip", on: disk)
    try made.checkFree()
    let signature = PluginSignature(package: made.path)
    let key = invocation.value(of: Self.sign)
    // An old signature would not fit the new file.
    guard try made.overwrites || !disk.exists(signature.path) else {
      throw CommandError(
        .inputOutput, "'\(oneLine(signature.path))' is the signature of an earlier file.",
        hint: "Move it away, or give --force to replace both files.")
    }
    let files = try packing.files()
    let digest = try made.make { temporary in
      try packing.pack(files, into: temporary)
    }
    if try disk.exists(signature.path) { try disk.remove(signature.path) }
    if let key { try signature.sign(with: key) }
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      var table = Table()
      table.add("packed", "\(manifest.name) \(manifest.version)")
      table.add("file", made.path)
      table.add("SHA-256", digest)
      if key != nil { table.add("signature", signature.path) }
      for file in files { table.add("contains", file) }
      try output.write(table.text())
    case .json:
      try output.writeLine(
        JSON.object([
          "plugin": .string(manifest.name), "version": .string(manifest.version),
          "path": .string(made.path), "sha256": .string(digest),
          "signature": key == nil ? nil : .string(signature.path), "files": .strings(files),
        ]))
    }
  }
}
