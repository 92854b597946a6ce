import Documents
import DurableFiles
import Foundation
import Migration
public import StoreInterface

extension Exchange {
  /// Makes a document from the packs of a remote, or a copy of a document that is the remote, with the remote `origin`.
  ///
  ///     let report = try Exchange.clone("/mnt/stick/trips", to: "Trips.quire", in: .builtIn)
  ///
  /// - Parameters:
  ///   - folder: The folder of the remote, or a document.
  ///   - path: The path of the document, at which nothing may be yet.
  ///   - places: The backends that open stores, and the disk.
  ///   - signing: As for `addRemote(named:at:signing:)`.
  /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/noVersions`` if the folder contains no whole document, or documents of
  ///   several; `DocumentError`; `DiskError`. No document is left then.
  @discardableResult
  public static func clone(
    _ folder: String, to path: String, in places: StorePlaces, signing: Exchange.Signing? = nil
  ) throws -> ExchangeReport {
    let disk = places.disk
    if try OpenRemote.isDocument(folder, on: disk) {
      return try migrated(clone(documentAt: folder, to: path, in: places), path, places)
    }
    let remote = try FolderRemote(folder, stores: nil, signing: signing, on: disk)
    let graph = SharedGraph(remote.packs, at: folder)
    let whole = remote.packs.filter { $0.document != nil }
    guard Set(whole.map(\.stores)).count <= 1 else {
      throw ExchangeError(
        .noVersions, "The folder contains packs of several documents.", path: folder,
        hint: "Give each document a folder of its own.")
    }
    // The newest whole document needs the fewest changes.
    let sorted = whole.sorted { one, other in
      (graph.ancestors([one.document!.identity]).count, one.path)
        > (graph.ancestors([other.document!.identity]).count, other.path)
    }
    for pack in sorted {
      do {
        return try migrated(clone(pack, remote, to: path, in: places), path, places)
      } catch let fault as PackFault { graph.leaveOut(pack, fault) }
    }
    let reasons = (remote.skipped + graph.skipped).map { "\($0.name) \($0.reason)" }
    throw ExchangeError(
      .noVersions,
      "The folder contains no whole document." + reasons.map { " \($0)" }.joined(), path: folder,
      hint: "Push a document to it first, or wait until all files have arrived.")
  }

  /// Migrates a new document to the newer models of its remote. The migrations may drop values, which the remote keeps.
  private static func migrated(
    _ report: ExchangeReport, _ path: String, _ places: StorePlaces
  ) throws -> ExchangeReport {
    var (report, migrator) = (report, Migrator.automatic)
    (migrator.allowsLoss, migrator.allowsInvalid) = (true, true)
    while !report.newerModel.isEmpty,
      let step = try Exchange.migrate(path, by: migrator, in: places)
    {
      report.takeAfterMigration(step)
      let document = try Document.open(path, in: places, access: .shared)
      defer { try? document.close() }
      report.takeAfterMigration(try Exchange(document).pull())
    }
    return report
  }

  /// Copies a document that becomes the remote of its copy.
  private static func clone(
    documentAt source: String, to path: String, in places: StorePlaces
  ) throws -> ExchangeReport {
    let document = try Document.open(source, in: places, access: .readOnly)
    defer { try? document.close() }
    try document.copy(to: path)
    let copy = try Document.open(path, in: places, access: .shared)
    defer { try? copy.close() }
    try copy.addRemote(named: "origin", at: source)
    return try Exchange(copy).pull()
  }

  private static func clone(
    _ pack: Pack, _ remote: FolderRemote, to path: String, in places: StorePlaces
  ) throws -> ExchangeReport {
    let disk = places.disk
    let version = pack.document!
    try places.refuseExisting(path)
    let temporary = disk.temporaryPath(for: path)
    defer { try? disk.removeTree(temporary) }
    try pack.unpack(to: temporary, on: disk)
    let inner = temporary.appendingPathComponent(PackFormat.documentFolder)
    let source = try Document.open(inner, in: places, access: .readOnly, head: version.head)
    try source.copy(to: path)
    try source.close()
    do {
      let document = try Document.open(path, in: places, access: .shared, head: version.head)
      defer { try? document.close() }
      let content = try document.content(ofVersion: document.manifest.number)
      defer { content.close() }
      let known = try Remotes.Known(remote: "origin", head: version.head, of: content)
      guard known.identity == version.identity else {
        throw PackFault("contains another version than it says.")
      }
      try document.addRemote(named: "origin", at: remote.path, signing: remote.signing)
      try document.changeRemotes { $0.record(known) }
      return try Exchange(document, with: "origin").pull()
    } catch {
      try? disk.removeTree(path)
      throw error
    }
  }
}
