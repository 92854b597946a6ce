package import Documents
package import ObjectGraph
import StoreInterface

/// A merge of the changes of two copies of a document or a store, or of a patch.
///
///     let merge = try Merge(
///       base: "Trips.quire@3", ours: "Trips.quire", theirs: "Copy.quire", in: places)
///     for conflict in merge.conflicts { print(conflict) }
///     try merge.write(to: "Merged.quire") { conflict in
///       conflict.property == "name" ? .theirs : .ours
///     }
///
/// The result is `ours` with the changes that lead from `base` to `theirs`. Values, links and places in ordered relationships
/// are merged one by one, by the rules of a save. Nothing is written until all conflicts are resolved, and the result is
/// validated as by any save.
///
/// The merge reads all rows of the copies, and keeps the changed rows in memory.
public final class Merge {
  /// The author of the version with the merged changes.
  public var author: String?
  /// A message about the merge, for people. Only documents and block files keep it.
  public var message: String?
  /// The matters that both sides have changed.
  public let conflicts: [Conflict]
  /// The copy that receives the changes.
  package let target: MergeTarget

  private let sources: MergeSources
  private let opening: PlaceOpening
  private let layers: (MergePart) throws -> MergeLayers
  private let attachments: AttachmentMerge
  /// The versions of other heads and replicas that the result names as merged.
  package var taken: TakenVersions
  /// The merge without a save that has found the conflicts; `nil` after its first use.
  private var trial: StoreMerge?
  private let objectConflictCount: Int

  /// Finds the conflicts of a merge.
  ///
  /// - Parameters:
  ///   - taken: The versions of other heads and replicas that the result names as merged.
  ///   - receiver: The document that receives the changes, if the caller has it open.
  ///   - attachments: The merge of the attachments, if they are not those of the sources.
  ///   - layers: Returns the changes of one store.
  package init(
    _ sources: MergeSources, _ opening: PlaceOpening, taken: TakenVersions = TakenVersions(),
    receiver: Document? = nil, attachments: AttachmentMerge? = nil,
    _ layers: @escaping (MergePart) throws -> MergeLayers
  ) throws {
    self.sources = sources
    self.taken = taken
    self.opening = opening
    self.layers = layers
    target = MergeTarget(sources.ours, opening, receiver: receiver)
    let trial = try Self.trial(sources, layers)
    let files =
      attachments
      ?? AttachmentMerge(
        base: sources.base.document, ours: sources.ours.document, theirs: sources.theirs.document)
    self.attachments = files
    let conflicts = trial.conflicts
    self.conflicts =
      conflicts.map { Conflict(.object($0)) }
      + files.conflicts.map { Conflict(.attachment($0)) }
    objectConflictCount = conflicts.count
    self.trial = trial
  }

  /// Returns a merge that writes nothing. New objects need keys that the changed store reserves, so a save merges again.
  private static func trial(
    _ sources: MergeSources, _ layers: (MergePart) throws -> MergeLayers
  ) throws -> StoreMerge {
    let stores = sources.ours.stores.map { ($0.name, TrialStore($0.store) as any Store) }
    return try StoreMerge(
      try sources.parts(into: stores), sources.ours.document, author: nil, message: nil, layers)
  }

  // MARK: - A merge with resolved conflicts

  /// A merge whose result is valid, and is not written yet.
  package struct Resolved {
    /// The numbers of objects that the merge inserts, changes and deletes.
    package let counts: Counts
    /// The objects of the second copy that get new identifiers.
    package let renumbered: [StoreMerge.Renumbered]
    /// Whether the merge changes anything, or makes a version that names merged versions.
    package let hasChanges: Bool
    fileprivate let ofObjects: [MergeSide]
    fileprivate let ofAttachments: [MergeSide]
  }

  /// Merges on trial, and validates the result.
  ///
  /// - Parameter sides: The side that wins each of the ``conflicts``.
  package func resolved(by sides: [MergeSide]) throws -> Resolved {
    precondition(sides.count == conflicts.count, "Each conflict needs a side that wins.")
    let trial = try trial ?? Self.trial(sources, layers)
    self.trial = nil
    let (objects, files) = (
      Array(sides.prefix(objectConflictCount)), Array(sides.dropFirst(objectConflictCount))
    )
    try trial.apply(objects)
    let counts = trial.counts
    try trial.validate()
    return Resolved(
      counts: counts, renumbered: trial.renumbered,
      hasChanges: trial.hasChanges || attachments.hasChanges(files) || !taken.isEmpty,
      ofObjects: objects, ofAttachments: files)
  }

  /// Puts the result into open stores, and saves them.
  ///
  /// - Returns: The objects of the second copy with the new identifiers that they got.
  package func put(
    _ resolved: Resolved, into opened: MergeTarget.Opened
  ) throws -> [StoreMerge.Renumbered] {
    guard resolved.hasChanges else { return resolved.renumbered }
    let merge = try StoreMerge(
      try sources.parts(into: opened.stores), opened.document, author: author, message: message,
      layers)
    let renumbered = merge.renumbered
    try merge.apply(resolved.ofObjects)
    if let document = opened.document {
      try attachments.apply(resolved.ofAttachments, to: document)
    }
    func save() throws {
      if merge.hasChanges { return try merge.save() }
      try opened.document?.save(author: author, message: message)
    }
    guard let document = opened.document else {
      try save()
      return renumbered
    }
    try document.heads.taking(taken, save)
    return renumbered
  }

  package func close() { sources.close() }

  deinit { sources.close() }
}
