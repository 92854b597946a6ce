import Dispatch
import Foundation
import Threads

/// Runs work in the turns of one context: on its queue, on the main actor or on its thread.
///
/// A turn begins with the changes that child contexts have pushed and the saves that other contexts have left in the
/// mailbox. It ends with the processing of the context's own changes.
struct ContextExecutor {
  let workspace: Workspace
  private var place: ContextPlace { workspace.place }
  private var queue: SerialQueue? { workspace.mail.queue }

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Runs `body` in a turn, without blocking the caller's thread unless the caller is in a turn already.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    if place.isHeld { return try turn(body) }
    switch place.concurrency {
    case .confined: return try turn(body)
    case .mainActor: return try await MainActor.run { [workspace] in try workspace.turn(body) }
    case .privateQueue:
      return try await withCheckedThrowingContinuation { [workspace] continuation in
        queue!.async { continuation.resume(with: Result { try workspace.turn(body) }) }
      }
    }
  }

  /// Runs `body` in a turn and waits for it.
  func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
    if place.isHeld { return try turn(body) }
    switch place.concurrency {
    case .confined: return try turn(body)
    case .mainActor:
      if ContextPlace.isMainActor { return try turn(body) }
      // SAFETY: The compiler does not treat the main queue as an actor. Only this call runs `body`, and it waits for
      // the end.
      nonisolated(unsafe) let body = body
      return try DispatchQueue.main.sync { try unsafe turn(body) }
    case .privateQueue:
      // The queue may wait for changes that the main actor owes. The main actor is about to wait for the queue, so it
      // publishes the changes first.
      if ContextPlace.isMainActor { catchUpWithMainActor() }
      return try ContextPlace.wait(for: queue!) { try turn(body) }
    }
  }

  /// Runs `body` in a later turn, and retains the context until then. A confined context runs `body` at once.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    workspace.mail.schedule { [workspace, context = workspace.face.context] in
      withExtendedLifetime(context) { workspace.turn(body) }
    }
  }

  /// Runs `body` on this thread as a turn of the context, or as a part of the turn under way.
  func turn<R>(_ body: () throws -> R) rethrows -> R {
    if place.concurrency == .confined { workspace.checkPlace() }
    let before = place.enter()
    let isNested = workspace.progress.isInTurn
    workspace.progress.isInTurn = true
    if !isNested {
      workspace.takePushes()
      workspace.takeWaiting()
    }
    defer {
      workspace.progress.isInTurn = isNested
      if !isNested { endTurn() }
      place.leave(before)
    }
    return try body()
  }

  private func endTurn() {
    do { try workspace.processPendingChanges() } catch { workspace.record(error) }
  }
}

// MARK: - The main actor

extension ContextExecutor {
  /// Schedules a turn on the main queue that processes the changes made on the main actor outside of `perform`.
  ///
  /// - Parameter isOwed: Whether child contexts must wait for that turn before they see all changes.
  func endTurnSoon(isOwed: Bool = true) {
    guard place.concurrency == .mainActor, !workspace.progress.isInTurn else { return }
    if isOwed { workspace.mail.owedTurn.begin() }
    guard workspace.mail.owedTurn.schedule() else { return }
    let context = WeakContext(context: workspace.face.context)
    DispatchQueue.main.async {
      context.withWorkspace { workspace in
        workspace.mail.owedTurn.beginTurn()
        workspace.turn {}
      }
    }
  }

  /// Ensures that ancestors on the main actor have published the changes that they owe, so that this context sees them.
  func catchUpWithMainActor() {
    var next = workspace.parent
    while let ancestor = next {
      next = ancestor.parent
      guard ancestor.mail.owedTurn.isPending else { continue }
      if ContextPlace.isMainActor {
        ContextExecutor(ancestor).publishOwedChanges()
      } else {
        ancestor.mail.owedTurn.wait()
      }
    }
  }

  /// Publishes the changes of a turn before it ends. Undo groups and notifications still wait for the end of the turn.
  private func publishOwedChanges() {
    guard !workspace.progress.isWorking else { return }
    workspace.checkPlace()
    do {
      try workspace.propagateDeletionsOrThrow()
      try workspace.sealAll()
    } catch { workspace.record(error) }
    workspace.publish()
  }
}

extension Workspace {
  /// Runs `body` as a turn of the context.
  func turn<R>(_ body: () throws -> R) rethrows -> R { try ContextExecutor(self).turn(body) }

  /// Runs `body` in a turn of the context and waits for it.
  func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
    try ContextExecutor(self).performAndWait(body)
  }

  /// Runs `body` in a later turn of the context. A confined context runs `body` at once.
  func schedule(_ body: @escaping @Sendable () -> Void) { ContextExecutor(self).schedule(body) }

  /// Stops the program if the caller is not in a turn of the context.
  func checkPlace() { place.check("The context") }
}
