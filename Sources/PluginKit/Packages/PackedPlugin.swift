import Archives
package import DurableFiles
import Foundation
package import PluginHost

/// A packed plug-in that was checked and unpacked into a folder. Nothing of the plug-in runs.
package struct PackedPlugin {
  /// The plug-in in the folder.
  package let plugin: FoundPlugin
  /// The SHA-256 of the packed file.
  package let digest: String
  /// The signer in words; `nil` for an unsigned package.
  package let signer: String?

  /// Checks a packed plug-in, and unpacks it.
  ///
  /// - Parameters:
  ///   - package: The packed file. Its signature, if there is one, is in a file beside it.
  ///   - folder: The new folder.
  ///   - wanted: The SHA-256 that the file must have; `nil` to accept any.
  ///   - signers: The file with the signers of whom one must have signed the file; `nil` to accept a file without a signature.
  /// - Throws: ``PluginKitError`` with code ``PluginKitError/Code/refused`` for another file.
  package init(
    _ package: String, unpackingTo folder: String, digest wanted: String?, signers: String?,
    on disk: any Disk
  ) throws {
    let digest = try disk.open(package, for: .read).sha256()
    if let wanted, wanted.lowercased() != digest {
      throw PluginKitError(
        .refused, "'\(package)' has the SHA-256 \(digest), and not the given one.",
        hint: "Get the package again.")
    }
    let signature = PluginSignature(package: package)
    let isSigned = try disk.exists(signature.path)
    guard isSigned || signers == nil else {
      throw PluginKitError(
        .refused,
        "'\(package)' has no signature: there is no file '\(signature.path)'.",
        hint: "Get the signature, or leave out --signers.")
    }
    signer = isSigned ? try signature.check(against: signers) : nil
    do {
      let archive = try Archive(package, on: disk)
      guard archive.entries.contains(where: { $0.path == PluginManifest.fileName }) else {
        throw PluginKitError(
          .refused,
          "'\(package)' is not a packed plug-in: it does not contain "
            + "'\(PluginManifest.fileName)' at its top.",
          hint: "'quire plugin pack' packs a plug-in.")
      }
      try archive.unpack(to: folder, on: disk) { _ in }
    } catch let error as ArchiveError {
      throw PluginKitError(.refused, error.message)
    }
    try Self.setModes(folder, on: disk)
    plugin = try FoundPlugin.inFolder(folder)
    self.digest = digest
  }

  // MARK: - Installing

  /// Copies the plug-in to a new folder.
  package func copy(to path: String, on disk: any Disk) throws {
    try disk.copyTree(plugin.path, to: path)
    try Self.setModes(path, on: disk)
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
  package static func checkTrust(of place: String, on disk: any Disk) throws {
    var folder = place
    while try !disk.exists(folder), folder != "/" { folder = folder.parentPath }
    let found = PluginRegistry.search(PluginFolders([folder]), only: "")
    guard let refusal = found.refusals.first(where: { $0.plugin == nil }) else { return }
    throw PluginKitError(
      .refused,
      "Nothing is installed, because Quire would not use a plug-in in '\(place)': "
        + "\(refusal.objection.map { $0 + "." } ?? refusal.message)")
  }

  /// Makes the missing folders above a path, with the modes that the host asks for.
  package static func makeFolders(for path: String, on disk: any Disk) throws {
    let parent = path.parentPath
    guard try !disk.exists(parent) else { return }
    try makeFolders(for: parent, on: disk)
    try disk.makeDirectories(for: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent)
  }

  /// Returns the plug-in with a name in another folder, if the host uses it in place of the one at a path.
  package static func plugin(
    shadowing name: String, at path: String, in folders: PluginFolders
  ) -> FoundPlugin? {
    let registry = PluginRegistry.search(folders)
    let installed = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    guard let used = registry[name],
      URL(filePath: used.path).resolvingSymlinksInPath().path(percentEncoded: false) != installed
    else { return nil }
    return used
  }
}
