public import Documents
import DurableFiles
import Foundation

extension Document {
  /// The remotes of the document, by their names, in the order in which they were added.
  ///
  /// - Throws: `DocumentError` if the file with the remotes is damaged.
  public var remoteFolders: [(name: String, path: String)] {
    get throws { try remotes.remotes.map { ($0.name, $0.path) } }
  }

  /// Adds a remote.
  ///
  /// - Parameters:
  ///   - name: A name like that of a head.
  ///   - path: The path of a folder, which may be empty. A relative path begins at the document.
  ///   - signing: The key that signs packs, and the signers that are trusted; `nil` to send packs without a signature, and to trust
  ///     every writer into the folder.
  /// - Throws: ``DocumentExchange/ExchangeError`` with code `exists`, or with code `notSupported` for a bad name; `DocumentError`.
  public func addRemote(
    named name: String, at path: String, signing: Exchange.Signing? = nil
  ) throws {
    if name.utf8.count > 32 || name != HeadName.main && HeadName.objection(to: name) != nil {
      throw ExchangeError(
        .notSupported,
        "\"\(name.prefix(100))\" can't be the name of a remote: it needs 1 to 32 letters, digits, '-' and '_', and begins with a letter.",
        path: self.path)
    }
    try changeRemotes { remotes in
      guard !remotes.remotes.contains(where: { $0.name == name }) else {
        throw ExchangeError(
          .exists, "The document has a remote '\(name)' already.", path: self.path,
          hint: "Remove it first, or choose another name.")
      }
      var remote = Remotes.Remote(name: name, path: path)
      remote.signing = signing.map { ($0.key, $0.signers) }
      remotes.remotes.append(remote)
    }
  }

  /// Removes a remote. Its folder stays as it is.
  ///
  /// - Throws: ``DocumentExchange/ExchangeError`` with code `noRemote`; `DocumentError`.
  public func removeRemote(named name: String) throws {
    try changeRemotes { remotes in
      guard remotes.remotes.contains(where: { $0.name == name }) else {
        throw ExchangeError(.noRemote, "The document has no remote '\(name)'.", path: self.path)
      }
      remotes.remotes.removeAll { $0.name == name }
      // Heads that show foreign versions stay, and must not be merged without the packs.
      remotes.known.removeAll { $0.remote == name && !$0.isShown }
    }
  }
}
