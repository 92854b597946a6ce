package import DurableFiles
import StoreInterface

/// Stores of a document that lie on a server: the document's file contains the address (spec §7.2.5).
extension Container {
  /// The end of the names of files that contain the address of a store.
  static let addressEnding = ".address"
  /// The most bytes of such a file.
  static let addressByteLimit = 4096

  /// Whether a file of a store contains the address of the store.
  package static func isAddressFile(_ name: String) -> Bool { name.hasSuffix(addressEnding) }

  /// Returns the place of a store: the path of its file, or the address in the file.
  ///
  /// - Parameter name: The name of the file in the manifest.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/damaged`` if the file does not contain an address.
  func place(ofStore name: String, _ backend: any StoreBackend) throws -> String {
    guard Container.isAddressFile(name) else {
      try checkIsStore(name)
      return inner(name)
    }
    try checkIsFile(name)
    let address = try reading { try Container.address(in: inner(name), on: disk) }
    guard let address, backend.recognizesAddress(address) else {
      throw DocumentError(
        .damaged,
        "The file does not contain the address of a store of type \"\(backend.type.rawValue)\" on one line.",
        path: inner(name))
    }
    return address
  }

  /// Returns the address of a store that a file contains; `nil` if the file does not contain one line of text.
  package static func address(
    in path: String, on disk: any Disk
  ) throws(DiskError) -> String? {
    guard try disk.status(of: path).byteCount <= addressByteLimit else { return nil }
    let bytes = try disk.read(path, byteLimit: addressByteLimit, links: .refused)
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    return line.isEmpty || line.contains(where: \.isNewline) ? nil : line
  }

  /// Writes the file with the address of a store.
  func write(address: String, to name: String) throws {
    try disk.replace(inner(name), links: .refused) { writer in try writer.write(address + "\n") }
  }

  /// Throws if a file in a document's folder contains the address of a store, so that an archive of the folder would share
  /// the store.
  package static func refuseServers(ofDocumentAt path: String, on disk: any Disk) throws {
    let folder = "\(path)/\(storesFolder)"
    guard try disk.exists(folder) else { return }
    for entry in try disk.list(folder) where isAddressFile(entry.name) {
      throw DocumentError(
        .notSupported,
        "A store of the document lies on a server, so an archive would not contain it. "
          + "Make a document with stores of its own: 'quire save-as DOC COPY --store binary'.",
        path: "\(folder)/\(entry.name)")
    }
  }

  /// Throws if a store of a document lies on a server, so that a copy of the folder would share it.
  ///
  /// - Parameter operation: The refused operation, as the subject of a sentence.
  func refuseServers(_ manifest: Manifest, _ operation: String) throws {
    guard let store = manifest.stores.first(where: { Container.isAddressFile($0.file) }) else {
      return
    }
    throw DocumentError(
      .notSupported,
      "\(operation) would share the store \"\(store.name)\", which lies on a server, with this document. "
        + "Make a document with stores of its own: 'quire save-as DOC COPY --store binary'.",
      path: path)
  }

  /// Throws if a change that is to be kept for recovery belongs to a store on a server.
  func refuseRecovery(_ parts: [(store: DocumentStore, request: CommitRequest)]) throws {
    guard let part = parts.first(where: { $0.store.isOnServer && !$0.request.isEmpty }) else {
      return
    }
    throw DocumentError(
      .notSupported, "The store \"\(part.store.name)\" lies on a server, which keeps no recovery.",
      path: path)
  }
}

extension DocumentStore {
  /// Throws if a migration would make earlier versions unreadable: the tables of a server contain rows of one model.
  ///
  /// - Parameter path: The path of the document.
  func refuseLoss(of versions: [Manifest.VersionEntry], _ path: String) throws {
    guard isOnServer, versions.count > 1 else { return }
    throw DocumentError(
      .notSupported,
      "The store \"\(name)\" lies on a server. After a migration it can't show the \(versions.count - 1) "
        + "earlier versions any more. Forget them first: 'quire history DOC --thin newest'. Versions with names stay, "
        + "until '--name NUMBER=' removes the name.",
      path: path)
  }
}

/// The stores on servers that were made for a new document. They are removed if the document can't be made.
final class NewServerStores {
  private var made: [(backend: any StoreBackend, address: String)] = []

  /// Adds a store that was made, if it lies on a server.
  func add(_ description: DocumentStoreDescription, _ backend: any StoreBackend) {
    if let address = description.address { made.append((backend, address)) }
  }

  func destroy() {
    for (backend, address) in made { try? backend.destroyStore(atAddress: address) }
  }
}
