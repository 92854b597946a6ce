import Dispatch
import ObjectModel
import Rows
import StoreInterface
import Synchronization

// What others are told of a save, and how they follow.
extension Workspace {
  /// Tells children, siblings and other contexts what was saved.
  ///
  /// - Parameter toChildren: Whether children are to look at it. Those of whoever merges are told by that.
  func announceSave(_ saved: [StoreTag: Layer], toChildren: Bool = true) {
    guard !saved.isEmpty else { return }
    let change = tell(.saved, saved)
    let (me, parent) = (ObjectIdentifier(self), mail.parent)
    passOn(try ObjectsToMerge.all(of: change, in: coordinator), isOwn: true) {
      $0.parent == parent || (toChildren && $0.parent == me)
    }
  }

  /// Has other contexts look at what was saved. None of them is held here, where it might end.
  ///
  /// - Parameter isOwn: Whether this context has saved it. What it has merged may be one of several saves that it
  ///   shows already.
  func passOn(
    _ makeParts: @autoclosure () throws -> [ObjectsToMerge], isOwn: Bool,
    to isMeant: (ContextMail) -> Bool
  ) {
    var known: [ObjectsToMerge]?
    for (mail, context) in coordinator.contexts
    where mail !== self.mail && mail.isFollowing.load(ordering: .relaxed)
      && !mail.isGone.load(ordering: .relaxed) && isMeant(mail)
    {
      do {
        // Mostly nobody follows.
        let parts = try known ?? makeParts()
        known = parts
        if mail.isOutOfReach {
          mail.leave(parts)
          continue
        }
        let isChild = isOwn && mail.parent == ObjectIdentifier(self)
        let moves = isChild ? movesToSettle(by: parts, mail) : [:]
        guard mail.place.concurrency == .mainActor else {
          mail.published.withLock { $0.mergesUnderWay += 1 }
          mail.schedule(context) { other in
            do { try other.merge(parts) } catch { other.note(error) }
            other.finishMerging(moves)
          }
          continue
        }
        // Nobody waits long on the main actor: what has come from there and shows already is passed over, and what
        // is much is merged in turns of their own. Others have looked at what lies beneath and not at each object.
        let turns = try parts.flatMap { part in
          try (isChild ? self.part(part, notShownBy: mail) : part).split
        }
        if turns.isEmpty { continue }
        mail.published.withLock { $0.mergesUnderWay += 1 }
        mail.mergeInTurns(turns[...], context, moves)
      } catch { note(error) }
    }
  }

  /// How far a child has moved that is about to merge what this context has saved, if nothing else has come to lie
  /// beneath it meanwhile.
  private func movesToSettle(
    by parts: [ObjectsToMerge], _ child: ContextMail
  ) -> [StoreTag: BaseMoves.Settlement] {
    var settlements: [StoreTag: BaseMoves.Settlement] = [:]
    for part in parts {
      guard let newest = mail.published.withLock({ $0.bases[part.store] }) else { continue }
      let (seen, moves) = child.published.withLock {
        ($0.bases[part.store], $0.moves[part.store] ?? BaseMoves())
      }
      // What this context has not saved yet is to be told by itself; so is what others have saved, of which the main
      // actor's contexts are always told.
      guard newest.layers.isEmpty, let seen,
        child.place.concurrency == .mainActor
          || newest.snapshot.commit <= moves.oldestCommit(at: seen) + 1
      else { continue }
      settlements[part.store] = BaseMoves.Settlement(count: moves.count, newest: newest)
    }
    return settlements
  }

  /// Those of the objects that a child does not show as they are by now.
  private func part(
    _ part: ObjectsToMerge, notShownBy child: ContextMail
  ) throws -> ObjectsToMerge {
    let newest = mail.published.withLock { $0.bases[part.store] }
    let (seen, moves) = child.published.withLock { ($0.bases[part.store], $0.moves[part.store]) }
    guard let newest, let seen, let schema = coordinator.store(of: part.store)?.graph.schema,
      let left = (moves ?? BaseMoves()).known
    else { return part }
    return try part.differing(left + [(seen, newest)], schema)
  }

  /// Notes that all objects were looked at again that a context above has told of.
  func finishMerging(_ settlements: [StoreTag: BaseMoves.Settlement]) {
    mail.published.withLock { published in
      published.mergesUnderWay -= 1
      // What is merged meanwhile may be as of any of the moves.
      guard published.mergesUnderWay == 0 else { return }
      for (store, settlement) in settlements { published.moves[store]?.settle(settlement) }
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
    let isStuck = mail.published.withLock { !$0.handedOver.isEmpty }
    if isStuck { mail.hasWaiting.store(true, ordering: .relaxed) }
    if parts.isEmpty { return }
    do { try merge(parts) } catch { note(error) }
  }

  /// Merges the first of some parts; more of them where there is much that has to be gone through each time.
  ///
  /// - Returns: The others.
  fileprivate func mergeFirst(of parts: ArraySlice<ObjectsToMerge>) -> ArraySlice<ObjectsToMerge> {
    guard var part = parts.first else { return [] }
    var rest = parts.dropFirst()
    while let next = rest.first, next.store == part.store,
      part.keys.count + next.keys.count <= changedObjects.count / 16
    {
      part.add(next)
      rest = rest.dropFirst()
    }
    do { try merge([part]) } catch { note(error) }
    return rest
  }
}

extension ContextMail {
  /// Merges one part after another, each in a turn of its own and not before others had theirs.
  fileprivate func mergeInTurns(
    _ parts: ArraySlice<ObjectsToMerge>, _ context: WeakContext,
    _ settlements: [StoreTag: BaseMoves.Settlement]
  ) {
    schedule(context) { other in
      let rest = other.mergeFirst(of: parts)
      if rest.isEmpty { return other.finishMerging(settlements) }
      DispatchQueue.global().async { self.mergeInTurns(rest, context, settlements) }
    }
  }
}

/// The objects of one store that a context is to look at again.
struct ObjectsToMerge: Sendable {
  let store: StoreTag
  var keys: Set<ObjectKey>
  /// Those of the objects that were inserted.
  var inserted: Set<ObjectKey> = []
  /// Those of the objects that were deleted.
  var deleted: Set<ObjectKey> = []
  /// Whether objects may be gone, or links have come.
  var mayBeLost: Bool

  /// Takes in other objects of the same store.
  mutating func add(_ other: ObjectsToMerge) {
    keys.formUnion(other.keys)
    // A later part may bring back what an earlier one has deleted.
    inserted.subtract(other.deleted)
    deleted.subtract(other.inserted)
    inserted.formUnion(other.inserted)
    deleted.formUnion(other.deleted)
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
      var part = ObjectsToMerge(
        store: tag, keys: [],
        mayBeLost: layer.entities.contains {
          $0.removed.rowCount > 0 || graph?[$0.entityNumber] == nil
        })
      for changes in layer.entities {
        for entry in try changes.entries() {
          let key = ObjectKey(entity: changes.entityNumber, number: entry.key)
          part.keys.insert(key)
          switch entry.entry {
          case .put: part.inserted.insert(key)
          case .removed: part.deleted.insert(key)
          case .absent, .changed: break
          }
        }
      }
      return part
    }
  }

  /// Those of the objects that were changed by any of some moves from one base to another.
  func differing(
    _ moves: [(before: StoreBase, after: StoreBase)], _ schema: Schema
  ) throws -> ObjectsToMerge {
    var part = self
    part.keys = []
    for (before, after) in moves where !before.isSame(as: after) {
      let (one, other) = (View(before.tables), View(after.tables))
      for key in keys where !part.keys.contains(key) {
        if try one.differs(from: other, key, schema) { part.keys.insert(key) }
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

extension View {
  /// Whether an object is not in this view what it is in another.
  fileprivate func differs(
    from other: View, _ key: ObjectKey, _ schema: Schema
  ) throws -> Bool {
    guard let layout = schema[key.entity] else { return true }
    let (before, after) = (try row(of: key), try other.row(of: key))
    guard let before, let after else { return before != nil || after != nil }
    return try layout.columns.contains { column in
      try !before.value(column).isIdentical(to: after.value(column))
    }
  }
}
