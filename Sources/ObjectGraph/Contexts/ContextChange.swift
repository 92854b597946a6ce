public import Foundation
public import ObjectModel
public import Rows

/// What a context has changed, or saved: for each store a layer.
public struct ContextChange: Sendable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// Objects were changed, and the changes were processed.
    case changed
    /// Changes were saved.
    case saved
  }

  /// What happened.
  public let kind: Kind
  /// The name of the context.
  public let contextName: String?
  /// Who the changes are said to be by.
  public let author: String?
  /// The changes, by store.
  public let layers: [StoreTag: Layer]

  /// The numbers of the tables that hold links and no objects.
  private let linkTables: [StoreTag: Set<UInt16>]

  init(
    kind: Kind, contextName: String?, author: String? = nil, layers: [StoreTag: Layer],
    linkTables: [StoreTag: Set<UInt16>]
  ) {
    self.linkTables = linkTables
    self.kind = kind
    self.contextName = contextName
    self.author = author
    self.layers = layers
  }

  // Links between many and many are rows of their own and no objects: they are in the layers, and the history says of
  // which objects they were changed.

  /// The objects that were put in.
  public var inserted: [ObjectID] { identifiers(\.put) }
  /// The objects of which values were changed, references included.
  public var updated: [ObjectID] { identifiers(\.changed) }
  /// The objects that were taken out.
  public var deleted: [ObjectID] { identifiers(\.removed) }

  private func identifiers(_ part: KeyPath<Layer.EntityChanges, BlockRun>) -> [ObjectID] {
    layers.flatMap { store, layer in
      let links = linkTables[store] ?? []
      return layer.entities.filter { !links.contains($0.entityNumber) }.flatMap { changes in
        changes[keyPath: part].blocks.flatMap { block -> [ObjectID] in
          guard let keys = try? block.keys else { return [] }
          return (0..<block.rowCount).map { row in
            ObjectID(
              store: store,
              key: ObjectKey(
                entity: changes.entityNumber, number: UInt64(bitPattern: keys.integer(at: row))))
          }
        }
      }
    }
  }
}

extension Notification.Name {
  /// A context has processed changes. The object is the context; ``ContextChange`` is under
  /// ``ContextChange/userInfoKey``.
  public static let managedObjectContextObjectsDidChange = Notification.Name(
    "ManagedObjectContextObjectsDidChange")
  /// A context is about to save. What is changed in it by whoever is told is saved too.
  public static let managedObjectContextWillSave = Notification.Name(
    "ManagedObjectContextWillSave")
  /// A context has saved.
  public static let managedObjectContextDidSave = Notification.Name("ManagedObjectContextDidSave")
}

extension ContextChange {
  /// Where notifications have the change.
  public static let userInfoKey = "ContextChange"
}

extension ManagedObjectContext {
  /// What the context changes and saves, from now on.
  ///
  ///     for await change in context.changes where change.kind == .saved { … }
  public var changes: AsyncStream<ContextChange> { changeStreams.stream() }

  /// Tells of what was sealed since the last time.
  func announceChanges() {
    guard !unannounced.isEmpty else { return }
    let layers = unannounced
    unannounced = [:]
    do {
      var merged: [StoreTag: Layer] = [:]
      for (tag, layers) in layers {
        guard let schema = coordinator.store(of: tag)?.graph.schema else { continue }
        merged[tag] = try StoreState.merged(layers, schema)
      }
      tell(.changed, merged)
    } catch { note(error) }
  }

  /// Tells streams and the notification centre, and gives what they are told.
  @discardableResult
  func tell(_ kind: ContextChange.Kind, _ layers: [StoreTag: Layer]) -> ContextChange {
    let change = ContextChange(
      kind: kind, contextName: name, author: transactionAuthor, layers: layers,
      linkTables: coordinator.linkTables)
    changeStreams.yield(change)
    NotificationCenter.default.post(
      name: kind == .saved
        ? .managedObjectContextDidSave : .managedObjectContextObjectsDidChange,
      object: self, userInfo: [ContextChange.userInfoKey: change])
    return change
  }

  /// Tells the notification centre that a save is coming.
  func announceSaving() {
    NotificationCenter.default.post(name: .managedObjectContextWillSave, object: self)
  }
}
