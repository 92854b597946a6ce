public import Migration
public import ObjectGraph
import StoreInterface

/// The options with which a ``ManagedDocument`` is opened and behaves.
public struct DocumentOptions: Sendable {
  /// The head of the document that is opened (``Document/heads``); `nil` for the current head.
  public var head: String?
  /// The access that other processes have to the document while it is open.
  public var access = Document.Access.exclusive
  /// The behaviour when another process has the document open for writing.
  public var whenHeld = Document.WhenHeld.fail
  /// The delays of autosave, or `nil` for no autosave.
  public var autosave: AutosaveTiming? = AutosaveTiming()
  /// The policy that decides which earlier versions are kept.
  public var versions = VersionPolicy.usual
  /// The number of groups of changes that can be undone; 0 for any number, `nil` to record nothing.
  public var undoLevels: Int? = 0
  /// The migrator for a document of another version of the model, or `nil` to refuse such a document.
  public var migrator: Migrator? = .automatic
  /// The merge policy for conflicts when the document is saved.
  public var mergePolicy = MergePolicy.error
  /// The interval at which the document looks for commits of other processes, or `nil` for never.
  public var externalChangeInterval: Duration? = .seconds(1)
  /// The classes of the objects, each for the entity it names.
  public var classes: [ManagedObject.Type] = []
  /// The transformers that turn the values of transformable attributes into bytes and back.
  public var transformers: [ValueTransformer] = []
  /// The author that versions name for changes of this program.
  public var author: String?
  /// The parts that the program decides or adds.
  public var hooks = DocumentHooks()
  /// The signals on which the document is saved and closed before the program ends.
  public var savesOnSignals: Set<Int32> = []

  /// Makes options with the usual behaviour.
  public init() {}
}

/// The delays of a document's autosave.
public struct AutosaveTiming: Sendable, Hashable {
  /// The time from the last change to the save. It keeps saves from interrupting a user who goes on editing.
  public var delay: Duration
  /// The longest time from the first change to the save. If the program is killed, at most this time is lost.
  public var longestWait: Duration

  /// Makes the timing from the two times.
  public init(delay: Duration = .seconds(2), longestWait: Duration = .seconds(10)) {
    self.delay = delay
    self.longestWait = max(delay, longestWait)
  }
}

/// The parts of a document's behaviour that the program decides.
public struct DocumentHooks: Sendable {
  /// The function that returns the stores of a new document, by the ending of its name. By default, a document
  /// has one binary store for all entities.
  public var stores: @Sendable (_ fileType: String) -> [DocumentStoreDescription] = { _ in
    [DocumentStoreDescription()]
  }
  /// The function that returns the content that the program keeps in the document besides objects: bytes by name.
  ///
  /// It is called before each save, and the content is saved in the same commit. `nil` means no change. Content
  /// whose name is missing is removed.
  public var additionalContent: (@Sendable () throws -> [String: [UInt8]]?)?
  /// The function that receives the content when the document is opened or reverted, or after another process
  /// has changed it.
  public var readAdditionalContent: (@Sendable ([String: [UInt8]]) throws -> Void)?

  /// Makes hooks with the default behaviour.
  public init() {}
}
