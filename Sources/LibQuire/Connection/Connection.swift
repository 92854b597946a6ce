// SAFETY: A handle is a number. No memory is read at the pointer.

import CQuire
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// An open store with its context, which a handle of the interface stands for.
final class Connection: Sendable {
  /// The path that the caller has opened.
  let path: String
  let places: StorePlaces
  /// The document of the store; `nil` for a bare store.
  let document: Document?
  let store: any Store
  let schema: Schema
  let context: ManagedObjectContext
  let interruption = Interruption()
  private let isReadOnly: Bool
  private let isClosed = Atomic(false)

  init(
    _ store: any Store, of document: Document?, at path: String, in places: StorePlaces,
    author: String?, isReadOnly: Bool = false
  ) throws {
    self.path = path
    self.isReadOnly = isReadOnly || document?.isReadOnly ?? false
    self.places = places
    self.document = document
    self.store = store
    let snapshot = try store.snapshot()
    schema = snapshot.schema
    let coordinator = PersistentStoreCoordinator(model: try snapshot.model)
    try coordinator.add(store)
    // Calls come from any thread, and run one after another.
    context = ManagedObjectContext(coordinator, concurrency: .privateQueue)
    context.transactionAuthor = author
    context.mayGoOnSearching = { [interruption] in interruption.mayGoOn }
    context.performAndWait { context.undoStack = UndoStack() }
  }

  var model: Model { context.coordinator.model }

  /// Runs the body of a call in a turn of the context.
  func run<R>(_ body: () throws -> R) throws -> R {
    try context.performAndWait {
      guard !isClosed.load(ordering: .relaxed) else {
        throw CallError(.closed, "The connection to '\(path)' was closed.")
      }
      interruption.begin()
      defer { interruption.end() }
      return try body()
    }
  }

  /// Makes a change as one undo step: as a whole, or not at all.
  func change<R>(_ body: () throws -> R) throws -> R {
    if isReadOnly {
      throw CallError(.readOnly, "'\(path)' is open for reading only.")
    }
    let undo = context.undoStack!
    try undo.beginGroup()
    let result: R
    do {
      result = try body()
      // The consequences of a deletion are found here, and may lie in damaged rows.
      try context.processPendingChanges()
    } catch {
      // Taking the changes back may need a search, which must not be interrupted.
      interruption.end()
      try undo.cancelGroup()
      throw error
    }
    try undo.endGroup()
    return result
  }

  /// Closes the store after the call that runs, and lets waiting calls fail.
  func close() throws {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    try context.performAndWait {
      context.reset()
      if let document { try document.close() } else { try store.close() }
    }
  }
}

// MARK: - Handles

extension Connection {
  /// The open connections by the numbers that callers have as handles. A number is never used again, so a call with the handle
  /// of a closed connection fails, also if another thread has closed it a moment ago.
  private struct Handles {
    var open: [UInt: Connection] = [:]
    var last: UInt = 0
  }
  private static let handles = Mutex(Handles())

  /// Returns a handle, which ``close(_:)`` makes invalid.
  func makeHandle() -> OpaquePointer? {
    let number = Connection.handles.withLock { handles in
      handles.last += 1
      handles.open[handles.last] = self
      return handles.last
    }
    return unsafe OpaquePointer(bitPattern: number)
  }

  /// Returns the connection of a handle.
  @unsafe static func at(_ handle: OpaquePointer?) throws -> Connection {
    guard let handle = unsafe handle else {
      throw CallError(.badArgument, "The connection is missing.")
    }
    let number = UInt(bitPattern: handle)
    guard let connection = handles.withLock({ $0.open[number] }) else {
      throw CallError(.closed, "The connection was closed.")
    }
    return connection
  }

  /// Closes the connection of a handle after the call that runs on it.
  @unsafe static func close(_ handle: OpaquePointer) throws {
    let number = UInt(bitPattern: handle)
    guard let connection = handles.withLock({ $0.open.removeValue(forKey: number) }) else {
      throw CallError(.closed, "The connection was closed.")
    }
    try connection.close()
  }
}

// MARK: - Objects

extension Connection {
  /// Returns the identifier of a key of this store.
  func identifier(_ key: ObjectKey) -> ObjectID { ObjectID(store: store.tag, key: key) }

  /// Returns the object with an identifier.
  func object(_ number: UInt64) throws -> ManagedObject {
    let key = ObjectKey(rawValue: number)
    guard schema[key.entity] != nil else {
      throw CallError(.noObject, "\(number) is not the identifier of an object of '\(path)'.")
    }
    return try context.existingObject(with: identifier(key))
  }

  /// Throws unless the model has an entity of the name.
  func check(entity name: String) throws {
    guard model[name] == nil else { return }
    let names = model.entities.map(\.name).joined(separator: ", ")
    throw CallError(.unknownName, "The model has no entity \"\(name)\". It has: \(names).")
  }
}
