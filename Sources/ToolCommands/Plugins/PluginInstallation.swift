import Archives
import CommandInterface
import DurableFiles
import Foundation
import JSONText
import PluginHost

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

  /// A package that was checked, with its plug-in in a temporary folder.
  private struct Checked {
    let plugin: FoundPlugin
    let digest: String
    /// The signer in words; `nil` if there is no signature.
    let signer: String?
  }

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
    let checked = try check(
      unpackingTo: folder.path.appendingPathComponent("plugin"), on: disk)
    let manifest = checked.plugin.manifest
    let target = try invocation.output(
      at: place.appendingPathComponent(manifest.name), on: disk)
    try target.checkFree()
    try checkTrust(of: place, on: disk)
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
    try Self.makeFolders(for: target.path, on: disk)
    try target.make { temporary in
      try disk.copyTree(checked.plugin.path, to: temporary)
      try Self.setModes(temporary, on: disk)
    }
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

  // MARK: - Checking

  private func check(unpackingTo folder: String, on disk: any Disk) throws -> Checked {
    let digest = try disk.open(package, for: .read).sha256()
    if let wanted = invocation.value(of: Self.digest), wanted.lowercased() != digest {
      throw CommandError(
        .plugin, "'\(oneLine(package))' has the SHA-256 \(digest), and not the given one.",
        hint: "Get the package again.")
    }
    let signature = PluginSignature(package: package)
    let signers = invocation.value(of: Self.signers)
    let isSigned = try disk.exists(signature.path)
    guard isSigned || signers == nil else {
      throw CommandError(
        .plugin,
        "'\(oneLine(package))' has no signature: there is no file "
          + "'\(oneLine(signature.path))'.", hint: "Get the signature, or leave out --signers.")
    }
    let signer = isSigned ? try signature.check(against: signers) : nil
    do {
      let archive = try Archive(package, on: disk)
      guard archive.entries.contains(where: { $0.path == PluginManifest.fileName }) else {
        throw CommandError(
          .plugin,
          "'\(oneLine(package))' is no packed plug-in: it does not contain "
            + "'\(PluginManifest.fileName)' at its top.",
          hint: "'quire plugin pack' packs a plug-in.")
      }
      try archive.unpack(to: folder, on: disk) { _ in }
    } catch let error as ArchiveError {
      throw CommandError(.plugin, error.message)
    }
    try Self.setModes(folder, on: disk)
    let plugin = try PluginCommand.found(at: folder, PluginFinder(PluginFolders([])))
    return Checked(plugin: plugin, digest: digest, signer: signer)
  }

  /// Gives files and folders the modes that the host asks for: only their owner may write.
  private static func setModes(_ folder: String, on disk: any Disk) throws {
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    for name in try files.subpathsOfDirectory(atPath: folder) {
      let path = folder.appendingPathComponent(name)
      let isFolder = try disk.status(of: path).kind == .directory
      try files.setAttributes(
        [.posixPermissions: isFolder ? 0o755 : 0o644], ofItemAtPath: path)
    }
  }

  /// Checks that the host would use a plug-in in the folder, or in the folder above it that exists.
  private func checkTrust(of place: String, on disk: any Disk) throws {
    var folder = place
    while try !disk.exists(folder), folder != "/" { folder = folder.parentPath }
    let found = PluginRegistry.search(PluginFolders([folder]), only: "")
    guard let refusal = found.refusals.first(where: { $0.plugin == nil }) else { return }
    throw CommandError(
      .plugin,
      "Nothing is installed, because Quire would not use a plug-in in '\(oneLine(place))': "
        + "\(oneLine(refusal.objection.map { $0 + "." } ?? refusal.message))")
  }

  /// Makes the missing folders above a path, with the modes that the host asks for.
  private static func makeFolders(for path: String, on disk: any Disk) throws {
    let parent = path.parentPath
    guard try !disk.exists(parent) else { return }
    try makeFolders(for: parent, on: disk)
    try disk.makeDirectories(for: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent)
  }

  // MARK: - Messages

  private func table(_ checked: Checked) -> Table {
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
    let registry = PluginRegistry.search(finder.folders)
    let installed = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    guard let used = registry[name],
      URL(filePath: used.path).resolvingSymlinksInPath().path(percentEncoded: false) != installed
    else { return }
    try invocation.console.messages.writeLine(
      "note: Quire uses the plug-in of the same name in \(oneLine(used.path)), because it searches this folder first."
    )
  }
}
