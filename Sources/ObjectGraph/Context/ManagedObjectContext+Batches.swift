import ObjectModel

extension ManagedObjectContext {
  /// Inserts many objects, and saves them.
  ///
  /// - Throws: ``ContextError`` when a value is not right, or `StoreError`; nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try workspace.execute(request)
  }

  /// Sets values of many objects, and saves them.
  ///
  /// - Throws: `QueryError` when the request does not fit the model, ``ContextError`` when a value is not
  ///   right or is one of all objects together, or `StoreError`; nothing is changed then.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try workspace.execute(request)
  }

  /// Deletes many objects, and saves that.
  ///
  /// - Throws: As ``execute(_:)-(BatchUpdateRequest)``.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try workspace.execute(request)
  }
}
