import Documents
import Foundation
import ObjectModel
import Rows
package import StoreInterface

/// The base and the two copies of a merge, open for reading.
package struct MergeSources {
  package let base: ComparedPlace
  package let ours: ComparedPlace
  package let theirs: ComparedPlace

  /// Creates the sources of a merge.
  ///
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/differentStores`` if the copies have different stores.
  package init(
    base: ComparedPlace, ours: ComparedPlace, theirs: ComparedPlace
  ) throws {
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
    let names = Set(ours.stores.map(\.name))
    if ours.stores.count == 1, [base, theirs].allSatisfy({ $0.stores.count <= 1 }) { return }
    for source in [base, theirs] where Set(source.stores.map(\.name)) != names {
      if source.isEmpty { continue }
      throw ComparisonError(
        .differentStores, "'\(source.name)' and '\(ours.name)' have different stores.",
        .unequalStores)
    }
  }

  /// Opens the base and the two copies. If one of them can't be opened, those before it are closed.
  package static func open(
    base: @autoclosure () throws -> ComparedPlace, ours: @autoclosure () throws -> ComparedPlace,
    theirs: @autoclosure () throws -> ComparedPlace
  ) throws -> MergeSources {
    var opened: [ComparedPlace] = []
    do {
      opened.append(try base())
      opened.append(try ours())
      opened.append(try theirs())
      return try MergeSources(base: opened[0], ours: opened[1], theirs: opened[2])
    } catch {
      for place in opened { place.close() }
      throw error
    }
  }

  /// Returns the store of a source that takes part in the merge of a store of the copy that receives the changes.
  private func store(_ name: String, of source: ComparedPlace) -> (any Store)? {
    source.stores.count == 1 && ours.stores.count == 1
      ? source.stores[0].store : source.stores.first { $0.name == name }?.store
  }

  /// Returns the parts of the merge: one for each store.
  ///
  /// - Parameter stores: The stores that receive the changes, by name, with the content of `ours`.
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/differentModels`` if the copies have different models.
  package func parts(into stores: [(name: String, store: any Store)]) throws -> [MergePart] {
    try stores.map { name, store in
      let own = try ComparedStore(ours.name, store.snapshot())
      func side(_ source: ComparedPlace) throws -> (ComparedStore, (any Store)?) {
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
      if let otherStore, !part.isSameFile { try findCommonCommits(&part, otherStore) }
      return part
    }
  }

  private func check(_ side: ComparedStore, against own: ComparedStore) throws {
    guard ModelDifference(from: side.model, to: own.model).isSeenByHashes else { return }
    throw ComparisonError(
      .differentModels, "'\(side.name)' and '\(own.name)' have different versions of the model.",
      hint: "Migrate all three to one version first.", .unequalModels)
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

  package func close() { for source in [base, ours, theirs] { source.close() } }
}
