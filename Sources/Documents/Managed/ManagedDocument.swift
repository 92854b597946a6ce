import DurableFiles
import Foundation
import Migration
public import ObjectGraph
public import ObjectModel
import Rows
public import StoreInterface
import Synchronization

/// A document with its objects: contexts, undo, autosave and states.
///
///     let document = try await ManagedDocument.open("Trip.quire", model: model, in: .builtIn)
///     let trip = try document.mainContext.insert(Trip.self)
///     trip.name = "Lisbon"                      // saved by itself two seconds later
///     try document.mainContext.undoStack?.undo()
///     try await document.close()
///
/// Objects live in ``mainContext``, on the main actor. Its parent is ``rootContext``, which saves to the stores
/// in the background. The main context pushes its changes without waiting, so the user never waits for a disk.
/// The program's own background work uses ``newWorkerContext()``.
///
/// May be used from any thread, except for the contexts and their objects.
public final class ManagedDocument: Sendable {
  /// The options of the document.
  public let options: DocumentOptions
  /// The coordinator of the stores and the model.
  public let coordinator: PersistentStoreCoordinator
  /// The context that saves to the stores, in the background.
  public let rootContext: ManagedObjectContext
  /// The context of the main actor. Its changes are saved and can be undone.
  public let mainContext: ManagedObjectContext

  struct State {
    var document: Document
    var state = DocumentState.normal
    var isClosed = false
    /// The number of changes of the main context, and the number at its last push.
    var main = (changes: 0, handedOver: 0)
    /// The number of changes of the root context, the number at its last save, and the number when its changes
    /// were last kept for recovery.
    var root = (changes: 0, saved: 0, kept: -1)
    /// Whether an autosave is scheduled.
    var isWaiting = false
    /// The times of the first and the last change that have not been pushed.
    var firstChange: ContinuousClock.Instant?
    var lastChange: ContinuousClock.Instant?
    var running: Task<Void, any Error>?
    var waiting: Task<Void, any Error>?
    /// The number of saves that have written a version.
    var writeCount = 0

    /// Whether a context has changes that are not saved.
    var hasChanges: Bool { main.changes != main.handedOver || root.changes != root.saved }
  }
  let state: Mutex<State>
  let states = StreamHub<DocumentState>()
  let timer = DispatchQueue(label: "ManagedDocument")
  private let observers = Mutex<[Observer]>([])
  private let work: BackgroundWork

  init(_ document: Document, _ model: Model, _ options: DocumentOptions) throws {
    self.options = options
    coordinator = PersistentStoreCoordinator(
      model: model, places: document.places, classes: options.classes,
      transformers: options.transformers)
    for store in document.stores {
      try coordinator.add(
        store, configuration: store.configuration, readOnly: document.isReadOnly)
    }
    rootContext = ManagedObjectContext(coordinator)
    rootContext.name = "root"
    rootContext.mergePolicy = options.mergePolicy
    rootContext.transactionAuthor = options.author
    mainContext = ManagedObjectContext(parent: rootContext, concurrency: .mainActor)
    mainContext.name = "main"
    mainContext.automaticallyMergesChangesFromParent = true
    work = BackgroundWork { [rootContext] in ManagedDocument.worker(of: rootContext) }
    state = Mutex(State(document: document))
    if document.isReadOnly {
      state.withLock { $0.state = .editingDisabled(DocumentError.readOnly(document.path)) }
    }
  }

  deinit {
    for observer in observers.withLock({ $0 }) {
      NotificationCenter.default.removeObserver(observer.token)
    }
    states.finish()
  }

  /// Starts the observers and timers that need the complete object.
  func begin() {
    for (context, isMain) in [(mainContext, true), (rootContext, false)] {
      let observer = Observer(
        token: NotificationCenter.default.addObserver(
          forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [weak self] notification in
          guard let change = notification.userInfo?[ContextChange.userInfoKey] as? ContextChange
          else { return }
          self?.record(change, inMain: isMain)
        })
      observers.withLock { $0.append(observer) }
    }
    if !options.savesOnSignals.isEmpty { EndSignals.shared.add(self, options.savesOnSignals) }
    lookForOthers()
  }

  package var document: Document { state.withLock { $0.document } }
  /// The path of the document.
  public var path: String { document.path }
  /// The document's attachments as the last save wrote them.
  public var attachments: [Attachment] { document.attachments }
  /// The current state of the document.
  public var currentState: DocumentState { state.withLock { $0.state } }
  /// The current state, followed by all later states.
  public var stateChanges: AsyncStream<DocumentState> { states.stream(beginningWith: currentState) }

  /// Whether the document has changes to save.
  public var hasUnsavedChanges: Bool {
    state.withLock { state in
      !state.isClosed
        && (state.hasChanges || state.document.hasStagedAttachments)
    }
  }

  /// The number of saves that have written a version since the document was opened.
  public var writeCount: Int { state.withLock { $0.writeCount } }

  /// Returns a new child context of ``rootContext``, with its own queue. Its saves appear in the main
  /// context and are saved with the document.
  public func newWorkerContext() -> ManagedObjectContext { Self.worker(of: rootContext) }

  private static func worker(of root: ManagedObjectContext) -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: root)
    context.automaticallyMergesChangesFromParent = true
    return context
  }

  /// Reads in a context beside the main one, and returns values that any actor may use.
  ///
  ///     let document = try await ManagedDocument.open(path, in: places)
  ///     let trips: [Trip.Snapshot] = try await document.read { try $0.fetchSnapshots(Trip.all) }
  ///
  /// The context shows what ``rootContext`` shows, with the changes that are not saved yet. Reads run side by side.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, at the next search; the errors of `body`.
  public func read<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R { try await work.read(body) }

  /// Changes objects in a context beside the main one, and saves them into ``rootContext``.
  ///
  ///     let document = try await ManagedDocument.open(path, in: places)
  ///     try await document.write { context in
  ///       for trip in try context.fetch(Trip.where { $0.cost < 0 }) { trip.cost = 0 }
  ///     }
  ///
  /// The main context shows the changes, and the next save of the document writes them. The calls run one after another.
  /// An error of `body` takes all its changes back.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the end; the errors of `body` and of the save into the root.
  @discardableResult
  public func write<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R { try await work.write(body) }

  /// Changes objects in the same way. A result that can't leave the context, such as an inserted object, is dropped.
  ///
  /// - Throws: As the form that returns a value.
  public func write<R>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws { try await work.write { _ = try body($0) } }

  func set(_ new: DocumentState) {
    state.withLock { $0.state = new }
    states.yield(new)
  }

  func checkOpen() throws {
    if state.withLock({ $0.isClosed }) {
      throw DocumentError.closed(path)
    }
  }
}

// MARK: - Opening

extension ManagedDocument {
  /// Opens a document, or makes one if `path` does not exist.
  ///
  /// - Parameters:
  ///   - model: The program's model. A document of another version is migrated to it
  ///     (``DocumentOptions/migrator``).
  ///   - places: The backends that open stores, and the disk.
  /// - Throws: The errors of opening, migrating or making a document.
  public static func openOrCreate(
    _ path: String, model: Model, in places: StorePlaces,
    _ options: DocumentOptions = DocumentOptions()
  ) async throws -> ManagedDocument {
    do {
      return try await open(path, model: model, in: places, options)
    } catch let error as DocumentError where error.code == .notFound {
      return try await create(path, model: model, in: places, options)
    }
  }

  /// Opens a document.
  ///
  /// - Parameters:
  ///   - model: The program's model, or `nil` to use the document's own. A document of another version is
  ///     migrated
  ///     to it (``DocumentOptions/migrator``).
  ///   - places: The backends that open stores, and the disk.
  /// - Throws: ``DocumentError``, with codes such as ``DocumentError/Code/notFound`` and
  ///   ``DocumentError/Code/locked``; the errors of a migration.
  public static func open(
    _ path: String, model: Model? = nil, in places: StorePlaces,
    _ options: DocumentOptions = DocumentOptions()
  ) async throws -> ManagedDocument {
    try await aside {
      func opened() throws -> Document {
        try Document.open(
          path, in: places, access: options.access, whenHeld: options.whenHeld, head: options.head)
      }
      var document = try opened()
      do {
        if let model, try model.versionHashes != document.model.versionHashes {
          guard let migrator = options.migrator, !document.isReadOnly else {
            throw DocumentError(
              .incompatibleModel,
              "The model differs from the model that the document was saved with: "
                + "\(model.differences(from: try document.model.versionHashes)).", path: path)
          }
          try document.close()
          try Document.migrate(
            path, to: model, with: migrator, in: places, whenHeld: options.whenHeld,
            head: options.head)
          document = try opened()
        }
        return try managed(document, model, options)
      } catch {
        try? document.close()
        throw error
      }
    }
  }

  /// Makes a new document and opens it.
  ///
  /// - Parameters:
  ///   - modelName: The name of the model's version.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` if `path` exists.
  public static func create(
    _ path: String, model: Model, modelName: String = "1", title: String? = nil,
    in places: StorePlaces, _ options: DocumentOptions = DocumentOptions(),
    overwriting: Bool = false
  ) async throws -> ManagedDocument {
    try await aside {
      let ending = path.lastPathComponent.split(separator: ".").last ?? ""
      let document = try Document.create(
        path, model: model, modelName: modelName, stores: options.hooks.stores(String(ending)),
        title: title, in: places, access: options.access, overwriting: overwriting)
      return try managed(document, model, options)
    }
  }

  private static func managed(
    _ document: Document, _ model: Model?, _ options: DocumentOptions
  ) throws -> ManagedDocument {
    let managed = try ManagedDocument(document, model ?? document.model, options)
    try managed.readContent()
    managed.begin()
    if let levels = options.undoLevels {
      managed.mainContext.schedule { [weak managed] in
        guard let context = managed?.mainContext, context.undoStack == nil else { return }
        context.undoStack = UndoStack(levels: levels)
      }
    }
    return managed
  }

  /// Runs slow work on a background queue.
  static func aside<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Passes the content that the program keeps besides objects to its hook.
  func readContent() throws {
    guard let read = options.hooks.readAdditionalContent else { return }
    try read(try document.content())
  }
}

/// A registered observer of notifications.
private struct Observer: @unchecked Sendable {
  // Sendable: the token is only stored, and returned to the notification center, which any thread may use.
  let token: any NSObjectProtocol
}
