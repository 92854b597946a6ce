public import Migration
public import ObjectGraph
import StoreInterface

/// How a ``ManagedDocument`` is opened, and how it behaves.
public struct DocumentOptions: Sendable {
  /// Who else may have it open meanwhile.
  public var access = Document.Access.exclusive
  /// What happens when somebody else has it open for writing.
  public var whenHeld = Document.WhenHeld.fail
  /// When it saves by itself; `nil` when it does not.
  public var autosave: AutosaveTiming? = AutosaveTiming()
  /// Which earlier versions are kept.
  public var versions = VersionPolicy.usual
  /// How many groups of changes can be undone; 0 for any number, `nil` when nothing is recorded.
  public var undoLevels: Int? = 0
  /// What brings the document to the program's model when it is of another; it is refused when this is `nil`.
  public var migrator: Migrator? = .automatic
  /// What happens when somebody else has changed what is to be saved.
  public var mergePolicy = MergePolicy.error
  /// How often to look for what other processes have saved; `nil` for never.
  public var lookingForOthers: Duration? = .seconds(1)
  /// The classes of the objects, each for the entity it names.
  public var classes: [ManagedObject.Type] = []
  /// What turns the values of transformable attributes into bytes and back.
  public var transformers: [ValueTransformer] = []
  /// Who changes are said to be by, in the versions.
  public var author: String?
  /// What the program decides and adds.
  public var hooks = DocumentHooks()
  /// The signals on which the document is saved before the program ends as it would have.
  public var savesOnSignals: Set<Int32> = []

  /// The usual behaviour.
  public init() {}
}

/// When a document saves by itself.
public struct AutosaveTiming: Sendable, Hashable {
  /// How long after the last change: whoever goes on changing is not interrupted at each.
  public var delay: Duration
  /// How long after the first change at the latest: no more than this is lost when the program is killed.
  public var longestWait: Duration

  /// After the given times.
  public init(delay: Duration = .seconds(2), longestWait: Duration = .seconds(10)) {
    self.delay = delay
    self.longestWait = max(delay, longestWait)
  }
}

/// What a program decides of its documents, and adds to them.
public struct DocumentHooks: Sendable {
  /// The stores of a new document, by the ending of its name; one binary store for all entities unless said
  /// otherwise.
  public var stores: @Sendable (_ fileType: String) -> [DocumentStoreDescription] = { _ in
    [DocumentStoreDescription()]
  }
  /// What the program keeps in the document besides objects: bytes by name. Asked before each save, and saved
  /// in the same commit; `nil` when nothing has changed. What is not named any more is taken out.
  public var additionalContent: (@Sendable () throws -> [String: [UInt8]]?)?
  /// Is given that content when the document is opened, reverted, or was changed by another process.
  public var readAdditionalContent: (@Sendable ([String: [UInt8]]) throws -> Void)?

  /// Nothing out of the ordinary.
  public init() {}
}
