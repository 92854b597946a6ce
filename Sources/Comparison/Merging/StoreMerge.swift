import Documents
package import ObjectGraph
package import ObjectModel
import Rows
import StoreInterface

/// The merge of all stores of a document, or of a single store.
package struct StoreMerge {
  private let parts: [Part]
  private let context: ManagedObjectContext

  private struct Part {
    let part: MergePart
    let layers: MergeLayers
    let merge: ThreeWayMerge
    let disputes: [MergeDispute]
  }

  /// A dispute, and its store.
  package struct Conflict {
    /// The name of the store; `nil` if there is only one.
    package let store: String?
    package let dispute: MergeDispute
    /// The keys in the second copy of the objects that only it has.
    package let originalKeys: [ObjectKey: ObjectKey]
    /// The model of the first copy.
    let model: Model

    /// Returns the precision of an attribute of the disputed object, for the texts of its values.
    package func precision(of property: String) -> Attribute.Precision? {
      model.precision(of: property, of: dispute.entity)
    }

    /// The precision of the disputed attribute.
    package var precision: Attribute.Precision? { dispute.property.flatMap(precision) }
  }

  /// Prepares the merge, and finds the conflicts.
  ///
  /// - Parameters:
  ///   - document: The document of the stores; `nil` for a single store.
  ///   - author: The author of the save.
  ///   - message: A message about the save, for people.
  ///   - layers: Returns the changes of one store.
  init(
    _ parts: [MergePart], _ document: Document?, author: String?, message: String?,
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
    context.transactionAuthor = author
    context.transactionMessage = message
    self.parts = try parts.map { part in
      let layers = try layers(part)
      let merge = try ThreeWayMerge(
        onto: try part.store.snapshot(), of: part.store.tag, base: layers.base,
        theirs: layers.theirs, theirsComeFirst: layers.theirsComeFirst)
      return Part(
        part: part, layers: layers, merge: merge, disputes: try merge.disputes())
    }
  }

  var conflicts: [Conflict] {
    parts.flatMap { part in
      part.disputes.map {
        Conflict(
          store: part.part.name, dispute: $0, originalKeys: part.layers.originalKeys,
          model: context.coordinator.model)
      }
    }
  }

  /// An object of the second copy that got a new identifier.
  package struct Renumbered {
    /// The name of the store; `nil` if there is only one.
    package let store: String?
    package let entity: String
    package let former: ObjectKey
    package let key: ObjectKey
  }

  /// The objects of the second copy that have the number of another object of this copy.
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
  var counts: Merge.Counts {
    Merge.Counts(
      inserted: context.insertedObjects.count, changed: context.updatedObjects.count,
      deleted: context.deletedObjects.count)
  }

  /// Checks everything that a save checks.
  func validate() throws { try context.validateChanges() }

  func save() throws { try context.save() }
}
