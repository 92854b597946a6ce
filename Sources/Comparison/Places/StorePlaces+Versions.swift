import Archives
package import Documents
import DurableFiles
package import ObjectModel
package import StoreInterface

extension StorePlaces {
  /// Returns whether there is a document at a path, as a folder or packed, and not a store.
  ///
  /// - Throws: `DiskError` if a file or a folder is there and can't be read.
  package func isDocument(_ path: String) throws -> Bool {
    let kind: FileKind?
    do { kind = try disk.statusIfThere(path)?.kind } catch  where error.code == .invalidPath {
      // The address of a store on a server may be longer than a name.
      return false
    }
    if kind == .directory { return try backends.backend(ofStoreFolderAt: path, on: disk) == nil }
    return try Archive.isPackedDocument(at: path, on: disk)
  }

  /// Opens a document at a version. To write to it, waits for up to five seconds while another process has the document
  /// open. If programs share the document, it is shared with this program too.
  ///
  /// - Parameter version: The version, for reading only, or a whole head; `nil` for the current head.
  /// - Throws: `DocumentError`; `StoreError` if a store of the document can't be opened.
  package func openDocument(
    _ path: String, access: Document.Access, version: VersionReference? = nil,
    acceptsDamage: Bool = false
  ) throws -> Document {
    do { return try open(path, access, version, acceptsDamage) } catch let error as DocumentError
      where error.code == .noHead
    {
      let named = try version?.naming(versionOf: path, in: self, acceptsDamage: acceptsDamage)
      guard let named else { throw error }
      guard access == .readOnly else {
        throw DocumentError(
          .readOnly,
          "\"\(version!)\" is the name of version \(named), and an earlier version can't be changed.",
          path: path)
      }
      return try open(path, access, named, acceptsDamage)
    }
  }

  private func open(
    _ path: String, _ access: Document.Access, _ version: VersionReference?, _ acceptsDamage: Bool
  ) throws -> Document {
    let head = version?.head
    let found =
      head != nil
      ? nil : try version?.find(inDocumentAt: path, in: self, acceptsDamage: acceptsDamage)
    func opened(_ access: Document.Access, _ whenHeld: Document.WhenHeld) throws -> Document {
      try Document.open(
        path, in: self, access: access, whenHeld: whenHeld, head: found?.head ?? head,
        version: found?.number, acceptsDamage: acceptsDamage)
    }
    do { return try opened(access, .fail) } catch let error as DocumentError
      where error.code == .locked && access != .readOnly
    {
      return try opened(.shared, .wait(.seconds(5)))
    }
  }

  /// Opens a store that is not part of a document, at a version.
  ///
  /// - Parameter model: The model of a store that does not contain its own.
  /// - Throws: `StoreError`; ``ComparisonError`` for a version that the store does not contain.
  package func openStore(
    _ path: String, version: VersionReference? = nil, model: Model? = nil, readOnly: Bool = true
  ) throws -> any Store {
    let store: any Store
    do { store = try open(path, StoreOpening(readOnly: readOnly)) } catch let error as StoreError
      where error.code == .incompatibleModel && model != nil
    {
      store = try open(path, StoreOpening(readOnly: readOnly, model: model))
    }
    guard let version else { return store }
    do { return try StorePlaces.version(version, of: store, path) } catch {
      try? store.close()
      throw error
    }
  }

  private static func version(
    _ version: VersionReference, of store: any Store, _ path: String
  ) throws -> any Store {
    if case .head = version.start {
      throw ComparisonError(
        .badPlace,
        "'\(version)' names a version by a head, but '\(path)' is a store, and only documents have heads.",
        path: path, hint: "Give the number of a version.")
    }
    guard store.features.history != nil else {
      throw ComparisonError(.badPlace, "'\(path)' keeps no versions.", path: path)
    }
    guard let summary = try version.commit(of: store) else {
      throw ComparisonError(
        .badPlace, "'\(path)' does not contain version \(version).", path: path)
    }
    return StoreAtVersion(store, try store.snapshot(ofCommit: summary.number), summary)
  }
}
