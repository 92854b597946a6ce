import ObjectModel

extension ManagedObjectContext {
  /// What the context changes and saves, from now on.
  ///
  ///     for await change in context.changes where change.kind == .saved { … }
  public var changes: AsyncStream<ContextChange> {
    workspace.changes
  }
}
