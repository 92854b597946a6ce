import DurableFiles
import ObjectGraph
public import StoreInterface
import Synchronization

// Other places, and other types.
extension ManagedDocument {
  /// Saves the document and goes on with it at another place: what is at the old one stays as it was saved there
  /// last.
  ///
  /// - Parameters:
  ///   - type: The type that its stores are to be of; what they are when it is `nil`. With another type objects
  ///     get other identifiers: those that somebody holds can't be used any more, there is nothing to undo, and
  ///     the new document begins its versions anew.
  ///   - overwriting: Whether a document that is there is replaced; otherwise it is an error.
  /// - Throws: As ``save()``; ``DocumentError`` with code ``DocumentError/Code/exists``. The document stays where
  ///   it is then.
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
            .notSupported, "The document was changed while it was written elsewhere. Try again.",
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

  /// Makes another document that is as this one is now. This one stays the one that is worked on.
  ///
  /// - Throws: As ``save()``; ``DocumentError`` with code ``DocumentError/Code/exists``.
  public func duplicate(to path: String) async throws {
    if hasUnsavedChanges { try await save() }
    let document = document
    try await ManagedDocument.aside { try document.copy(to: path) }
  }

  /// Moves the document, which stays open.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists``; what the disk refuses.
  public func move(to path: String) async throws {
    try checkOpen()
    _ = await state.withLock { $0.waiting ?? $0.running }?.result
    let document = document
    try await ManagedDocument.aside { try document.move(to: path) }
  }
}
