import Documents
import DurableFiles
import StoreInterface

/// A remote that is read: a folder of packs, or another document.
final class OpenRemote {
  let folder: FolderRemote?
  let source: DocumentSource?
  private let document: Document?

  /// Opens the remote of a document.
  ///
  /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/noVersions`` if nothing is there, or
  ///   ``ExchangeError/Code/unrelated`` for a document with other stores; the errors of reading.
  init(_ exchange: Exchange) throws {
    let (path, places) = (exchange.path, exchange.document.places.outside)
    guard try places.disk.statusIfThere(path)?.kind == .directory else {
      throw ExchangeError(
        .noVersions, "The folder of the remote '\(exchange.name)' is not there: \(path)",
        path: exchange.document.path, hint: "Mount it, or change its path with 'quire remote'.")
    }
    guard try OpenRemote.isDocument(path, on: places.disk) else {
      folder = try FolderRemote(
        path, stores: exchange.document.storeIdentifiers, signing: exchange.signing,
        on: places.disk)
      (source, document) = (nil, nil)
      return
    }
    let other = try Document.open(
      path, in: places, access: .readOnly, head: exchange.document.head)
    document = other
    guard other.storeIdentifiers == exchange.document.storeIdentifiers else {
      throw ExchangeError(
        .unrelated,
        "The remote '\(exchange.name)' is another document, which has other stores: \(path)",
        path: exchange.document.path, hint: "Make a copy to exchange with by 'quire clone'.")
    }
    let known =
      try exchange.common?.theirs
      ?? exchange.document.remotes.remotes.first { $0.name == exchange.name }?.theirs
    source = try DocumentSource(other, since: known, remote: exchange.name)
    folder = nil
  }

  /// Whether there is a document at a path, and no folder of packs.
  static func isDocument(_ path: String, on disk: any Disk) throws -> Bool {
    try disk.exists(path.appendingPathComponent(Manifest.fileName))
  }

  /// The packs, or the document.
  var sources: [any ChangeSource] { source.map { [$0.source] } ?? folder?.packs ?? [] }

  deinit { try? document?.close() }
}
