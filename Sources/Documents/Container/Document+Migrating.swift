import DurableFiles
import Foundation
public import Migration
public import ObjectModel
import Rows
public import StoreInterface
import Synchronization

extension Document {
  /// Migrates a document to a version of its model: all stores at once.
  ///
  /// If the rows of a store stay the same, it only gets the new model. Otherwise it is written again into another file,
  /// which replaces the old file together with the manifest. Earlier versions stay unchanged. If a store on a server is
  /// migrated, the document keeps only the new version, and must have a single version before. No other process or part
  /// of the program may have the document open.
  ///
  /// - Parameters:
  ///   - name: The name of the model's version in the document; the next number if it is `nil` and the migrator
  ///     knows no name.
  ///   - head: The head that is migrated; `nil` for the current head. Other heads keep their models.
  ///   - author: The author of the version with the new model.
  ///   - message: The author's message about this version.
  /// - Returns: Whether the document needed a migration.
  /// - Throws: `MigrationError` and other errors, as a `Migrator` does; ``DocumentError``. If this
  ///   function throws, the document is unchanged.
  @discardableResult
  public static func migrate(
    _ path: String, to model: Model, named name: String? = nil,
    with migrator: Migrator = .automatic, in places: StorePlaces, whenHeld: WhenHeld = .fail,
    head: String? = nil, author: String? = nil, message: String? = nil
  ) throws -> Bool {
    let document = try open(path, in: places, whenHeld: whenHeld, head: head)
    defer { try? document.close() }
    guard try !ModelDifference(from: document.model, to: model).isEmpty else { return false }
    var migrator = migrator
    migrator.versions += try document.modelVersions.map { KnownVersion($0.name, $0.model) }
      .filter { own in !migrator.versions.contains { $0.isSame(as: own) } }
    var written: [String] = []
    try document.withExclusiveAccess {
      var origin = VersionOrigin(author: author, message: message)
      origin.taken = DocumentHeads.taken
      do { try document.migrate(to: model, name, migrator, origin, &written) } catch {
        // The document stays unchanged, so the files written for the migration are removed.
        if document.state.withLock({ $0.refused == nil }) {
          for path in written { try? places.disk.removeTree(path) }
        }
        throw error
      }
    }
    return true
  }

  private func migrate(
    to model: Model, _ name: String?, _ migrator: Migrator, _ origin: VersionOrigin,
    _ written: inout [String]
  ) throws {
    let before = state.withLock { $0.manifest }
    var number = nextNumber()
    var manifest = before
    let name = name ?? manifest.nextModelName(migrator, model)
    try container.add(model, named: name, to: &manifest)
    written.append(container.inner(manifest.models[manifest.models.count - 1].file))
    try container.disk.syncDirectory(container.inner(Container.modelsFolder))
    manifest.model = name
    var parts: [(store: DocumentStore, request: CommitRequest)] = []
    var replaced: [(store: DocumentStore, path: String)] = []
    for store in stores {
      let target = try model.forStore(of: store.configuration)
      let path = store.pathOfSuccessor(number, in: container)
      switch try migrator.prepare(store.inner, to: target, output: path, in: places) {
      case nil: continue
      case .commit(let request):
        try store.refuseLoss(of: manifest.versions, self.path)
        parts.append((store, request))
      case .replacement:
        written.append(path)
        replaced.append((store, path))
      }
    }
    // The version's number must be above the commits of all replacement stores.
    number = try replaced.reduce(number) { max($0, try highestCommit(of: $1.1, $1.0.type) + 1) }
    state.withLock { $0.highestNumber = max($0.highestNumber, number) }
    manifest.addVersion(number, origin)
    for (store, path) in replaced {
      let uuid = try setNumber(number, ofSuccessorAt: path, of: store)
      manifest.record(
        StorePosition(path: path, commit: number), of: store, uuid: uuid, in: container)
    }
    // A server keeps no rows of the former model.
    if parts.contains(where: \.store.isOnServer) { manifest.keep(manifest.versions.suffix(1)) }
    var snapshots: [any StoreSnapshot] = []
    try prepare(parts[...], number, manifest, &snapshots) { manifest in
      try confirm(manifest, insteadOf: before)
    }
  }

  private func highestCommit(of path: String, _ type: StoreType) throws -> Int64 {
    let store = try places.open(path, type: type, StoreOpening(readOnly: true))
    defer { try? store.close() }
    return try store.snapshot().commit
  }

  /// Renumbers the newest commit of a replacement store to `number`.
  ///
  /// - Returns: The UUID of the replacement store, which differs from the store's if its objects were made
  ///   again.
  private func setNumber(
    _ number: Int64, ofSuccessorAt path: String, of store: DocumentStore
  ) throws -> UUID {
    let backend = try places.backend(of: store.type)
    // A store that writes a file for each commit does not number its commits there. The manifest has the number.
    let newest = store.hasFileForEachCommit ? number : try highestCommit(of: path, store.type)
    let inner = try backend.open(path, on: places.disk, StoreOpening(commit: newest))
    defer { try? inner.close() }
    let head = try inner.snapshot()
    let metadata = try head.metadata
    if newest != number {
      let same = CommitRequest(Layer(), basedOn: head, metadata: metadata)
      try inner.confirming.commit(same, at: StorePosition(path: path, commit: number)) { _ in }
    }
    return metadata.uuid ?? store.uuid
  }
}

extension DocumentStore {
  /// Returns the path of the file that replaces the store's file. A store on a server is migrated in its tables, or refuses
  /// the migration.
  func pathOfSuccessor(_ number: Int64, in container: Container) -> String {
    if isOnServer { return path ?? "" }
    let ending = path?.lastPathComponent.split(separator: ".").last ?? "store"
    func folded(_ name: String) -> String { ContainerPath.folded(Container.stem(of: name)) }
    let twins = ((try? document)?.stores ?? []).filter { folded($0.name) == folded(name) }
    let stem =
      twins.count > 1 ? Container.stem(of: name, uuid: uuid) : Container.stem(of: name)
    return container.inner(container.storeFile("\(stem)-\(number).\(ending)"))
  }
}

extension Manifest {
  /// Returns the name of a new version of the model when the caller gives none: the name that the migrator knows, or
  /// `Trips 2` if the document has a version `Trips` already.
  fileprivate func nextModelName(_ migrator: Migrator, _ model: Model) -> String {
    let taken = Set(models.map(\.name))
    let known = migrator.versions.first { $0.isSame(as: KnownVersion("", model)) }?.name
    if let known, !taken.contains(known), !known.isEmpty { return known }
    let base = known.flatMap { $0.isEmpty ? nil : $0 } ?? self.model
    let words = base.split(separator: " ")
    let stem = words.last.flatMap { Int($0) } == nil ? words : words.dropLast()
    let start = stem.isEmpty ? "" : stem.joined(separator: " ") + " "
    return ((stem.isEmpty ? models.count + 1 : 2)...).lazy.map { "\(start)\($0)" }.first {
      !taken.contains($0)
    }!
  }
}
