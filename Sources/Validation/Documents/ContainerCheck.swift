import Documents
import DurableFiles
import ObjectModel
import StoreInterface

/// The check of a document (spec §7): its folder, its manifest, and every file that the manifest names.
///
/// Each file is checked once, so the time is in proportion to the size of the document's files.
final class ContainerCheck {
  let path: String
  /// The disk of the document, and the backends that check stores in other formats.
  private let places: StorePlaces
  let findings = Findings()
  private let givenModel: Model?
  private let progress: (Double) -> Void

  private(set) var format = ValidationReport.Format.document
  var checked = ValidationReport.Checked()
  var passedOver: [String] = []
  var unchecked: [String] = []
  var hasUnknownStores = false

  /// The files that were checked for one head, and that others may name too.
  var files = KnownFiles()
  /// The head that is being checked.
  var head = Head()
  var recoveries: [Manifest] = []
  /// The files that were checked.
  var seen: Set<String> = []
  /// Names in the folder that were reported because they are links, or of another kind than in the manifest.
  private var foreign: Set<String> = []

  /// Files that several heads may name, each under its name.
  struct KnownFiles {
    var models: [String: Model] = [:]
    /// The facts about the files of stores without errors.
    var stores: [String: StoreFacts] = [:]
    /// The sizes of the files of attachments.
    var byteCounts: [String: Int] = [:]
    /// The last commit of each earlier file that counts in a head.
    var counted: [String: Int64] = [:]
  }

  /// The known parts of a head.
  struct Head {
    /// The files of stores and attachments that were checked for the head.
    var seen: Set<String> = []
    /// The model, if its file matches the manifest.
    var model: Model?
    /// The facts about each store, by the store's name.
    var facts: [String: StoreFacts] = [:]
  }

  init(
    _ path: String, on disk: any Disk, _ backends: StoreBackends, model: Model?,
    progress: @escaping (Double) -> Void
  ) {
    self.path = path
    places = StorePlaces(backends, on: disk)
    givenModel = model
    self.progress = progress
  }

  var disk: any Disk { places.disk }
  var backends: StoreBackends { places.backends }

  /// Checks the whole document.
  func run() throws {
    guard try hasManifest(), let bytes = try bytes(ofManifest: Manifest.fileName) else { return }
    let manifest = ManifestCheck(bytes, findings)
    guard manifest.isDocument, !manifest.isNewer else {
      format = manifest.isNewer ? .newer : .unknown
      return
    }
    let heads = try [manifest] + (manifest.isSound ? readHeads(manifest) : [])
    checkGivenModel(manifest)
    for earlier in heads.flatMap(\.stores).flatMap(\.earlier) {
      guard let file = earlier.file, let commit = earlier.commit else { continue }
      files.counted[file] = max(commit, files.counted[file] ?? 0)
    }
    for (index, head) in heads.enumerated() {
      try check(head) { [progress] done in
        progress((Double(index) + done) / Double(heads.count))
      }
    }
    checkAgreement(heads)
    try checkCurrentHead(manifest)
    checked.versionCount = Set(heads.flatMap(\.versions)).count
    if heads.allSatisfy(\.isSound), heads.count == manifest.heads.count + 1 {
      try checkFolder(manifest)
    } else {
      passedOver.append(
        "The names in the folder were not checked, since the manifest does not give the files of the document."
      )
    }
    progress(1)
  }

  /// Checks a head: its log, and every file that its manifest names.
  private func check(_ manifest: ManifestCheck, progress: @escaping (Double) -> Void) throws {
    head = Head()
    if manifest.isSound { try readLog(manifest) }
    try checkModels(manifest)
    try checkAttachments(manifest)
    for (index, store) in manifest.stores.enumerated() {
      try check(store, manifest) { done in
        progress((Double(index) + done) / Double(manifest.stores.count))
      }
    }
    if let recovery = try checkRecovery(manifest) { recoveries.append(recovery) }
  }

  /// The report of the check.
  var report: ValidationReport {
    ValidationReport(
      path: path, format: format, findings: findings, checked: checked, passedOver: passedOver,
      unchecked: unchecked, hasUnknownStores: hasUnknownStores)
  }

  // MARK: - Files

  /// Returns the path of a name in the folder.
  func inner(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Returns the place of a file of the document.
  func place(_ file: String) -> Place {
    var place = Place()
    place.file = file
    return place
  }

  /// Returns the kind of the file with the given name; `nil` if the file does not exist.
  func kind(_ name: String) throws -> FileKind? {
    guard try disk.exists(inner(name)) else { return nil }
    return try disk.status(of: inner(name), followingLinks: false).kind
  }

  /// Whether a file that the manifest names exists within the document. If not, the function reports a finding.
  ///
  /// - Parameter mayBeFolder: Whether the store may be a folder, as stores of plug-ins may be.
  func isThere(
    _ name: String, orElse missing: Rule, mayBeFolder: Bool = false
  ) throws -> Bool {
    let folder = String(name.prefix { $0 != "/" })
    let own: Set<FileKind> = mayBeFolder ? [.file, .directory] : [.file]
    for (name, expected) in [(folder, Set([FileKind.directory])), (name, own)] {
      switch try kind(name) {
      case nil:
        findings.add(
          missing, place(name), "The manifest refers to this path, which does not exist.")
        return false
      case let kind? where expected.contains(kind): continue
      case let kind?:
        if foreign.insert(name).inserted {
          findings.add(.foreignPlace, place(name), "This path is a \(kind).")
        }
        return false
      }
    }
    return true
  }

  /// Whether a name was reported as a link or as another kind of file.
  func isForeign(_ name: String) -> Bool { foreign.contains(name) }

  /// Opens a file of the document.
  func open(_ name: String) throws -> DurableFile {
    try disk.open(inner(name), for: .read, links: .refusedBelow(path))
  }

  /// Returns whether the folder has the manifest of `main`; reports if not.
  private func hasManifest() throws -> Bool {
    switch try kind(Manifest.fileName) {
    case nil:
      format = .unknown
      findings.add(.noManifest, Place(), "The file \(Manifest.fileName) is missing.")
      return false
    case .file?: return true
    case let kind?:
      findings.add(.foreignPlace, .manifest(nil), "This path is a \(kind).")
      return false
    }
  }

  /// Returns the bytes of a manifest; `nil` if there are too many, which is reported.
  func bytes(ofManifest name: String) throws -> [UInt8]? {
    let file = try open(name)
    let byteCount = try file.byteCount()
    guard byteCount <= Manifest.byteLimit else {
      findings.add(
        .manifestForm, .manifest(nil, in: name),
        "The file has \(byteCount) bytes, but the limit is \(Manifest.byteLimit) bytes.")
      return nil
    }
    checked.byteCount += byteCount
    return try file.read(byteCount: byteCount, at: 0)
  }

  private func checkGivenModel(_ manifest: ManifestCheck) {
    guard let givenModel,
      let hashes = manifest.models.first(where: { $0.name == manifest.model })?.hashes
    else { return }
    let differences = givenModel.differences(from: hashes)
    if !differences.isEmpty { findings.add(.givenModel, .manifest("model"), "\(differences)") }
  }
}
