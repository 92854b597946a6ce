import Dispatch
import ObjectModel
import Rows
import StoreInterface
import Synchronization

// What others are told of a save, and how they follow.
extension ManagedObjectContext {
  /// Tells children, siblings and other contexts what was saved.
  func announceSave(_ saved: [StoreTag: Layer]) {
    guard !saved.isEmpty else { return }
    let change = tell(.saved, saved)
    for (mail, context) in coordinator.contexts
    where mail !== self.mail && mail.isFollowing.load(ordering: .relaxed)
      && (mail.parent == self.mail.parent || mail.parent == ObjectIdentifier(self))
    {
      do {
        let parts = try ObjectsToMerge.all(of: change, in: coordinator)
        if mail.isOutOfReach {
          mail.leave(parts)
          continue
        }
        guard let other = context.context else { continue }
        guard other.concurrency == .mainActor else {
          other.mergeSoon(parts)
          continue
        }
        // Nobody waits long on the main actor: what has come from there and shows already is passed over, and what
        // is much is merged in turns of their own. Others have looked at what lies beneath and not at each object.
        let shown = other.parent === self ? other.published.withLock { $0.bases } : [:]
        let turns = try parts.flatMap { part -> [ObjectsToMerge] in
          guard let store = coordinator.store(of: part.store), let seen = shown[part.store] else {
            return part.split
          }
          let newest = try other.newestBase(of: store)
          return try part.differing(View(seen.tables), View(newest.tables), store.graph.schema)
            .split
        }
        other.mergeInTurns(turns[...])
      } catch { note(error) }
    }
  }

  /// Merges what others have saved in a turn of its own.
  private func mergeSoon(_ parts: [ObjectsToMerge]) {
    schedule { [weak self] in
      do { try self?.merge(parts) } catch { self?.note(error) }
    }
  }

  /// Takes what others have left for the context while it was out of their reach, unless that would come in
  /// between of something.
  func takeWaiting() {
    guard mail.hasWaiting.load(ordering: .relaxed), workDepth == 0 else { return }
    workDepth += 1
    defer { workDepth -= 1 }
    // What is left from now on is seen the next time.
    _ = mail.hasWaiting.exchange(false, ordering: .acquiringAndReleasing)
    takeHandedOver()
    let parts = mail.take()
    let isStuck = published.withLock { !$0.handedOver.isEmpty }
    if isStuck { mail.hasWaiting.store(true, ordering: .relaxed) }
    if parts.isEmpty { return }
    do { try merge(parts) } catch { note(error) }
  }

  /// Merges one part after another, each in a turn of its own and not before others had theirs.
  private func mergeInTurns(_ parts: ArraySlice<ObjectsToMerge>) {
    guard let part = parts.first else { return }
    schedule { [weak self] in
      guard let self else { return }
      do { try merge([part]) } catch { note(error) }
      let rest = parts.dropFirst()
      if !rest.isEmpty {
        DispatchQueue.global().async { [weak self] in self?.mergeInTurns(rest) }
      }
    }
  }
}

/// The objects of one store that a context is to look at again.
struct ObjectsToMerge: Sendable {
  let store: StoreTag
  var keys: Set<ObjectKey>
  /// Whether objects may be gone, or links have come.
  var mayBeLost: Bool

  /// Takes in other objects of the same store.
  mutating func add(_ other: ObjectsToMerge) {
    keys.formUnion(other.keys)
    mayBeLost = mayBeLost || other.mayBeLost
  }

  /// So many objects are looked at again in about a millisecond.
  static let shortTurn = 100

  /// The objects that a change is about.
  static func all(
    of change: ContextChange, in coordinator: PersistentStoreCoordinator
  ) throws -> [ObjectsToMerge] {
    try change.layers.map { tag, layer in
      let graph = coordinator.store(of: tag)?.graph
      return ObjectsToMerge(
        store: tag,
        keys: Set(
          try layer.entities.flatMap { changes in
            try changes.entries().map {
              ObjectKey(entity: changes.entityNumber, number: $0.key)
            }
          }),
        mayBeLost: layer.entities.contains {
          $0.removed.rowCount > 0 || graph?[$0.entityNumber] == nil
        })
    }
  }

  /// Those of the objects that are not in one view what they are in another.
  func differing(_ one: View, _ other: View, _ schema: Schema) throws -> ObjectsToMerge {
    var part = self
    part.keys = try keys.filter { key in
      guard let layout = schema[key.entity] else { return true }
      let (before, after) = (try one.row(of: key), try other.row(of: key))
      guard let before, let after else { return before != nil || after != nil }
      return try layout.columns.contains { column in
        try !before.value(column).isIdentical(to: after.value(column))
      }
    }
    return part
  }

  /// The same in parts that take a short turn each; one when there is nothing to look at.
  var split: [ObjectsToMerge] {
    let all = Array(keys)
    guard all.count > ObjectsToMerge.shortTurn else { return [self] }
    return stride(from: 0, to: all.count, by: ObjectsToMerge.shortTurn).map { start in
      var part = self
      part.keys = Set(all[start..<min(start + ObjectsToMerge.shortTurn, all.count)])
      return part
    }
  }
}
