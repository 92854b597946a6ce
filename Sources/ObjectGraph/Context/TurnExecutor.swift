// SAFETY: Work on the way retains the context, and the context retains the executor.

/// Runs the work of an actor in the turns of a context.
final class TurnExecutor: SerialExecutor {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func enqueue(_ job: consuming ExecutorJob) {
    require(
      workspace.concurrency == .privateQueue,
      "The context of a ContextActor must have a private queue. Make it with newBackgroundContext()."
    )
    let job = UnownedJob(job)
    ContextExecutor(workspace).schedule { [self] in
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  func checkIsolated() { workspace.checkPlace() }
}
