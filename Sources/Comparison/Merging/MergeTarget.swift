import Archives
package import Documents
import DurableFiles
import Foundation
import Rows
package import StoreInterface

/// The copy that a merge changes: a new file or folder with the content of a source, or the source itself.
package struct MergeTarget {
  private let source: ComparedPlace
  private let opening: PlaceOpening

  /// The document that receives the changes, if the caller has it open.
  private let receiver: Document?

  package init(_ source: ComparedPlace, _ opening: PlaceOpening, receiver: Document? = nil) {
    self.source = source
    self.opening = opening
    self.receiver = receiver
  }

  /// The stores to change, and their document.
  package typealias Opened = (stores: [(name: String, store: any Store)], document: Document?)

  private var places: StorePlaces { opening.places }
  private var disk: any Disk { opening.places.disk }
  private var path: String { source.place.path }

  /// Whether the source is a packed document.
  package var isPacked: Bool {
    source.document != nil && (try? disk.status(of: path).kind) == .file
  }

  // MARK: - A new file or folder

  /// Makes a copy of a store that `body` changes.
  package func makeStore(at path: String, _ body: (Opened) throws -> Void) throws {
    try copyStore(to: path)
    try changeStore(path, body)
  }

  /// Makes a copy of a document that `body` changes.
  ///
  /// - Parameter packs: Whether the copy is a packed document.
  package func makeDocument(
    at path: String, packs: Bool, _ body: (Opened) throws -> Void
  ) throws {
    // The copy shows the head that it was made from.
    func changed(_ opened: Opened) throws {
      if let head = source.place.head { try opened.document?.heads.makeCurrent(head) }
      try body(opened)
    }
    if packs { return try pack(into: path, changed) }
    try copyDocument(to: path)
    try changeDocument(path, changed)
  }

  /// Makes a copy at a path at which nothing is yet.
  ///
  /// The copy is complete, or there is none.
  func make(at path: String, _ body: (Opened) throws -> Void) throws {
    try places.refuseExisting(path)
    if places.isAddress(path) { return try makeStore(at: path, body) }
    try disk.make(path, overwriting: false) { temporary in
      guard source.document != nil else { return try makeStore(at: temporary, body) }
      try makeDocument(at: temporary, packs: path.lowercased().hasSuffix(".zip"), body)
    }
  }

  // MARK: - The source itself

  /// Throws an error if the source is a version, which can't be changed.
  package func checkChangeable() throws {
    guard let version = source.place.version, source.place.head == nil else { return }
    throw ComparisonError(
      .badPlace, "'\(source.name)' is version \(version), which can't be changed.", path: path,
      hint: "Write the result to another path.", .unchangeable)
  }

  /// Changes the source itself.
  package func change(_ body: (Opened) throws -> Void) throws {
    try checkChangeable()
    if let receiver { return try body((stores(of: receiver), receiver)) }
    guard source.document != nil else { return try changeStore(path, body) }
    guard isPacked, !(disk is UnpackingDisk) else { return try changeDocument(path, body) }
    let unpacking = UnpackingDisk(disk)
    defer { unpacking.abandon() }
    let opening = PlaceOpening(StorePlaces(places.backends, on: unpacking), model: nil)
    try MergeTarget(source, opening).changeDocument(path, body)
    try unpacking.finish()
  }

  // MARK: - Documents

  /// Makes a packed document from a changed copy of the source.
  private func pack(into file: String, _ body: (Opened) throws -> Void) throws {
    let folder = file + ".quire"
    defer { try? disk.removeTree(folder) }
    try copyDocument(to: folder)
    try changeDocument(folder, body)
    try? disk.remove(folder.appendingPathComponent(".lock"))
    _ = try FolderPacking(folder, on: disk).run(into: file, overwriting: true) { _ in }
  }

  private func copyDocument(to folder: String) throws {
    if isPacked {
      _ = try Archive(path, on: disk).unpack(to: folder, on: disk)
    } else {
      let document = try opening.document(VersionedPath(path, nil), .readOnly)
      defer { try? document.close() }
      try document.copy(to: folder)
    }
  }

  private func changeDocument(_ folder: String, _ body: (Opened) throws -> Void) throws {
    let isHead = source.place.head != nil
    let document = try opening.document(
      VersionedPath(folder, isHead ? source.place.version : nil), .exclusive)
    defer { try? document.close() }
    if let version = source.place.version, !isHead {
      let found = try version.find(inDocumentAt: folder, in: places)
      guard found.head == document.head else {
        throw ComparisonError(
          .badPlace,
          "'\(source.name)' is a version of the head '\(found.head)', and the result would be a version of "
            + "'\(document.head)'.", path: path,
          hint:
            "Name a version of '\(document.head)' first. The other copy may be a version of a head."
        )
      }
      try document.revert(to: found.number)
    }
    try body((stores(of: document), document))
  }

  /// Returns the stores of the changed document that take part.
  private func stores(of document: Document) -> [(name: String, store: any Store)] {
    document.stores.filter { store in source.stores.contains { $0.name == store.name } }
      .map { ($0.name, $0) }
  }

  // MARK: - Stores

  private func copyStore(to path: String) throws {
    let store = source.stores[0].store
    if try !places.isDatabase(self.path), !places.isAddress(self.path) {
      return try places.copy(self.path, to: path)
    }
    // The log beside a database may contain a part of its content, and an address has no file, so the objects are
    // copied.
    let snapshot = try store.snapshot()
    let made = try places.backend(of: store.type).create(
      at: path, model: snapshot.model, on: disk,
      StoreCreation(
        uuid: snapshot.metadata.uuid ?? UUID(), overwriting: true, schema: snapshot.schema))
    _ = try StoreCopy(from: snapshot, to: made, nil, keepingKeys: true).run()
    try made.close()
  }

  private func changeStore(_ path: String, _ body: (Opened) throws -> Void) throws {
    let store = try opening.store(path, false)
    if source.place.version != nil {
      let (wanted, newest) = (try source.stores[0].store.snapshot(), try store.snapshot())
      guard wanted.schema == newest.schema else {
        throw ComparisonError(
          .differentModels, "'\(source.name)' has an earlier version of the model.", path: path,
          hint: "Give a version with the present model.")
      }
      let layer = try wanted.changes(since: newest)
      if !layer.isEmpty { _ = try store.commit(CommitRequest(layer, basedOn: newest)) }
    }
    try body(([("", store)], nil))
    try store.close()
  }
}
