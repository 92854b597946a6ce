public import Foundation
public import ObjectModel
public import Rows
import Synchronization

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

  /// The objects that were put in.
  public var inserted: [ObjectID] { identifiers(\.put) }
  /// The objects of which values were changed.
  public var updated: [ObjectID] { identifiers(\.changed) }
  /// The objects that were taken out.
  public var deleted: [ObjectID] { identifiers(\.removed) }

  private func identifiers(_ part: KeyPath<Layer.EntityChanges, BlockRun>) -> [ObjectID] {
    layers.flatMap { store, layer in
      layer.entities.flatMap { changes in
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
  /// A context is about to save.
  public static let managedObjectContextWillSave = Notification.Name(
    "ManagedObjectContextWillSave")
  /// A context has saved.
  public static let managedObjectContextDidSave = Notification.Name("ManagedObjectContextDidSave")
}

extension ContextChange {
  /// Where notifications have the change.
  public static let userInfoKey = "ContextChange"
}

/// Who is told of a context's changes.
final class ContextObservers: Sendable {
  private struct State {
    var next = 0
    var streams: [Int: AsyncStream<ContextChange>.Continuation] = [:]
    var callbacks: [Int: @Sendable (ContextChange) -> Void] = [:]
  }
  private let state = Mutex(State())

  /// Whether anybody listens who can be known.
  var isEmpty: Bool { state.withLock { $0.streams.isEmpty && $0.callbacks.isEmpty } }

  func stream() -> AsyncStream<ContextChange> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.streams[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.streams[number] = nil }
      }
    }
  }

  /// Calls somebody in the context's turn.
  func add(_ callback: @escaping @Sendable (ContextChange) -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.callbacks[state.next] = callback
      return state.next
    }
  }

  func remove(_ number: Int) { state.withLock { $0.callbacks[number] = nil } }

  func willSave(_ context: ManagedObjectContext) {
    NotificationCenter.default.post(name: .managedObjectContextWillSave, object: context)
  }

  func tell(_ change: ContextChange, _ context: ManagedObjectContext) {
    let (streams, callbacks) = state.withLock {
      (Array($0.streams.values), $0.callbacks.sorted { $0.key < $1.key }.map(\.value))
    }
    for callback in callbacks { callback(change) }
    for stream in streams { stream.yield(change) }
    NotificationCenter.default.post(
      name: change.kind == .saved
        ? .managedObjectContextDidSave : .managedObjectContextObjectsDidChange,
      object: context, userInfo: [ContextChange.userInfoKey: change])
  }
}

extension ManagedObjectContext {
  /// What the context changes and saves, from now on.
  ///
  ///     for await change in context.changes where change.kind == .saved { … }
  public var changes: AsyncStream<ContextChange> { observers.stream() }

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

  func tell(_ kind: ContextChange.Kind, _ layers: [StoreTag: Layer]) {
    observers.tell(
      ContextChange(kind: kind, contextName: name, author: transactionAuthor, layers: layers), self)
  }
}
