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
/// Objects live in ``mainContext``, on the main actor. Above the stores is ``rootContext``, which writes in the
/// background: the main context hands its changes over without waiting, so that its user never waits for a disk.
/// Work of your own goes on in ``newWorkerContext()``.
///
/// May be used from any thread, but for the contexts and their objects.
public final class ManagedDocument: Sendable {
  /// How the document behaves.
  public let options: DocumentOptions
  /// The stores and the model.
  public let coordinator: PersistentStoreCoordinator
  /// The context that writes, in the background.
  public let rootContext: ManagedObjectContext
  /// The context of the main actor, whose changes are saved and can be undone.
  public let mainContext: ManagedObjectContext

  struct State {
    var document: Document
    var state = DocumentState.normal
    var isClosed = false
    /// How often the main context was changed, and how often when its changes were handed over last.
    var main = (changes: 0, handedOver: 0)
    /// How often the root context was changed, how often when it was saved last, and how often when it was kept
    /// for recovery last.
    var root = (changes: 0, saved: 0, kept: -1)
    /// Whether an autosave is waited for.
    var isWaiting = false
    /// When the first change was made that is not handed over, and the last.
    var firstChange: ContinuousClock.Instant?
    var lastChange: ContinuousClock.Instant?
    var running: Task<Void, any Error>?
    var waiting: Task<Void, any Error>?
    /// How many saves have written something.
    var writeCount = 0

    /// Whether a context has changes that are not saved.
    var hasChanges: Bool { main.changes != main.handedOver || root.changes != root.saved }
  }
  let state: Mutex<State>
  let states = StreamHub<DocumentState>()
  let timer = DispatchQueue(label: "ManagedDocument")
  private let observers = Mutex<[Observer]>([])

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

  /// What has to wait until the object is complete.
  func begin() {
    for (context, isMain) in [(mainContext, true), (rootContext, false)] {
      let observer = Observer(
        token: NotificationCenter.default.addObserver(
          forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [weak self] notification in
          guard let change = notification.userInfo?[ContextChange.userInfoKey] as? ContextChange
          else { return }
          self?.note(change, inMain: isMain)
        })
      observers.withLock { $0.append(observer) }
    }
    if !options.savesOnSignals.isEmpty { EndSignals.shared.add(self, options.savesOnSignals) }
    lookForOthers()
  }

  /// The document on disk.
  package var document: Document { state.withLock { $0.document } }
  /// Where it is.
  public var path: String { document.path }
  /// The document's attachments, as they were saved last.
  public var attachments: [Attachment] { document.attachments }
  /// What it is doing, or what is in its way.
  public var currentState: DocumentState { state.withLock { $0.state } }
  /// What it is doing, from now on; the current state comes first.
  public var stateChanges: AsyncStream<DocumentState> { states.stream(beginningWith: currentState) }

  /// Whether there is anything to be saved.
  public var hasUnsavedChanges: Bool {
    state.withLock { state in
      !state.isClosed
        && (state.hasChanges || state.document.hasStagedAttachments)
    }
  }

  /// How many saves have written something since the document was opened.
  public var writeCount: Int { state.withLock { $0.writeCount } }

  /// A context of your own above the one that writes, with a queue of its own. What it saves is seen by the
  /// main context, and saved with the document.
  public func newWorkerContext() -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: rootContext)
    context.automaticallyMergesChangesFromParent = true
    return context
  }

  /// Runs `body` in a context of its own and saves what it has done there.
  public func performWork<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = newWorkerContext()
    return try await context.perform {
      let result = try body(context)
      try context.save()
      return result
    }
  }

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
  /// Opens a document, or makes one where there is none.
  ///
  /// - Parameters:
  ///   - model: The program's model; the document's own when it is `nil`. A document of another version is
  ///     migrated to it (``DocumentOptions/migrator``).
  ///   - places: The kinds of stores there are, and the disk.
  /// - Throws: What opening, migrating or making a document throws.
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
  ///   - model: The program's model; the document's own when it is `nil`. A document of another version is
  ///     migrated to it (``DocumentOptions/migrator``).
  ///   - places: The kinds of stores there are, and the disk.
  /// - Throws: ``DocumentError``, with codes such as ``DocumentError/Code/notFound`` and
  ///   ``DocumentError/Code/locked``; what a migration throws.
  public static func open(
    _ path: String, model: Model? = nil, in places: StorePlaces,
    _ options: DocumentOptions = DocumentOptions()
  ) async throws -> ManagedDocument {
    try await aside {
      func opened() throws -> Document {
        try Document.open(path, in: places, access: options.access, whenHeld: options.whenHeld)
      }
      var document = try opened()
      do {
        if let model, try model.versionHashes != document.model.versionHashes {
          guard let migrator = options.migrator, !document.isReadOnly else {
            throw DocumentError(
              .incompatibleModel,
              "The model is not the one that the document was saved with: "
                + "\(model.differences(from: try document.model.versionHashes)).", path: path)
          }
          try document.close()
          try Document.migrate(
            path, to: model, with: migrator, in: places, whenHeld: options.whenHeld)
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
  ///   - modelName: What the version of the model is called.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` when there is something at the place.
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

  /// Does what takes a while where nobody waits for it.
  static func aside<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Hands the program what it has kept besides objects.
  func readContent() throws {
    guard let read = options.hooks.readAdditionalContent else { return }
    try read(try document.content())
  }
}

/// Who is told of notifications.
private struct Observer: @unchecked Sendable {
  // Sendable: the token is only kept, and given back to the centre, which may be used from any thread.
  let token: any NSObjectProtocol
}
