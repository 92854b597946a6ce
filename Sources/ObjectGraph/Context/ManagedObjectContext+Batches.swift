import ObjectModel

extension ManagedObjectContext {
  /// Inserts many objects and saves them.
  ///
  /// - Throws: ``ContextError`` if a value is invalid; `StoreError`. Nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try BatchRunner(workspace).execute(request)
  }

  /// Sets values of many objects and saves them.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; ``ContextError`` if a value is invalid or is an
  ///   aggregate of all objects; `StoreError`. Nothing is changed then.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try BatchRunner(workspace).execute(request)
  }

  /// Deletes many objects and saves the deletion.
  ///
  /// - Throws: As ``execute(_:)-(BatchUpdateRequest)``.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try BatchRunner(workspace).execute(request)
  }
}
