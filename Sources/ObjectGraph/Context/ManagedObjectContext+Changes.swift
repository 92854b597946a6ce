import ObjectModel

extension ManagedObjectContext {
  /// A stream of the changes and saves that the context makes from now on.
  ///
  ///     for await change in context.changes where change.kind == .saved { … }
  public var changes: AsyncStream<ContextChange> {
    workspace.observation.streams.stream()
  }
}
