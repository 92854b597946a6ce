public import Foundation
public import ObjectModel
public import Rows

/// The changes that a context has made or saved, as a layer for each store.
///
/// It also names the objects that a merge, a refresh or a rollback has changed in the context.
public struct ContextChange: Sendable {
  /// The kinds of changes that observers are notified of.
  public enum Kind: Sendable, Hashable {
    /// Objects were changed, and the changes were processed.
    case changed
    case saved
  }

  /// The kind of the change.
  public let kind: Kind
  /// The name of the context.
  public let contextName: String?
  /// The author of the changes.
  public let author: String?
  /// The context's own changes, by store. A merge, a refresh or a rollback adds nothing here.
  public let layers: [StoreTag: Layer]
  /// The objects that a merge, a refresh or a rollback has changed in the context.
  private let events: ObjectEvents

  /// The numbers of the link tables, which contain links and no objects.
  private let linkTables: [StoreTag: Set<UInt16>]

  init(
    kind: Kind, contextName: String?, author: String? = nil, layers: [StoreTag: Layer],
    events: ObjectEvents = ObjectEvents(), linkTables: [StoreTag: Set<UInt16>]
  ) {
    self.linkTables = linkTables
    self.kind = kind
    self.contextName = contextName
    self.author = author
    self.layers = layers
    self.events = events
  }

  // A link of a many-to-many relationship is a row and not an object. Links are in the layers, and the history
  // shows which objects they were changed for.

  /// The objects that this context or a merge has inserted. A rollback of a deletion is an insertion.
  public var inserted: [ObjectID] { identifiers(\.put) + events.inserted }
  /// The objects with changed values, references included.
  public var updated: [ObjectID] { identifiers(\.changed) }
  /// The objects that this context or a merge has deleted. A rollback of an insertion is a deletion.
  public var deleted: [ObjectID] { identifiers(\.removed) + events.deleted }
  /// The registered objects that were refreshed by a merge, a refresh or a rollback.
  public var refreshed: [ObjectID] { events.refreshed }
  /// The objects that can't be used any more, because the context was reset.
  public var invalidated: [ObjectID] { events.invalidated }
  /// Whether the context was reset, so that none of its objects can be used any more.
  public var invalidatesAll: Bool { events.invalidatesAll }
  /// Whether the context itself has changed anything.
  package var hasOwnChanges: Bool { !layers.isEmpty }

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

/// The objects that changed in the context without a change by the context.
struct ObjectEvents: Sendable {
  var inserted: [ObjectID] = []
  var deleted: [ObjectID] = []
  var refreshed: [ObjectID] = []
  var invalidated: [ObjectID] = []
  var invalidatesAll = false

  var isEmpty: Bool {
    inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
      && !invalidatesAll
  }

  /// Adds a refreshed object.
  ///
  /// - Parameters:
  ///   - wasThere: Whether the context showed the object before.
  ///   - isThere: Whether the context shows the object now.
  mutating func add(_ id: ObjectID, wasThere: Bool, isThere: Bool) {
    switch (wasThere, isThere) {
    case (true, true): refreshed.append(id)
    case (true, false): deleted.append(id)
    case (false, true): inserted.append(id)
    case (false, false): break
    }
  }
}

/// The changes and events that have not been posted to the observers of a context yet.
struct UnannouncedChanges {
  var layers: [StoreTag: [Layer]] = [:]
  var events = ObjectEvents()

  var isEmpty: Bool { layers.isEmpty && events.isEmpty }
}

extension Notification.Name {
  /// Posted when a context has processed changes, merged a save, refreshed objects, rolled back or was reset.
  ///
  /// The object of the notification is the context. The ``ContextChange`` is under ``ContextChange/userInfoKey``.
  public static let managedObjectContextObjectsDidChange = Notification.Name(
    "ManagedObjectContextObjectsDidChange")
  /// Posted before a context saves. Changes that an observer makes in the context are saved too.
  public static let managedObjectContextWillSave = Notification.Name(
    "ManagedObjectContextWillSave")
  /// Posted after a context has saved.
  public static let managedObjectContextDidSave = Notification.Name("ManagedObjectContextDidSave")
}

extension ContextChange {
  /// The key of the change in the user info of a notification.
  public static let userInfoKey = "ContextChange"
}
