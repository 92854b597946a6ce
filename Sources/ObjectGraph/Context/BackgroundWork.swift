import Synchronization

/// Runs the work of `read` and `write` in contexts with queues of their own.
///
/// All writing happens in one context, one call after another: two calls never conflict with each other, and each sees the changes of
/// the calls before it. Each read has its own context, so that reads run side by side.
package final class BackgroundWork: Sendable {
  private let makeContext: @Sendable () -> ManagedObjectContext
  private let writer = Mutex<ManagedObjectContext?>(nil)

  package init(_ makeContext: @escaping @Sendable () -> ManagedObjectContext) {
    self.makeContext = makeContext
  }

  package func read<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = makeContext()
    return try await perform(in: context) { try body(context) }
  }

  package func write<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = writer.withLock { writer in
      let context = writer ?? makeContext()
      writer = context
      return context
    }
    return try await perform(in: context) {
      do {
        let result = try body(context)
        try context.save()
        return result
      } catch {
        // The next call must not save the changes of this one.
        context.rollback()
        throw error
      }
    }
  }

  /// Runs `body` in a turn. A cancelled task ends it at its next search or save.
  private func perform<R: Sendable>(
    in context: ManagedObjectContext, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await context.perform {
        try cancellation.check()
        context.mayGoOnSearching = { !cancellation.isRequested }
        defer { context.mayGoOnSearching = nil }
        return try body()
      }
    } onCancel: {
      cancellation.request()
    }
  }

  private final class Cancellation: Sendable {
    private let flag = Atomic(false)
    var isRequested: Bool { flag.load(ordering: .relaxed) }
    func request() { flag.store(true, ordering: .relaxed) }
    func check() throws { if isRequested { throw CancellationError() } }
  }
}
