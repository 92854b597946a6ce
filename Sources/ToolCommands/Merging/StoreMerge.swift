import Documents
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

/// The merge of all stores of a document, or of a single store.
struct StoreMerge {
  private let parts: [Part]
  private let context: ManagedObjectContext

  private struct Part {
    let part: MergePart
    let layers: MergeLayers
    let merge: ThreeWayMerge
    let disputes: [MergeDispute]
  }

  /// A dispute, and its store.
  struct Conflict {
    /// The name of the store; `nil` if there is only one.
    let store: String?
    let dispute: MergeDispute
    /// The keys in the other copy of the objects that only it has.
    let originalKeys: [ObjectKey: ObjectKey]
  }

  /// Prepares the merge, and finds the conflicts.
  ///
  /// - Parameters:
  ///   - document: The document of the stores; `nil` for a single store.
  ///   - origin: The author and the message of the save.
  ///   - layers: Returns the changes of one store.
  init(
    _ parts: [MergePart], _ document: Document?, _ origin: SaveOrigin,
    _ layers: (MergePart) throws -> MergeLayers
  ) throws {
    let coordinator = PersistentStoreCoordinator(
      model: try document?.model ?? parts[0].store.snapshot().model)
    for part in parts {
      let name = part.name ?? document?.stores.first?.name
      let configuration = name.flatMap { document?[$0]?.configuration }
      try coordinator.add(part.store, configuration: configuration)
    }
    context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = origin.author
    context.transactionMessage = origin.message
    self.parts = try parts.map { part in
      let layers = try layers(part)
      let merge = try ThreeWayMerge(
        onto: try part.store.snapshot(), of: part.store.tag, base: layers.base,
        theirs: layers.theirs)
      return Part(
        part: part, layers: layers, merge: merge, disputes: try merge.disputes())
    }
  }

  var conflicts: [Conflict] {
    parts.flatMap { part in
      part.disputes.map {
        Conflict(store: part.part.name, dispute: $0, originalKeys: part.layers.originalKeys)
      }
    }
  }

  /// An object of the other copy that got another identifier.
  struct Renumbered {
    /// The name of the store; `nil` if there is only one.
    let store: String?
    let entity: String
    let former: ObjectKey
    let key: ObjectKey
  }

  /// The objects of the other copy whose numbers this copy has given to other objects.
  var renumbered: [Renumbered] {
    parts.flatMap { part in
      part.layers.originalKeys.sorted { $0.key < $1.key }.map { key, former in
        Renumbered(
          store: part.part.name, entity: part.part.ours.schema[key.entity]?.entity ?? "",
          former: former, key: key)
      }
    }
  }

  /// Puts the merged changes into the context.
  ///
  /// - Parameter sides: The side that wins each conflict.
  func apply(_ sides: [MergeSide]) throws {
    var sides = sides[...]
    for part in parts {
      let merged = try part.merge.resolved(
        part.disputes, by: Array(sides.prefix(part.disputes.count)))
      sides = sides.dropFirst(part.disputes.count)
      try context.take(merged, of: part.part.store.tag, lanes: part.layers.lanes)
    }
  }

  /// Whether the merge changes anything.
  var hasChanges: Bool { context.hasChanges }

  /// The numbers of objects that the merge inserts, changes and deletes.
  var counts: (inserted: Int, changed: Int, deleted: Int) {
    (context.insertedObjects.count, context.updatedObjects.count, context.deletedObjects.count)
  }

  /// Checks everything that a save checks.
  func validate() throws { try context.validateChanges() }

  func save() throws { try context.save() }
}
