// SAFETY: An object's source is retained as long as the object lives. The objects in a context's table share one retain
// of a source; an object that has left the table retains its source itself.

public import ObjectModel
public import ObjectQuery
import Rows

/// An object of a context: a row that a program can read, change, relate and delete.
///
///     @Entity final class Person: ManagedObject {
///       var name: String
///     }
///
/// An unchanged object is a reference to a row of a block. Its values are read when a program asks for them, and the
/// object keeps no copy. The values of a changed object are in a draft of its context. An object must be used where its
/// context is used; every access checks this.
///
/// Your own classes may add methods and computed properties and may override `open` members. To make an object, call
/// ``ManagedObjectContext/insert(_:into:_:)`` or `Person(context:)`. Stored properties of a class are lost when the
/// object turns into a fault; use transient attributes for values that must be kept.
@safe
open class ManagedObject {
  // The first fields are read whenever a reference to the object is followed. Most often they are in one cache line
  // with the object's header.

  /// The source of the object's values.
  @exclusivity(unchecked) final var sourceReference: Unmanaged<RowSource>
  @exclusivity(unchecked) private final var storedRow: UInt32
  @exclusivity(unchecked) private final var storedState: State
  /// Whether this object retains the source on its own. A separate field, because it is written when the context ends,
  /// while other threads may read the object.
  @exclusivity(unchecked) private final var holdsSource = false
  @exclusivity(unchecked) private final var storedKey: ObjectKey

  // SAFETY: No access overlaps another access to these fields: an object is used in one place at a time.

  /// The object's key in its store. The key of a loose object is the address of its values.
  @inline(__always)
  final var key: ObjectKey { unsafe storedKey }

  /// The object's row in the source.
  @inline(__always)
  final var row: UInt32 {
    get { unsafe storedRow }
    set { unsafe storedRow = newValue }
  }

  /// The state of the object in its context.
  @inline(__always)
  final var state: State {
    get { unsafe storedState }
    set { unsafe storedState = newValue }
  }

  struct State: OptionSet {
    let rawValue: UInt16
    /// The object was inserted and is not saved.
    static let inserted = State(rawValue: 1 << 0)
    /// The object was changed and is not saved.
    static let updated = State(rawValue: 1 << 1)
    /// The object is to be deleted, or was deleted.
    static let deleted = State(rawValue: 1 << 2)
    /// The object is not a fault: its values were read or set.
    static let realized = State(rawValue: 1 << 3)
    /// The store has no such object.
    static let missing = State(rawValue: 1 << 4)
    /// The object's ``ManagedObject/prepareForDeletion()`` is running.
    static let beingDeleted = State(rawValue: 1 << 5)
    /// The object is among the context's changes.
    static let pending = State(rawValue: 1 << 6)
    /// The deletion has not been propagated to related objects yet.
    static let deletionToPropagate = State(rawValue: 1 << 7)
    /// The time of the save under way is among the object's changes.
    static let timed = State(rawValue: 1 << 8)
    /// The object's ``ManagedObject/awakeFromFetch()`` is running.
    static let awaking = State(rawValue: 1 << 9)
    /// The object has left its context: its deletion was saved, its insertion was rolled back, or the context was
    /// reset.
    static let detached = State(rawValue: 1 << 11)
    /// Swift's Observation can track reads of the object, because its context belongs to the main actor.
    static let trackable = State(rawValue: 1 << 12)
    /// Swift's Observation tracks a property of the object.
    static let tracked = State(rawValue: 1 << 13)
    /// A validation checks the object by the rules of its model too, so the methods of ``ManagedObject`` itself need not.
    static let beingValidated = State(rawValue: 1 << 14)
    /// No context has inserted the object yet. Its values are in ``ManagedObject/loose``.
    static let loose = State(rawValue: 1 << 15)
  }

  /// Makes an object of a context. Only a context can call this.
  public required init(_ birth: ObjectBirth) {
    unsafe storedKey = birth.key
    unsafe sourceReference = birth.source
    unsafe storedRow = birth.row
    unsafe storedState = birth.state
    // Loose objects of several threads have one source, so that each retains it.
    if birth.state.contains(.loose) { unsafe holdsSource = true }
    unsafe take(birth.source)
  }

  deinit {
    if state.contains(.loose) { unsafe looseReference?.release() }
    unsafe letGo(of: sourceReference)
  }

  /// The name of the entity that this class represents: the name of the class, unless a subclass overrides this.
  open class var entityName: String { nameOfType(self) }
  /// The entity that this class declares with `Entity(_:)`; `nil` if the model is declared elsewhere.
  open class var entityDeclaration: EntityDeclaration? { nil }

  /// Returns the properties that a class with `Entity(_:)` declares; no properties for any other class.
  public class func entityProperties<Object: ManagedObject>(
    of type: Object.Type
  ) -> [EntityProperty] { [] }

  /// An alias of the type for the code that `Entity(_:)` adds. No declaration of the program can shadow this alias.
  public typealias EntityProperty = ObjectGraph.EntityProperty
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias EntityDeclaration = ObjectGraph.EntityDeclaration
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias SnapshotIdentifier = ObjectModel.ObjectID
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias EntitySnapshot = ObjectGraph.EntitySnapshot
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias SnapshotSource = ObjectGraph.SnapshotSource
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias SnapshotPaths = ObjectGraph.SnapshotPaths
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias SnapshotTarget = ObjectGraph.SnapshotTarget
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  /// The type under a name that no declaration of the program can shadow in the code that `Entity(_:)` adds.
  public typealias RelatedSnapshot<S: ObjectGraph.EntitySnapshot> = ObjectGraph.RelatedSnapshot<S>
  /// The type of the snapshots of the class: for a class with `Entity(_:)` its structure `Snapshot`.
  public typealias SnapshotElement = ObjectSnapshot
  /// The type of a property of a snapshot that refers to an object of the class.
  public typealias SnapshotMember = ObjectGraph.RelatedSnapshot<ObjectSnapshot>
  /// The names of properties by their key paths, for `#Predicate`. A class with `Entity(_:)` has them.
  open class var propertyNames: [AnyKeyPath: String] { PropertyPaths.names(of: self) }

  // MARK: Events of an object

  /// Sets the initial values that differ from object to object. A class with `Entity(_:)` overrides this.
  open func setInitialValues() {}
  /// Called after the object was inserted. Set the values here that default values can't express.
  open func awakeFromInsert() {}
  /// Called before the object's values are read for the first time since it was fetched. Not called once the context is
  /// gone.
  open func awakeFromFetch() {}
  /// Called after undo, a merge, a refresh or a rollback has changed the object.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}
  /// Called before the object is saved. It may still be changed.
  open func willSave() {}
  /// Called after the object was saved. After a deletion ``isDeleted`` and ``managedObjectContext`` keep their values
  /// until this method returns.
  open func didSave() {}
  /// Called before the object releases its values.
  open func willTurnIntoFault() {}
  /// Called after the object has released its values.
  open func didTurnIntoFault() {}
  /// Called before the object is deleted.
  open func prepareForDeletion() {}

  // MARK: Validation

  /// The names of the attributes to validate with ``validateValue(_:forKey:)``; none unless a subclass overrides this.
  open class var validatedKeys: [String] { [] }
  /// Validates one value for a property, and may correct it. Nothing is set.
  ///
  /// `ManagedObject` checks the type of the value and the rules of the model. A save, ``validateForInsert()`` and
  /// ``validateForUpdate()`` call this for the attributes in ``validatedKeys``. An override that calls `super` gives the
  /// model's rules also to a form that asks about a value before it sets it.
  ///
  /// - Throws: An error that describes the fault of the value; it becomes one of the failures of the save.
  open func validateValue(_ value: inout Value, forKey key: String) throws {
    try validateByModel(value, forKey: key)
  }
  /// Validates an inserted object as a whole: by ``validateValue(_:forKey:)``, and by the rules of the model.
  ///
  /// An importer calls this for each row to drop the bad ones. An override calls `super` so that the call finds
  /// everything that a save would find. A save checks the rules of the model in any case, and once.
  ///
  /// - Throws: ``ContextError`` with all failures of the object.
  open func validateForInsert() throws { try validateByModel() }
  /// Validates a changed object as a whole, as ``validateForInsert()`` does for an inserted one.
  ///
  /// - Throws: ``ContextError`` with all failures of the object.
  open func validateForUpdate() throws { try validateByModel() }
  /// Validates that the object may be deleted: no relationship whose delete rule is *deny* refers to an object.
  ///
  /// - Throws: ``ContextError`` with a failure for each relationship that denies the deletion.
  open func validateForDelete() throws { try validateDeletionByModel() }
}

/// The events that changed an object's values without a change by the program.
public struct SnapshotEvents: OptionSet, Sendable {
  public let rawValue: Int
  /// Makes a set of the events with the given bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
  public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
  /// A change was undone or redone.
  public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
  /// The changes were rolled back.
  public static let rollback = SnapshotEvents(rawValue: 1 << 4)
  /// The object was refreshed from its store.
  public static let refresh = SnapshotEvents(rawValue: 1 << 5)
  /// A merge policy has set values of the object.
  public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}

/// The parts that a context makes an object from. Only contexts can make one.
@safe
public struct ObjectBirth {
  let key: ObjectKey
  /// The source, which the maker of the object retains.
  let source: Unmanaged<RowSource>
  let row: UInt32
  let state: ManagedObject.State
}

extension ManagedObject {
  /// The source, for a caller that retains the object.
  @inline(__always)
  final var source: RowSource { unsafe sourceReference.takeUnretainedValue() }

  /// Calls `body` with the state of the object's entity, without retaining the state. The object must keep its source
  /// during the call.
  @inline(__always)
  final func withEntity<R>(_ body: (EntityState) throws -> R) rethrows -> R {
    try unsafe sourceReference._withUnsafeGuaranteedRef { source in
      try unsafe source.entityReference._withUnsafeGuaranteedRef { try body($0) }
    }
  }

  /// The values of a loose object; `nil` for an object of a context.
  final var loose: LooseValues? {
    state.contains(.loose) ? unsafe looseReference?.takeUnretainedValue() : nil
  }

  @unsafe private final var looseReference: Unmanaged<LooseValues>? {
    // SAFETY: The key of a loose object is the address of its values, which it retains.
    unsafe UnsafeRawPointer(bitPattern: UInt(key.rawValue)).map { unsafe .fromOpaque($0) }
  }

  /// Gives a loose object a key and a row of a context.
  ///
  /// - Parameter source: A source of the context's entity.
  final func settle(_ key: ObjectKey, at source: RowSource, row: Int) {
    let (old, values) = unsafe (sourceReference, looseReference)
    unsafe storedKey = key
    unsafe holdsSource = false
    unsafe sourceReference = .passUnretained(source)
    unsafe take(sourceReference)
    self.row = UInt32(row)
    state = [.inserted, .realized, .pending]
    unsafe old.release()
    unsafe values?.release()
  }

  /// Gives the object another source and row.
  final func point(to source: RowSource, row: Int) {
    let old = unsafe sourceReference
    let new = unsafe Unmanaged.passUnretained(source)
    unsafe take(new)
    unsafe sourceReference = new
    self.row = UInt32(row)
    unsafe letGo(of: old)
  }

  /// Retains the source for this object alone, because the object leaves its context's table. From then on any thread
  /// may release the object last.
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
  /// The object's identifier, which never changes.
  ///
  /// - Precondition: A context has inserted the object. An object outside of a context has no identifier.
  public final var objectID: ObjectID {
    if state.contains(.loose) {
      misuse(
        "\(self) has no identifier yet: insert it into a context first, context.insert(object).")
    }
    return ObjectID(store: source.entity.store.tag, key: key)
  }

  /// The object's context; `nil` once the object has left it.
  ///
  /// An object leaves its context when its deletion was saved, its insertion was rolled back, or the context was reset
  /// or is gone.
  public final var managedObjectContext: ManagedObjectContext? {
    state.contains(.detached) ? nil : source.entity.workspace?.face.context
  }

  public final var entity: Entity { source.entity.graph.entity }

  /// Whether the object was inserted and is not saved.
  public final var isInserted: Bool { state.contains(.inserted) }
  /// Whether the object was changed and is not saved. An inserted or deleted object does not count as changed.
  public final var isUpdated: Bool { state.contains(.updated) && !isDeleted && !isInserted }
  /// Whether the next save will delete the object, or another context is known to have deleted it.
  ///
  /// A deletion by another context becomes known when its save is merged, or when a value is read that the store no
  /// longer has. After its own context has saved the deletion, this is `false` again.
  public final var isDeleted: Bool {
    source.entity.workspace?.propagateDeletions()
    return !state.isDisjoint(with: [.deleted, .missing]) && !state.contains(.detached)
  }
  /// Whether the object has unsaved changes. A deletion by another context is saved already.
  public final var hasChanges: Bool {
    !state.isDisjoint(with: [.inserted, .updated]) || state.isSuperset(of: [.deleted, .pending])
  }
  /// Whether none of the object's values has been read yet. Reads after the end of the context do not count.
  public final var isFault: Bool { !state.contains(.realized) }
}

extension ManagedObject: Hashable {
  /// Returns whether both are the same object of the same context.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  /// Hashes the identity of the instance, not its values.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: EntityMapped {}

extension ManagedObject: QueryArgument {
  /// An expression with the object as its constant value, to compare with: `owner == %@`.
  public final var queryExpression: QueryExpression { .object(objectID) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity and the identifier.
  public var description: String {
    state.contains(.loose)
      ? "<\(entity.name) outside of a context>" : "<\(entity.name) \(objectID.uri)>"
  }
}
