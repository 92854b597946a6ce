// SAFETY: An object's source is kept from the object's birth to its end: by all objects together that their
// context's table has, and by each for itself that has left it.

public import ObjectModel
public import ObjectQuery
import Rows

/// An object of a context: a row that may be read, changed, related and deleted.
///
///     @Entity final class Person: ManagedObject {
///       var name: String
///     }
///
/// An object that is not changed is a block and a row in it: nothing is read before it is asked for, and
/// nothing is kept for it. What is changed lies in a draft of its context. Objects are used where their
/// context is and nowhere else; that is checked at every access.
///
/// Classes of your own add methods and computed properties and override what is `open`; they are not
/// made by calling an initializer but by ``ManagedObjectContext/insert(_:)-swift.method``. Stored
/// properties of a class are lost when the object turns into a fault; keep what should last in transient
/// attributes.
@safe
open class ManagedObject {
  // What following a reference to an object looks at comes first, so that it mostly lies in one line of memory
  // with the object's header.

  /// Where the values are.
  @exclusivity(unchecked) final var sourceReference: Unmanaged<RowSource>
  @exclusivity(unchecked) private final var storedRow: UInt32
  @exclusivity(unchecked) private final var storedState: State
  /// Whether the source is counted for this object alone. A field of its own, because it is written where a
  /// context ends, and its objects may be read elsewhere.
  @exclusivity(unchecked) private final var holdsSource = false
  /// The object's place in its store.
  final let key: ObjectKey

  // SAFETY: Nobody holds on to these while they are read or set; an object is used in one place at a time.

  /// Which row of the source.
  @inline(__always)
  final var row: UInt32 {
    get { unsafe storedRow }
    set { unsafe storedRow = newValue }
  }

  /// What is going on with the object.
  @inline(__always)
  final var state: State {
    get { unsafe storedState }
    set { unsafe storedState = newValue }
  }

  struct State: OptionSet {
    let rawValue: UInt16
    /// It was inserted and is not saved.
    static let inserted = State(rawValue: 1 << 0)
    /// It was changed and is not saved.
    static let updated = State(rawValue: 1 << 1)
    /// It is to be deleted, or was.
    static let deleted = State(rawValue: 1 << 2)
    /// Its values were asked for.
    static let realized = State(rawValue: 1 << 3)
    /// The store has no such object.
    static let missing = State(rawValue: 1 << 4)
    /// It is being asked to make itself ready for its deletion.
    static let beingDeleted = State(rawValue: 1 << 5)
    /// It is among the context's changes.
    static let pending = State(rawValue: 1 << 6)
    /// What the deletion does to others was not done yet.
    static let deletionToPropagate = State(rawValue: 1 << 7)
    /// It stays in memory whether anybody uses it or not.
    static let kept = State(rawValue: 1 << 8)
    /// It is being told that it was fetched.
    static let awaking = State(rawValue: 1 << 9)
    /// Undo knows of changes of it.
    static let recorded = State(rawValue: 1 << 10)
    /// It has left its context: its deletion was saved, its insertion was rolled back, or the context was reset.
    static let detached = State(rawValue: 1 << 11)
    /// Swift's Observation may track what is read of it: its context belongs to the main actor.
    static let trackable = State(rawValue: 1 << 12)
    /// Swift's Observation tracks a property of it.
    static let tracked = State(rawValue: 1 << 13)
  }

  /// Makes an object known. Only a context can.
  public required init(_ birth: ObjectBirth) {
    key = birth.key
    unsafe sourceReference = birth.source
    unsafe storedRow = birth.row
    unsafe storedState = birth.state
    unsafe take(birth.source)
  }

  deinit { unsafe letGo(of: sourceReference) }

  /// The name of the entity that this class is for; that of the class unless a subclass says otherwise.
  open class var entityName: String { String(describing: self) }
  /// The entity that this class declares with ``Entity(_:)``; `nil` if the model is declared elsewhere.
  open class var entityDeclaration: EntityDeclaration? { nil }

  /// The properties that a class with ``Entity(_:)`` declares; none for any other class.
  public class func entityProperties<Object: ManagedObject>(
    of type: Object.Type
  ) -> [EntityProperty] { [] }

  /// A name that no class of a program can take from the code that ``Entity(_:)`` adds.
  public typealias EntityProperty = ObjectGraph.EntityProperty
  /// A name that no class of a program can take from the code that ``Entity(_:)`` adds.
  public typealias EntityDeclaration = ObjectGraph.EntityDeclaration
  /// The names of properties by their key paths, for `#Predicate`. A class with ``Entity(_:)`` has them.
  open class var propertyNames: [AnyKeyPath: String] { PropertyPaths.names(of: self) }

  // MARK: What happens to an object

  /// Sets the initial values that differ from object to object. A class with ``Entity(_:)`` overrides this.
  open func setInitialValues() {}
  /// The object was inserted. Give it the values that defaults can't say.
  open func awakeFromInsert() {}
  /// The object's values are about to be read for the first time since it was fetched.
  open func awakeFromFetch() {}
  /// The object was changed by undoing, merging or rolling back.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}
  /// The object is about to be saved. It may still be changed.
  open func willSave() {}
  /// The object was saved. After its deletion ``isDeleted`` and ``managedObjectContext`` stay what they were until this
  /// returns.
  open func didSave() {}
  /// The object is about to forget its values.
  open func willTurnIntoFault() {}
  /// The object has forgotten its values.
  open func didTurnIntoFault() {}
  /// The object is about to be deleted.
  open func prepareForDeletion() {}

  // MARK: What is right

  /// The names of the attributes that ``validateValue(_:forKey:)`` is asked about; none unless a
  /// subclass says so.
  open class var validatedKeys: [String] { [] }
  /// Checks one value that the object is to be saved with, and may mend it. Asked about the attributes
  /// that ``validatedKeys`` names.
  ///
  /// - Throws: Whatever says what is wrong; it becomes one of the failures of saving.
  open func validateValue(_ value: inout Value, forKey key: String) throws {}
  /// Checks an inserted object as a whole.
  open func validateForInsert() throws {}
  /// Checks a changed object as a whole.
  open func validateForUpdate() throws {}
  /// Checks whether the object may be deleted.
  open func validateForDelete() throws {}
}

/// What brought an object's values about, other than the program.
public struct SnapshotEvents: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int
  /// The events with the given bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An insertion was undone.
  public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
  /// A deletion was undone.
  public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
  /// A change was undone or redone.
  public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
  /// The changes were rolled back.
  public static let rollback = SnapshotEvents(rawValue: 1 << 4)
  /// The object was refreshed from its store.
  public static let refresh = SnapshotEvents(rawValue: 1 << 5)
  /// A merge policy chose among values.
  public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}

/// What an object is made of. Only contexts have one to give.
@safe
public struct ObjectBirth {
  let key: ObjectKey
  /// Kept by whoever gives birth.
  let source: Unmanaged<RowSource>
  let row: UInt32
  let state: ManagedObject.State
}

extension ManagedObject {
  /// The source, for whoever keeps the object.
  @inline(__always)
  final var source: RowSource { unsafe sourceReference.takeUnretainedValue() }

  /// Gives the state of the object's entity to whoever leads the object nowhere else meanwhile, and is not counted.
  @inline(__always)
  final func withEntity<R>(_ body: (EntityState) throws -> R) rethrows -> R {
    try unsafe sourceReference._withUnsafeGuaranteedRef { source in
      try unsafe source.entityReference._withUnsafeGuaranteedRef { try body($0) }
    }
  }

  /// Leads the object to other values.
  final func point(to source: RowSource, row: Int) {
    let old = unsafe sourceReference
    let new = unsafe Unmanaged.passUnretained(source)
    unsafe take(new)
    unsafe sourceReference = new
    self.row = UInt32(row)
    unsafe letGo(of: old)
  }

  /// Counts the source for this object alone, which leaves its context's table: from now on its last user may
  /// be anywhere.
  final func holdSource() {
    guard unsafe !holdsSource else { return }
    let source = unsafe sourceReference
    _ = unsafe source.retain()
    unsafe letGo(of: source)
    unsafe holdsSource = true
  }

  @inline(__always)
  private final func take(_ source: Unmanaged<RowSource>) {
    if unsafe holdsSource {
      _ = unsafe source.retain()
    } else {
      unsafe source._withUnsafeGuaranteedRef { $0.lend() }
    }
  }

  @inline(__always)
  private final func letGo(of source: Unmanaged<RowSource>) {
    if unsafe holdsSource {
      unsafe source.release()
    } else {
      unsafe source._withUnsafeGuaranteedRef { $0.giveBack() }
    }
  }
}

extension ManagedObject {
  /// The object's identifier: final from birth.
  public final var objectID: ObjectID { ObjectID(store: source.entity.store.tag, key: key) }

  /// The context the object belongs to; `nil` when the context has forgotten it: its deletion was saved, its insertion
  /// was rolled back, or the context was reset or is gone.
  public final var managedObjectContext: ManagedObjectContext? {
    state.contains(.detached) ? nil : source.entity.workspace?.face.context
  }

  /// The object's entity.
  public final var entity: Entity { source.entity.graph.entity }

  /// Whether the object was inserted and is not saved.
  public final var isInserted: Bool { state.contains(.inserted) }
  /// Whether the object was changed and is not saved.
  public final var isUpdated: Bool { state.contains(.updated) && !isDeleted && !isInserted }
  /// Whether the object is to be deleted when its context saves, or is known to have been deleted by another context:
  /// that was merged, or a value was asked for and the store has no such object any more.
  ///
  /// `false` again after its own context has saved the deletion.
  public final var isDeleted: Bool {
    source.entity.workspace?.propagateDeletions()
    return !state.isDisjoint(with: [.deleted, .missing]) && !state.contains(.detached)
  }
  /// Whether the object has changes that are not saved. A deletion by another context is saved already.
  public final var hasChanges: Bool {
    !state.isDisjoint(with: [.inserted, .updated]) || state.isSuperset(of: [.deleted, .pending])
  }
  /// Whether none of the object's values was asked for yet.
  public final var isFault: Bool { !state.contains(.realized) }
}

extension ManagedObject: Hashable {
  /// Whether both are the same object of the same context.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  /// The object itself counts, and not its values.
  public final func hash(into hasher: inout Hasher) { hasher.combine(key.rawValue) }
}

extension ManagedObject: EntityMapped {}

extension ManagedObject: QueryArgument {
  /// The object, to be compared with: `owner == %@`.
  public final var queryExpression: QueryExpression { .object(objectID) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity and the identifier.
  public var description: String {
    "<\(entity.name) \(objectID.uri)>"
  }
}
