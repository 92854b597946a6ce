import CommandInterface
import DurableFiles
import JSONText
import PluginHost
import PluginKit

/// `quire plugin install`: puts the plug-in in a packed file into the user's folder of plug-ins.
///
/// Nothing of the plug-in runs. The command shows the contents of the package and asks before it installs them.
struct PluginInstallation {
  static let digest = Option(
    "sha256", value: "DIGEST",
    "For 'install': refuses a file with another SHA-256, which 'pack' prints.")
  static let signers = Option(
    "signers", value: "FILE", role: .input,
    "For 'install': installs only a file with a signature of a signer in this file, which has "
      + "OpenSSH's form 'allowed signers'.")
  static let yes = Option("yes", "For 'install': installs without a question.")
  static let options = [digest, signers, yes, PluginPackage.force]

  /// The path of the packed file.
  let package: String
  let finder: PluginFinder
  let invocation: Invocation

  /// Checks the package, asks and installs.
  ///
  /// - Returns: ``ExitCode/no`` if the user does not agree.
  func run() throws -> ExitCode {
    let console = invocation.console
    guard let place = finder.folders.folders.first(where: { $0.kind == .user })?.path else {
      throw CommandError(
        .plugin,
        "There is no folder for your plug-ins, because plug-ins are disabled or HOME is not set.",
        hint: "Unpack '\(oneLine(package))' into a folder that QUIRE_PLUGIN_PATH names.")
    }
    guard console.input.isTerminal || invocation.has(Self.yes) else {
      throw CommandError.wrongUsage(
        "'quire plugin install' asks before it installs, so it needs a terminal or --yes.",
        hint: "'quire plugin pack' prints the SHA-256 of a package, and --sha256 checks it.")
    }
    let disk = RealDisk()
    let folder = try TemporaryFolder(named: "quire-plugin-install")
    defer { folder.remove() }
    let checked = try PackedPlugin(
      package, unpackingTo: folder.path.appendingPathComponent("plugin"),
      digest: invocation.value(of: Self.digest), signers: invocation.value(of: Self.signers),
      on: disk)
    let manifest = checked.plugin.manifest
    let target = try invocation.output(
      at: place.appendingPathComponent(manifest.name), on: disk)
    try target.checkFree()
    try PackedPlugin.checkTrust(of: place, on: disk)
    if invocation.has(Self.yes) {
      try PluginCommand.warn(about: manifest, invocation)
    } else {
      try console.alerts.write(table(checked).text())
      var answers = InputText(console.input)
      guard
        try answers.agrees(
          to: "A plug-in runs with all your rights. Install it in \(oneLine(place))? [y/N] ",
          console)
      else {
        try console.messages.writeLine("Nothing is installed.")
        return .no
      }
    }
    try PackedPlugin.makeFolders(for: target.path, on: disk)
    try target.make { temporary in try checked.copy(to: temporary, on: disk) }
    try note(shadowing: manifest.name, at: target.path)
    switch invocation.format {
    case .text:
      try console.output.writeLine(
        "\(manifest.name) \(manifest.version) is installed in \(oneLine(target.path)).")
    case .json:
      try console.output.writeLine(
        JSON.object([
          "plugin": .string(manifest.name), "version": .string(manifest.version),
          "path": .string(target.path), "sha256": .string(checked.digest),
          "signer": checked.signer.map(JSON.string),
          "types": .strings(manifest.types.map(\.name)),
        ]))
    }
    return .done
  }

  // MARK: - Messages

  private func table(_ checked: PackedPlugin) -> Table {
    let manifest = checked.plugin.manifest
    var table = Table()
    table.add("plug-in", "\(manifest.name) \(manifest.version)")
    if let text = manifest.description { table.add("description", text) }
    if let text = manifest.author { table.add("author", text) }
    table.add("stores", manifest.types.map(\.name).joined(separator: ", "))
    table.add("SHA-256", checked.digest)
    table.add("signed by", checked.signer ?? "nobody")
    for warning in manifest.warnings { table.add("warning", warning) }
    return table
  }

  /// Prints a note if another folder has a plug-in with the same name, which Quire uses instead.
  private func note(shadowing name: String, at path: String) throws {
    guard let used = PackedPlugin.plugin(shadowing: name, at: path, in: finder.folders) else {
      return
    }
    try invocation.console.messages.writeLine(
      "note: Quire uses the plug-in of the same name in \(oneLine(used.path)), because it searches this folder first."
    )
  }
}
