import ObjectModel

extension ManagedObjectContext {
  /// The changes and saves of the context from now on.
  ///
  ///     for await change in context.changes where change.kind == .saved { … }
  public var changes: AsyncStream<ContextChange> {
    workspace.observation.streams.stream()
  }
}
