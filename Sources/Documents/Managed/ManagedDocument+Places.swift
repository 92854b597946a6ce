import DurableFiles
import ObjectGraph
public import StoreInterface
import Synchronization

// Documents at other paths, and stores of other types.
extension ManagedDocument {
  /// Saves the document and continues with a copy at another path. The document at the old path stays as it was
  /// saved last.
  ///
  /// - Parameters:
  ///   - type: The type of the stores, or `nil` to keep their types. With another type, objects get new
  ///     identifiers: objects that the caller holds become unusable, the undo stack is emptied, and the new document
  ///     contains no earlier versions.
  ///   - overwriting: Whether an existing document at `path` is replaced. Otherwise it is an error.
  /// - Throws: As ``save()``; ``DocumentError`` with code ``DocumentError/Code/exists``. The document then
  ///   stays at its path.
  public func save(
    as path: String, type: StoreType? = nil, overwriting: Bool = false
  ) async throws {
    try await save()
    let document = document
    guard let type, document.stores.contains(where: { $0.type != type }) else {
      return try await ManagedDocument.aside {
        try document.copyAndContinue(at: path, overwriting: overwriting)
      }
    }
    let options = options
    let other = try await ManagedDocument.aside {
      try document.convert(to: path, overwriting: overwriting, type: { _ in type })
      return try Document.open(path, in: document.places, access: options.access)
    }
    do {
      try await mainContext.perform {
        guard !self.mainContext.hasChanges, !self.hasUnsavedChanges else {
          throw DocumentError(
            .notSupported,
            "The document was changed while it was written to the other path. Try again.",
            path: document.path)
        }
        self.mainContext.reset()
      }
    } catch {
      try? other.close()
      try? document.places.disk.removeTree(path)
      throw error
    }
    try await rootContext.perform {
      self.rootContext.reset()
      for store in self.coordinator.stores { try? self.coordinator.remove(store) }
      for store in other.stores {
        try self.coordinator.add(store, configuration: store.configuration)
      }
    }
    try await mainContext.perform {
      self.mainContext.undoStack?.removeAll()
      self.mainContext.reset()
    }
    state.withLock { $0.document = other }
    try document.close()
  }

  /// Copies the document. This document continues at its own path.
  ///
  /// - Throws: As ``save()``; ``DocumentError`` with code ``DocumentError/Code/exists``.
  public func duplicate(to path: String) async throws {
    if hasUnsavedChanges { try await save() }
    let document = document
    try await ManagedDocument.aside { try document.copy(to: path) }
  }

  /// Moves the document, which stays open.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists``; ``DocumentError`` if the disk
  ///   refuses.
  public func move(to path: String) async throws {
    try checkOpen()
    _ = await state.withLock { $0.waiting ?? $0.running }?.result
    let document = document
    try await ManagedDocument.aside { try document.move(to: path) }
  }
}
