import Comparison
import Documents
import DurableFiles
public import ObjectModel
public import Quire
public import Recovery
public import StoreInterface

/// A recovery of the readable objects of a damaged document or store.
///
///     let report = try Rescue(of: "Damaged.quire").write(to: "Recovered.quire")
///     if !report.isComplete { print(report.notes) }
///
/// The damaged files are not changed. An object outside the damaged bytes has its last saved values. References to lost
/// objects are cleared, and objects that require a lost object are left out, so the result is valid if the damaged
/// document was. Check a document with `Validator` first: a rescue takes a new document, without earlier versions.
///
/// A rescue reads every byte, and keeps the objects of one store in memory.
public struct Rescue: Sendable {
  /// The model, for files without a readable model.
  public var model: Model?
  /// Whether objects without required values are kept. The result is not valid then.
  public var keepsInvalid = false
  private let path: String
  private let places: StorePlaces

  /// Creates a rescue of a document, of a head of a document (`Trips.quire@draft`), of a packed document, or of a block file or
  /// an XML file.
  public init(of path: String, in places: StorePlaces = .builtIn) {
    self.path = path
    self.places = places
  }

  /// The contents that a rescue has found.
  public struct Report: Sendable {
    /// The report on each store by its name; of a single store without a document, by its path.
    public let stores: [String: RecoveryReport]
    /// The names of attachments whose bytes are missing or damaged.
    public let lostAttachments: [String]
    /// Sentences about losses of a document as a whole.
    public let notes: [String]
    /// Whether nothing is lost or older than the last save.
    public let isComplete: Bool
  }

  /// Writes the recovered objects into a new document, or from a single store into a new store of its type.
  ///
  /// - Parameter output: A path at which nothing is yet.
  /// - Throws: `RecoveryError` or `DocumentError` if nothing can be recovered; `DiskError`; `StoreError`.
  @discardableResult
  public func write(to output: String) throws -> Report {
    let place = try VersionedPath(path, on: places.disk)
    guard try places.isDocument(place.path) else { return try writeStore(output) }
    var head = HeadName.main
    if let version = place.version {
      guard case .head(let name) = version.start, version.steps == 0 else {
        throw DocumentError(
          .notSupported, "A rescue takes the newest objects of a head, and not version \(version).",
          path: place.path)
      }
      head = name
    }
    let rescue = try DocumentRescue(of: place.path, head: head, on: places.disk)
    var notes = rescue.findings.map(Self.sentence)
    try rescue.read(model: model, keepsInvalid: keepsInvalid) { notes.append(Self.sentence($0)) }
    guard !rescue.isEmpty else {
      throw DocumentError(
        .damaged, "Nothing can be recovered: none of the stores can be read.", path: place.path)
    }
    let lost = try rescue.write(to: output, overwriting: false, in: places)
    return Report(
      stores: rescue.reports, lostAttachments: lost, notes: notes, isComplete: rescue.isComplete)
  }

  private func writeStore(_ output: String) throws -> Report {
    let recovery = try StoreRecovery(
      of: path, on: places.disk, model: model, keepsInvalid: keepsInvalid)
    let backend = try places.backend(of: recovery.snapshot.metadata.type ?? .binary)
    let report = try places.disk.make(output, overwriting: false) { temporary in
      let store = try backend.create(
        at: temporary, model: recovery.snapshot.model, on: places.disk, recovery.creation)
      return try store.closing { try recovery.copy(to: store) }
    }
    return Report(
      stores: [path: report], lostAttachments: [], notes: [], isComplete: report.isComplete)
  }

  private static func sentence(_ finding: DocumentRescue.Finding) -> String {
    switch finding {
    case .manifest(let error, let isReadable):
      (isReadable
        ? "The manifest is damaged, so names and values in it may be wrong: "
        : "The manifest can't be read, so its names are lost: ") + "\(error)"
    case .heads(let names):
      "The new document has no further heads. Recover each of them on its own: "
        + names.joined(separator: ", ") + "."
    case .storeOnServer(let name, _): "The store \(name) lies on a server, and is not copied."
    case .lostStore(let name, let error): "\(name): \(error)"
    }
  }
}
