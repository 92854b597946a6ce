import Dispatch
public import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// The commits that other coordinators make to a store, from the announcement until contexts have merged them.
final class RemoteCommits: Sendable {
  let queue = DispatchQueue(label: "RemoteCommits")
  private let state: Mutex<State>

  private struct State {
    /// The newest commit that contexts have merged, or need not merge.
    var merged: Int64
    /// The newest commit that the store has announced.
    var announced: Int64
    /// The later commits of this coordinator, which contexts merge without an announcement.
    var own: Set<Int64> = []
    var isScheduled = false
  }

  /// - Parameter commit: The newest commit when the store was opened.
  init(after commit: Int64) { state = Mutex(State(merged: commit, announced: commit)) }

  /// Records an announced commit, and returns whether the caller must schedule a merge.
  func announce(_ commit: Int64) -> Bool {
    state.withLock { state in
      state.announced = max(state.announced, commit)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
  }

  /// Records a commit of this coordinator. The caller holds the store's lock for commits.
  func recordOwn(_ commit: Int64) { state.withLock { _ = $0.own.insert(commit) } }

  /// Begins a merge: later announcements schedule another one.
  func begin() { state.withLock { $0.isScheduled = false } }

  /// The most commits that are merged one by one. Beyond it, contexts look for all differences.
  private static let mostMergedCommits: Int64 = 1000

  /// The commits that were announced and not merged.
  enum Pending {
    /// There are none, or only commits of this coordinator.
    case none
    /// The commits after a commit, without those of this coordinator.
    case some(after: Int64, numbers: Set<Int64>)
    /// There are too many to merge them one by one.
    case many
  }

  /// Returns the commits that were announced and not merged.
  func pending() -> Pending {
    state.withLock { state in
      guard state.announced > state.merged else { return .none }
      guard state.announced - state.merged <= RemoteCommits.mostMergedCommits else { return .many }
      let numbers = Set(state.merged + 1...state.announced).subtracting(state.own)
      return numbers.isEmpty ? .none : .some(after: state.merged, numbers: numbers)
    }
  }

  /// Records that contexts have merged all commits up to the given one.
  func recordMerged(_ commit: Int64) {
    state.withLock { state in
      state.merged = max(state.merged, commit)
      state.own = state.own.filter { $0 > state.merged }
    }
  }

  var announced: Int64 { state.withLock { $0.announced } }
}

extension Notification.Name {
  /// Posted when another coordinator, perhaps on another machine, has saved into a store that announces commits.
  ///
  /// The object of the notification is the coordinator. The user info contains the store's `UUID` under
  /// ``PersistentStoreCoordinator/storeUUIDKey``, and the ``HistoryToken`` of the newest announced commit under
  /// ``PersistentStoreCoordinator/historyTokenKey``. The notification is posted on any thread.
  public static let persistentStoreRemoteChange = Notification.Name("PersistentStoreRemoteChange")
}

extension PersistentStoreCoordinator {
  /// The key of a store's identifier in the user info of a notification.
  public static let storeUUIDKey = "StoreUUID"
  /// The key of a place in the history in the user info of a notification.
  public static let historyTokenKey = "HistoryToken"

  /// Lets contexts follow the commits that other coordinators make to a store.
  func follow(_ store: PersistentStore) {
    guard let announcing = store.features.announcements, let remote = store.remoteCommits
    else { return }
    announcing.whenCommitted { [weak self, weak store] commit in
      guard let self, let store else { return }
      // Observers of the history hear of the commit without waiting for their next poll.
      commitSignals.yield(())
      if remote.announce(commit) {
        remote.queue.async { [weak self] in self?.merge(remote, of: store) }
      }
    }
  }

  /// Merges the commits of other coordinators into the contexts that follow saves.
  private func merge(_ remote: RemoteCommits, of store: PersistentStore) {
    remote.begin()
    // A commit of this coordinator may be announced before its save returns. The queue waits for that.
    guard !store.isGone, (try? commitQueue.alone(with: [store]) {}) != nil else { return }
    let end = remote.announced
    let pending = remote.pending()
    if case .none = pending { return remote.recordMerged(end) }
    NotificationCenter.default.post(
      name: .persistentStoreRemoteChange, object: self,
      userInfo: [
        PersistentStoreCoordinator.storeUUIDKey: store.uuid,
        PersistentStoreCoordinator.historyTokenKey: HistoryToken(commits: [store.uuid: end]),
      ])
    do {
      try passOn(try parts(pending, of: store), except: nil) { $0.parent == nil }
    } catch let error as StoreError where error.code == .inputOutput {
      // The server may be back in a moment. No later announcement repeats this one.
      remote.queue.asyncAfter(deadline: .now() + 1) { [weak self] in
        self?.merge(remote, of: store)
      }
      return
    } catch {
      // Without the history of these commits, the contexts look for all differences.
      try? passOn([ObjectsToMerge(store: store.tag, keys: [])], except: nil) { $0.parent == nil }
    }
    remote.recordMerged(end)
  }

  /// Returns the objects that some commits have changed.
  private func parts(
    _ pending: RemoteCommits.Pending, of store: PersistentStore
  ) throws -> [ObjectsToMerge] {
    var all = ObjectsToMerge(store: store.tag, keys: [])
    guard case .some(let start, let numbers) = pending else { return [all] }
    var request = HistoryRequest(after: HistoryToken(commits: [store.uuid: start]))
    request.stores = [store.uuid]
    for transaction in try history(request) where numbers.contains(transaction.number) {
      for part in try ObjectsToMerge.all(of: transaction.contextChange, in: self) { all.add(part) }
    }
    return [all]
  }

  /// Passes the objects of a save on to the contexts that follow saves, as far as they are meant. Does not retain the
  /// contexts: if the last reference to a context were released here, the context would be deallocated outside of its
  /// own place.
  ///
  /// - Parameter makeParts: The objects. They are made only if a context follows.
  func passOn(
    _ makeParts: @autoclosure () throws -> [ObjectsToMerge], except sender: ContextMail?,
    to isMeant: (ContextMail) -> Bool
  ) throws {
    var known: [ObjectsToMerge]?
    for (mail, context) in contexts
    where mail !== sender && mail.isFollowing.load(ordering: .relaxed)
      && !mail.isGone.load(ordering: .relaxed) && isMeant(mail)
    {
      let parts = try known ?? makeParts()
      known = parts
      if mail.isOutOfReach {
        mail.leave(parts)
      } else {
        // Merges in its own turn, so that no value changes during other work.
        mail.schedule(context) { other in
          if other.progress.isWorking { return other.mail.leave(parts) }
          do { try other.merge(parts) } catch { other.record(error) }
        }
      }
    }
  }
}
