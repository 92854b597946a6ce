import Documents
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The base and the two copies of a merge, open for reading.
struct MergeSources {
  let base: MergeSource
  let ours: MergeSource
  let theirs: MergeSource

  /// Opens the copies.
  ///
  /// - Throws: ``CommandError`` with code ``ExitCode/modelMismatch`` if the copies have different models.
  init(
    base: MergeSource, ours: MergeSource, theirs: MergeSource
  ) throws {
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
    let names = Set(ours.stores.map(\.name))
    if ours.stores.count == 1, [base, theirs].allSatisfy({ $0.stores.count <= 1 }) { return }
    for source in [base, theirs] where Set(source.stores.map(\.name)) != names {
      if source.isEmpty { continue }
      throw CommandError.wrongUsage(
        "'\(oneLine(source.name))' and '\(oneLine(ours.name))' have different stores.",
        hint: "Choose one store with --in.")
    }
  }

  /// Returns the store of a source that takes part in the merge of a store of the copy that receives the changes.
  private func store(_ name: String, of source: MergeSource) -> (any Store)? {
    source.stores.count == 1 && ours.stores.count == 1
      ? source.stores[0].store : source.stores.first { $0.name == name }?.store
  }

  /// Returns the parts of the merge: one for each store.
  ///
  /// - Parameter stores: The stores that receive the changes, by name, with the content of `ours`.
  func parts(into stores: [(name: String, store: any Store)]) throws -> [MergePart] {
    try stores.map { name, store in
      let own = try ComparedStore(ours.name, store.snapshot())
      func side(_ source: MergeSource) throws -> (ComparedStore, (any Store)?) {
        guard let found = self.store(name, of: source) else {
          return (ComparedStore(source.name, withoutObjectsOf: own), nil)
        }
        let side = try ComparedStore(source.name, found.snapshot())
        try check(side, against: own)
        return (side, found)
      }
      let (before, _) = try side(base)
      let (other, otherStore) = try side(theirs)
      var part = MergePart(
        name: stores.count > 1 ? name : nil, store: store, base: before, ours: own, theirs: other)
      // Heads have files of their own.
      part.isSameFile =
        ours.place.path == theirs.place.path && ours.document?.head == theirs.document?.head
      if let otherStore { try findCommonCommits(&part, otherStore) }
      return part
    }
  }

  private func check(_ side: ComparedStore, against own: ComparedStore) throws {
    guard ModelDifference(from: side.model, to: own.model).isSeenByHashes else { return }
    throw CommandError(
      .modelMismatch,
      "'\(oneLine(side.name))' and '\(oneLine(own.name))' have different versions of the model.",
      hint:
        "Migrate all three to one version first: 'quire migrate FILE --model MODEL --output COPY'.")
  }

  /// Finds the commits that both copies contain. A commit is the same if its number and its time are.
  private func findCommonCommits(_ part: inout MergePart, _ other: any Store) throws {
    guard let uuid = part.ours.uuid, uuid == part.theirs.uuid,
      part.store.features.history != nil, other.features.history != nil
    else { return }
    let times = Dictionary(
      try other.commits().map { ($0.number, $0.time) }, uniquingKeysWith: { first, _ in first })
    let common = Set(
      try part.store.commits().filter { times[$0.number] == $0.time }.map(\.number))
    let (newest, shown) = (try part.store.snapshot().commit, try other.snapshot().commit)
    guard let found = common.filter({ $0 <= min(newest, shown) }).max(),
      let snapshot = try readIfSound({ try part.store.snapshot(ofCommit: found) })
    else { return }
    part.common = snapshot.view
  }

  func close() { for source in [base, ours, theirs] { source.close() } }
}

/// A document or a store that takes part in a merge.
struct MergeSource {
  /// The name as on the command line.
  let name: String
  let place: VersionedPath
  /// The document; `nil` for a store.
  let document: Document?
  let stores: [(name: String, store: any Store)]
  /// Whether the source is an empty file, which git passes as the base of a file that both branches have added.
  var isEmpty: Bool { stores.isEmpty }

  /// Opens a source.
  ///
  /// - Parameter mayBeEmpty: Whether an empty file stands for a store without objects.
  init(
    _ name: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation,
    mayBeEmpty: Bool = false
  ) throws {
    self.name = name
    place = try VersionedPath(name, on: reader.disk)
    if mayBeEmpty, let status = try reader.disk.statusIfThere(place.path), status.kind == .file,
      status.byteCount == 0
    {
      (document, stores) = (nil, [])
      return
    }
    let isDocument = try reader.isDocument(place.path)
    let side = try DiffSides.side(
      place, reader, models,
      invocation.setting(isDocument ? DiffCommand.model : DiffCommand.store, to: nil))
    (document, stores) = (side.document, side.stores)
  }

  func close() { try? document?.close() }
}

/// The merge of one store.
struct MergePart {
  /// The name of the store; `nil` if there is only one.
  let name: String?
  /// The store that receives the changes.
  let store: any Store
  let base: ComparedStore
  let ours: ComparedStore
  let theirs: ComparedStore
  /// The objects that both copies are known to have in common.
  var common: View?
  /// Whether both copies are versions of one file, so that a number belongs to one object.
  var isSameFile = false
}
