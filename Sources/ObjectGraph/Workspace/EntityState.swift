// SAFETY: A context takes itself out of its entity states before it goes, and a state is never outlived by
// another of the same store that leads to it but detached first.

import ObjectModel
import Rows
import StoreInterface

/// The known objects of one entity of one store in one context, and the drafts of the changed objects.
@safe
final class EntityState {
  /// The workspace; `nil` when its context is gone and only objects are left.
  var workspace: Workspace? { unsafe workspaceReference?.takeUnretainedValue() }
  private var workspaceReference: Unmanaged<Workspace>?
  /// Where the last reference that was followed from here led.
  private var lastDestination: Unmanaged<EntityState>?
  let store: PersistentStore
  let graph: GraphEntity
  let place: ContextPlace
  let type: ManagedObject.Type

  @exclusivity(unchecked) private var storedObjects = ObjectTable()
  /// The objects that the context knows.
  @inline(__always)
  var objects: ObjectTable {
    // SAFETY: The table runs no other code while it is being changed.
    _read { yield unsafe storedObjects }
    _modify { yield unsafe &storedObjects }
  }
  /// The object with the given number, if the context knows it.
  @inline(__always)
  func known(_ number: UInt64) -> ManagedObject? { unsafe storedObjects[number] }
  /// The number of times that objects have left the table.
  @inline(__always)
  var departures: Int { unsafe storedObjects.departures }
  /// The state of an object that was just made.
  let birthState: ManagedObject.State
  /// Which column of the objects was read last.
  let lastRead: UnsafeMutablePointer<Int>
  /// The sources of the blocks that objects were found in.
  private(set) var sources = BlockSources()
  /// The source of objects that are not looked up yet.
  var unresolved: RowSource {
    if let madeUnresolved { return madeUnresolved }
    let made = RowSource(self, block: nil)
    madeUnresolved = made
    return made
  }
  private var madeUnresolved: RowSource?
  /// Whether an object of the table is not looked up yet.
  var hasFaults: Bool { madeUnresolved?.isLent ?? false }

  /// The rows that the context writes.
  private var drafts = EntityDrafts()
  /// The keys for new objects.
  private var keys = KeyLease()

  init(_ workspace: Workspace, _ store: PersistentStore, _ graph: GraphEntity) {
    unsafe workspaceReference = unsafe Unmanaged.passUnretained(workspace)
    self.store = store
    self.graph = graph
    place = workspace.place
    birthState = place.concurrency == .mainActor ? .trackable : []
    unsafe lastRead = .allocate(capacity: 1)
    unsafe lastRead.initialize(to: .max)
    type = workspace.coordinator.classes[graph.name] ?? ManagedObject.self
  }

  deinit { unsafe lastRead.deallocate() }

  /// Releases the context and everything that leads back here. Objects that the program holds may still be read.
  func detach() {
    unsafe workspaceReference = nil
    unsafe lastDestination = nil
    objects.removeAll()
    madeUnresolved = nil
    sources.removeAll()
    drafts.removeAll()
  }

  /// The sources of changes that are sealed and not saved yet.
  var sealedSources: [RowSource] { drafts.sealed }

  /// Whether there are drafts that are not frozen.
  var hasOpenChanges: Bool { drafts.isOpen }
}

// MARK: - Objects

extension EntityState {
  /// Returns the source of a block's rows.
  func source(of block: Block) -> RowSource { sources.source(of: block, for: self) }

  /// Returns the source of a block in which an object was found, near which other objects are likely to be.
  ///
  /// - Parameters:
  ///   - index: The place of the table with the block.
  ///   - tables: All tables of the store, the bottom first.
  func source(of block: Block, _ index: Int, in tables: [any RowTable]) throws -> RowSource {
    try sources.source(of: block, for: self, index, in: tables)
  }

  /// Releases the sources of blocks that no commit has written, once these are large. No caller may be about to make
  /// objects of their rows.
  func forgetPassingSources() { sources.removeTransient() }

  /// Releases the sources that no object leads to.
  func forgetSources() {
    sources.removeAll()
  }

  /// The object with the given number, made if it is not known: a row of a source, or one that is not
  /// looked up yet.
  ///
  /// - Parameter source: A source that the caller keeps.
  @inline(__always)
  @unsafe func object(
    _ number: UInt64, at source: Unmanaged<RowSource>, _ row: Int
  ) -> ManagedObject {
    if let known = known(number) {
      if unsafe known.sourceReference._withUnsafeGuaranteedRef({ $0.isUnresolved }) {
        unsafe known.point(to: source.takeUnretainedValue(), row: row)
        // Another context has restored the deleted object.
        if known.state.contains(.missing) { known.state.subtract([.missing, .deleted]) }
      }
      return known
    }
    return unsafe make(number, at: source, row)
  }

  /// The object with the given number, made if it is not known, and looked up when it is first used
  /// unless it is easily found.
  @inline(__always)
  func object(_ number: UInt64) -> ManagedObject {
    if let known = known(number) { return known }
    return makeFound(number)
  }

  private func makeFound(_ number: UInt64) -> ManagedObject {
    if let found = unsafe sources.place(of: number) {
      return unsafe make(number, at: found.source, found.row)
    }
    return unsafe make(number, at: Unmanaged.passUnretained(unresolved), 0)
  }

  /// After so many objects ``bringNear(_:from:)`` is to be called again.
  static let nearStep = 8

  /// Has the processor fetch the memory that the use of objects one after another needs, some steps ahead of the use.
  ///
  /// Each step prepares the next: an object's place in the table is near before the object is asked for there, and
  /// the object before the value that is likely to be read of it.
  ///
  /// - Parameters:
  ///   - numbers: The objects' numbers.
  ///   - addresses: The addresses of objects that were met before, if no object has left the table since; 0 for the
  ///     other objects. New addresses are added.
  ///   - position: The position of the caller, a multiple of ``nearStep``.
  @inline(never)
  @unsafe func bringNear(
    _ numbers: [UInt64], _ addresses: UnsafeMutablePointer<UInt>? = nil, from position: Int
  ) {
    func step(_ ahead: Int) -> Range<Int> {
      let end = min(position + (ahead + 1) * EntityState.nearStep, numbers.count)
      return (position == 0 ? 0 : min(position + ahead * EntityState.nearStep, end))..<end
    }
    func address(_ index: Int) -> UInt {
      if let met = unsafe addresses?[index], met != 0 { return met }
      let found = unsafe storedObjects.address(numbers[index])
      unsafe addresses?[index] = found
      return found
    }
    for index in step(3) where unsafe (addresses?[index] ?? 0) == 0 {
      unsafe storedObjects.bringPlaceNear(numbers[index])
    }
    for index in step(2) { ObjectTable.bringNear(address(index)) }
    for index in step(1) { bringValueNear(numbers[index], address(index)) }
  }

  @inline(__always)
  private func bringValueNear(_ number: UInt64, _ address: UInt) {
    if let known = unsafe ObjectTable.unheld(address) {
      unsafe known._withUnsafeGuaranteedRef { object in
        unsafe object.sourceReference._withUnsafeGuaranteedRef { $0.bringNear(Int(object.row)) }
      }
    } else if let found = unsafe sources.place(of: number) {
      unsafe found.source._withUnsafeGuaranteedRef { unsafe $0.bringNear(found.row) }
    }
  }

  /// The object that a reference from here leads to; `nil` when the context is gone, or there is no such
  /// entity.
  @inline(__always)
  func destination(_ key: ObjectKey) -> ManagedObject? {
    guard key.number > 0 else { return nil }
    if let last = unsafe lastDestination {
      let found = unsafe last._withUnsafeGuaranteedRef { entity in
        entity.graph.number == key.entity ? entity.object(key.number) : nil
      }
      if let found { return found }
    }
    guard let entity = workspace?.entityState(of: key, beside: self) else { return nil }
    unsafe lastDestination = Unmanaged.passUnretained(entity)
    return entity.object(key.number)
  }

  /// Returns the object that a value leads to; `nil` if the relationship may not lead there.
  func destination(_ value: Value, of toOne: GraphProperty.ToOne) -> ManagedObject? {
    guard case .object(let key) = value, let workspace,
      let other = workspace.object(at: key, in: store),
      graph.model.entity(
        other.source.entity.graph.name, isOrInheritsFrom: toOne.relationship.destination),
      workspace.exists(other)
    else { return nil }
    return other
  }

  /// Stops the program unless the objects are of a class.
  func requireClass<T: ManagedObject>(_ wanted: T.Type) {
    guard type == wanted || type is T.Type else { refuseClass(wanted) }
  }

  /// Stops the program, because the objects are not of a class.
  func refuseClass(_ wanted: ManagedObject.Type) -> Never {
    misuse(
      """
      The objects of "\(graph.name)" are of the class \(type), not \(wanted). Name the class when the \
      coordinator is made.
      """)
  }

  /// Whether the objects belong to a workspace.
  func belongs(to workspace: Workspace) -> Bool {
    unsafe workspaceReference?.toOpaque() == Unmanaged.passUnretained(workspace).toOpaque()
  }

  /// Whether deletions were asked for that did not reach the objects they concern.
  var hasDeletionsToPropagate: Bool {
    unsafe workspaceReference?._withUnsafeGuaranteedRef { !$0.deletionsToPropagate.isEmpty }
      ?? false
  }

  /// - Parameter source: A source that the caller keeps.
  @unsafe private func make(
    _ number: UInt64, at source: Unmanaged<RowSource>, _ row: Int
  ) -> ManagedObject {
    let object = unsafe type.init(
      ObjectBirth(
        key: ObjectKey(entity: graph.number, number: number),
        source: source, row: UInt32(row), state: birthState))
    unsafe storedObjects.insert(object, number)
    return object
  }
}

// MARK: - Changes

extension EntityState {
  /// Makes a new object, with the given number or the next that is free.
  func insert(_ number: UInt64? = nil, basis: Int64 = 0) throws -> ManagedObject {
    let number = try number ?? keys.next(ofEntity: graph.number, in: store)
    let (source, draft) =
      unsafe drafts.filling ?? drafts.beginInsertions(for: self)
    let row = unsafe draft._withUnsafeGuaranteedRef { draft in
      let row = draft.append(key: number, basis: basis)
      for (column, value) in graph.initialValues { draft.set(value, column: column, row: row) }
      return row
    }
    if let known = known(number) {
      unsafe known.point(to: source.takeUnretainedValue(), row: row)
      return known
    }
    return unsafe make(number, at: source, row)
  }

  /// Gives an object a row in an open draft, above its present row.
  func beginChange(of object: ManagedObject) throws -> RowSource {
    let old = object.source
    let row = Int(object.row)
    let source = drafts.openChanges(for: self)
    let newRow: Int
    if old.isPending, let below = old.below(row) {
      // The new row gives again what the old row gave, so one row of changes at most lies above the saved row.
      newRow = source.append(
        object.key.number, basis: try old.basis(row), above: below.source, below.row)
      for column in old.givenColumns(row) {
        source.draft!.set(old.given(column, row) ?? .null, column: column, row: newRow)
      }
    } else {
      newRow = source.append(
        object.key.number, basis: try old.version(row), above: old, row)
    }
    object.point(to: source, row: newRow)
    return source
  }

  /// Returns the source of a block of unsaved changes that came as a layer.
  func pendingSource(of block: Block, isSparse: Bool) -> RowSource {
    drafts.pendingSource(of: block, isSparse: isSparse, for: self)
  }

  /// Returns a sealed row of the values that an object's own changes give, and above them some of another row.
  func join(
    _ object: ManagedObject, _ source: RowSource, _ row: Int, _ columns: [Int]
  ) throws -> (source: RowSource, row: Int) {
    let (old, oldRow) = (object.source, Int(object.row))
    let target = drafts.joinedRows(isSparse: old.isSparse, for: self)
    let newRow: Int
    if let below = old.below(oldRow) {
      newRow = target.append(
        object.key.number, basis: try old.basis(oldRow), above: below.source, below.row)
    } else {
      newRow = target.draft!.append(key: object.key.number, basis: try old.basis(oldRow))
    }
    for column in old.givenColumns(oldRow) {
      target.draft!.set(old.given(column, oldRow) ?? .null, column: column, row: newRow)
    }
    for column in columns {
      target.draft!.set(source.given(column, row) ?? .null, column: column, row: newRow)
    }
    return (target, newRow)
  }

  /// Takes an object's row out.
  func remove(_ object: ManagedObject) throws {
    try unsafe object.sourceReference._withUnsafeGuaranteedRef { source in
      try remove(object.key.number, source, Int(object.row))
    }
  }

  private func remove(_ number: UInt64, _ source: RowSource, _ row: Int) throws {
    if source.isOpen, let draft = source.draft {
      draft.remove(row: row)
      // Beneath a new row there is nothing, or it is taken out already.
      if source.isSparse { noteRemoval(of: number, basis: draft.basis(row: row)) }
      return
    }
    let basis: Int64
    if source.isPending {
      basis = max(try source.basis(row), 0)
    } else {
      basis = try source.version(row)
    }
    noteRemoval(of: number, basis: basis)
  }

  private func noteRemoval(of number: UInt64, basis: Int64) {
    drafts.remove(number, basis: basis, for: self)
  }

  /// Freezes the open drafts. They may be read as before, and written no more.
  func seal(_ writer: inout BlockWriter) -> Layer.EntityChanges {
    drafts.freeze(ofEntity: graph.number, &writer)
  }

  /// Notes that the frozen drafts are saved.
  func setSaved(_ version: Int64?) { drafts.setSaved(version) }

  /// Drops all changes that are not saved.
  func discard() { drafts.discard() }

  /// Notes that a draft was opened.
  func noteOpenChanges() { workspace?.noteOpenChanges(of: store) }
}
