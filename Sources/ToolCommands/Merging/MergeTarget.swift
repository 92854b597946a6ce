import Archives
import Documents
import DurableFiles
import Foundation
import Rows
import StoreInterface

/// The copy that a merge changes: a new file or folder with the content of a source, or the source itself.
struct MergeTarget {
  private let source: MergeSource
  private let reader: StoreReader
  private let models: ModelReader
  private let invocation: Invocation

  init(
    _ source: MergeSource, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) {
    self.source = source
    self.reader = reader
    self.models = models
    self.invocation = invocation
  }

  /// The stores to change, and their document.
  typealias Opened = (stores: [(name: String, store: any Store)], document: Document?)

  private var disk: any Disk { reader.disk }
  private var path: String { source.place.path }
  private var isPacked: Bool {
    source.document != nil && (try? disk.status(of: path).kind) == .file
  }

  // MARK: - A new file or folder

  /// Throws an error for an output whose name asks for another kind of result.
  func check(_ output: Output) throws {
    if source.document != nil {
      guard case .archive? = OutputEnding(output.path) else {
        if isPacked, OutputEnding(output.path) == nil { return }
        return try OutputEnding.checkDocument(output.path, from: source.name)
      }
      return
    }
    let wanted =
      try reader.backends.backend(ofAddress: output.path)?.type
      ?? OutputEnding.storeType(of: output.path, from: source.name)
    let type = source.stores[0].store.type
    // Both types have the same ending.
    guard let wanted, wanted != type, !(wanted == .binary && type == .compressed) else { return }
    throw CommandError.wrongUsage(
      "The name '\(oneLine(output.path))' is for a store of type \(wanted.rawValue), but "
        + "'\(oneLine(source.name))' has the type \(type.rawValue).",
      hint: "Give the result another name. 'quire convert' changes the type of a store.")
  }

  /// Makes the output: a copy of the source that `body` changes.
  func make(_ output: Output, _ body: (Opened) throws -> Void) throws {
    guard source.document != nil else {
      return try output.makeStore(source.stores[0].store.type, in: reader.places) { temporary in
        try copyStore(to: temporary)
        try changeStore(temporary, body)
      }
    }
    let packs =
      switch OutputEnding(output.path) {
      case .archive?: true
      case nil: isPacked
      default: false
      }
    try output.make { temporary in
      guard packs else {
        try copyDocument(to: temporary)
        return try changeDocument(temporary, body)
      }
      try pack(into: temporary, body)
    }
  }

  // MARK: - The source itself

  /// Changes the source itself.
  func change(_ body: (Opened) throws -> Void) throws {
    if let version = source.place.version {
      throw CommandError.wrongUsage(
        "'\(oneLine(source.name))' is version \(version), which can't be changed.",
        hint: "Give the result with --output.")
    }
    let outcome = invocation.console.outcome
    outcome.willChange("Nothing was saved.")
    guard source.document != nil else { return try changeStore(path, body) }
    guard isPacked else { return try changeDocument(path, body) }
    try disk.make(path, overwriting: true) { temporary in try pack(into: temporary, body) }
  }

  // MARK: - Documents

  /// Makes a packed document from a changed copy of the source.
  private func pack(into file: String, _ body: (Opened) throws -> Void) throws {
    let folder = file + ".quire"
    defer { try? disk.removeTree(folder) }
    try copyDocument(to: folder)
    try changeDocument(folder, body)
    try? disk.remove(folder.appendingPathComponent(".lock"))
    do {
      _ = try FolderPacking(folder, on: disk).run(into: file, overwriting: true) { _ in }
    } catch let error as ArchiveError {
      throw CommandError(.inputOutput, error.message)
    }
  }

  private func copyDocument(to folder: String) throws {
    if isPacked {
      _ = try Archive(path, on: disk).unpack(to: folder, on: disk)
    } else {
      let document = try reader.document(path, access: .readOnly)
      defer { try? document.close() }
      try document.copy(to: folder)
    }
  }

  private func changeDocument(_ folder: String, _ body: (Opened) throws -> Void) throws {
    let document = try reader.document(folder, access: .exclusive)
    defer { try? document.close() }
    if let version = source.place.version {
      let found = try version.find(inDocumentAt: folder, in: reader.places)
      guard found.head == document.head else {
        throw CommandError.wrongUsage(
          "'\(oneLine(source.name))' is a version of the head '\(found.head)', and the result would be a version of "
            + "'\(document.head)'.",
          hint:
            "Name a version of '\(document.head)' first. The other copy may be a version of a head."
        )
      }
      try document.revert(to: found.number)
    }
    let stores = document.stores.filter { store in
      source.stores.contains { $0.name == store.name }
    }
    try body((stores.map { ($0.name, $0) }, document))
  }

  // MARK: - Stores

  private func copyStore(to path: String) throws {
    let store = source.stores[0].store
    let places = reader.places
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
    let store = try DiffSides.open(path, reader, models, invocation, readOnly: false)
    if source.place.version != nil {
      let (wanted, newest) = (try source.stores[0].store.snapshot(), try store.snapshot())
      guard wanted.schema == newest.schema else {
        throw CommandError(
          .modelMismatch, "'\(oneLine(source.name))' has an earlier version of the model.",
          hint: "Give a version with the present model.")
      }
      let layer = try wanted.changes(since: newest)
      if !layer.isEmpty { _ = try store.commit(CommitRequest(layer, basedOn: newest)) }
    }
    try body(([("", store)], nil))
    try store.close()
  }
}
