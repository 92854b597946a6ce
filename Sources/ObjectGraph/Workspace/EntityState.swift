// SAFETY: A context detaches its entity states before it ends. A state that refers to another state of the same store
// is detached before that other state is released.

import ObjectModel
import Rows
import StoreInterface

/// The registered objects of one entity of one store in one context, and the drafts of the changed objects.
@safe
final class EntityState {
  /// The workspace; `nil` when its context is gone and only objects are left.
  var workspace: Workspace? { unsafe workspaceReference?.takeUnretainedValue() }
  private var workspaceReference: Unmanaged<Workspace>?
  /// The entity state that the last followed reference of this entity has led to. It is the likely destination of the
  /// next one.
  private var lastDestination: Unmanaged<EntityState>?
  let store: PersistentStore
  let graph: GraphEntity
  let place: ContextPlace
  let type: ManagedObject.Type

  @exclusivity(unchecked) private var storedObjects = ObjectTable()
  @inline(__always)
  var objects: ObjectTable {
    // SAFETY: The table releases objects only after its change is complete, so a deinitializer sees a whole table.
    _read { yield unsafe storedObjects }
    _modify { yield unsafe &storedObjects }
  }
  /// Returns the registered object with the given number, or `nil`.
  @inline(__always)
  func known(_ number: UInt64) -> ManagedObject? { unsafe storedObjects[number] }
  /// The number of times that objects have left the table.
  @inline(__always)
  var departures: Int { unsafe storedObjects.departures }
  /// The initial state of an object.
  let birthState: ManagedObject.State
  /// The index of the column that was last read of any object.
  let readColumns: UnsafeMutablePointer<ReadColumns>
  /// The sources of the blocks in which objects were found.
  var sources: BlockSources {
    // SAFETY: A source that a change releases does not use the sources.
    _read { yield unsafe storedSources }
    _modify { yield unsafe &storedSources }
  }
  @exclusivity(unchecked) private var storedSources = BlockSources()
  /// The source of all faults that have not been looked up yet.
  var unresolved: RowSource {
    if let madeUnresolved { return madeUnresolved }
    let made = RowSource(self, block: nil)
    madeUnresolved = made
    return made
  }
  private var madeUnresolved: RowSource?
  /// Whether the table has an object that has not been looked up yet.
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
    unsafe readColumns = .allocate(capacity: 1)
    unsafe readColumns.initialize(to: ReadColumns(graph.layout.columns))
    type = workspace.coordinator.classes[graph.name] ?? ManagedObject.self
  }

  deinit { unsafe readColumns.deallocate() }

  /// Releases the context and everything that refers back to this state. Objects that the program holds can still be
  /// read.
  func detach() {
    unsafe workspaceReference = nil
    unsafe lastDestination = nil
    let table = objects.removeAll()
    madeUnresolved = nil
    sources.removeAll()
    drafts.discard()
    // The objects end last, because their deinitializers may use this state.
    _ = consume table
  }

  /// The sources of the frozen changes that are not saved yet.
  var sealedSources: [RowSource] { drafts.sealed }

  /// Whether there are drafts that are not frozen.
  var hasOpenChanges: Bool { drafts.isOpen }
}

// MARK: - Objects

extension EntityState {
  /// Returns the source of a block's rows.
  func source(of block: Block) -> RowSource { sources.source(of: block, for: self) }

  /// Returns the source of a block in which an object was found. Other objects are likely to be in the same block.
  ///
  /// - Parameters:
  ///   - index: The index of the table with the block.
  ///   - tables: All tables of the store, from bottom to top.
  func source(of block: Block, _ index: Int, in tables: [any RowTable]) throws -> RowSource {
    try sources.source(of: block, for: self, index, in: tables)
  }

  /// Releases the sources of blocks that no commit has written, once these blocks are large. The caller must not make
  /// objects of their rows afterwards.
  func forgetPassingSources() { sources.removeTransient() }

  /// Releases the sources that no object uses.
  func forgetSources() {
    sources.removeAll()
  }

  /// Returns the object with the given number. Makes it from the given row if it is not registered. If it is a fault
  /// that was not looked up yet, points it to the row.
  ///
  /// - Parameter source: A source that the caller retains.
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

  /// Returns the object with the given number. Makes it if it is not registered: from a row in a block that was seen,
  /// or else as a fault.
  @inline(__always)
  func object(_ number: UInt64) -> ManagedObject {
    if let known = known(number) { return known }
    return makeFound(number)
  }

  private func makeFound(_ number: UInt64) -> ManagedObject {
    if let found = unsafe storedSources.place(of: number) {
      return unsafe make(number, at: found.source, found.row)
    }
    return unsafe make(number, at: Unmanaged.passUnretained(unresolved), 0)
  }

  /// The number of objects after which a caller calls ``prefetch(_:from:)`` again.
  static let nearStep = 8

  /// Prefetches the memory of objects that the caller uses one after another, some steps ahead of the use.
  ///
  /// Each step prepares the next step: first the object's place in the table, then the object, then the values that are
  /// likely to be read, then the bytes of the texts among them.
  ///
  /// - Parameters:
  ///   - numbers: The objects' numbers.
  ///   - addresses: The known addresses of the objects, if no object has left the table since; 0 for an unknown
  ///     address. The function fills in new addresses.
  ///   - position: The position of the caller, a multiple of ``nearStep``.
  @inline(never)
  @unsafe func prefetch(
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
    unsafe readColumns.pointee.step()
    for index in step(4) where unsafe (addresses?[index] ?? 0) == 0 {
      unsafe storedObjects.bringPlaceNear(numbers[index])
    }
    for index in step(3) { ObjectTable.prefetch(address(index)) }
    for index in step(2) {
      withRow(of: numbers[index], address(index)) { $0.prefetchValues($1) }
    }
    if unsafe readColumns.pointee.wantedTexts == 0 { return }
    for index in step(1) { withRow(of: numbers[index], address(index)) { $0.prefetchTexts($1) } }
  }

  /// Calls `body` with the row of an object, if its block was seen.
  @inline(__always)
  private func withRow(of number: UInt64, _ address: UInt, _ body: (RowSource, Int) -> Void) {
    if let known = unsafe ObjectTable.unheld(address) {
      unsafe known._withUnsafeGuaranteedRef { object in
        unsafe object.sourceReference._withUnsafeGuaranteedRef { body($0, Int(object.row)) }
      }
    } else if let found = unsafe storedSources.place(of: number) {
      unsafe found.source._withUnsafeGuaranteedRef { unsafe body($0, found.row) }
    }
  }

  /// Returns the object that a reference of this entity leads to; `nil` if the context is gone, or the store has no
  /// such entity.
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

  /// Returns the object that a value names; `nil` if the relationship can't lead to that object.
  func destination(_ value: Value, of relationship: Relationship) -> ManagedObject? {
    guard case .object(let key) = value, let workspace,
      let other = workspace.object(at: key, in: store),
      graph.model.entity(
        other.source.entity.graph.name, isOrInheritsFrom: relationship.destination),
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
      The objects of "\(graph.name)" have the class \(type), not \(wanted). Give the class to the \
      initializer of the coordinator.
      """)
  }

  /// Returns whether the objects belong to a workspace.
  func belongs(to workspace: Workspace) -> Bool {
    unsafe workspaceReference?.toOpaque() == Unmanaged.passUnretained(workspace).toOpaque()
  }

  /// Whether the context has deletions that are not propagated yet.
  var hasDeletionsToPropagate: Bool {
    unsafe workspaceReference?._withUnsafeGuaranteedRef {
      !$0.relationships.deletionsToPropagate.isEmpty
    }
      ?? false
  }

  /// Makes an object and registers it.
  ///
  /// - Parameter source: A source that the caller retains.
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
  /// Makes a new object, with the given number or the next free number.
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

  /// Gives a loose object a number, a row and a place in the table.
  func settle(_ object: ManagedObject, _ number: UInt64) {
    let (source, draft) = unsafe drafts.filling ?? drafts.beginInsertions(for: self)
    let row = unsafe draft._withUnsafeGuaranteedRef { draft in
      let row = draft.append(key: number, basis: 0)
      for (column, value) in graph.initialValues { draft.set(value, column: column, row: row) }
      return row
    }
    unsafe object.settle(
      ObjectKey(entity: graph.number, number: number), at: source.takeUnretainedValue(), row: row)
    object.state.formUnion(birthState)
    unsafe storedObjects.insert(object, number)
  }

  /// Returns the next free number of an object.
  func nextNumber() throws -> UInt64 { try keys.next(ofEntity: graph.number, in: store) }

  /// Gives an object a row in an open draft, above its present row.
  func beginChange(of object: ManagedObject) throws -> RowSource {
    let old = object.source
    let row = Int(object.row)
    let source = drafts.openChanges(for: self)
    let newRow: Int
    if old.isPending, let below = old.below(row) {
      // The new row repeats the values of the old row, so that at most one row of changes is above the saved row.
      newRow = source.append(
        object.key.number, basis: try old.basis(row), above: below.source, below.row)
      for column in old.givenColumns(row) {
        source.draft!.set(old.given(column, row) ?? .null, column: column, row: newRow)
      }
      source.setReplaced(newRow, old, row)
    } else {
      newRow = source.append(
        object.key.number, basis: try old.version(row), above: old, row)
    }
    object.point(to: source, row: newRow)
    return source
  }

  /// Returns the source of a block of unsaved changes that arrived as a layer.
  func pendingSource(of block: Block, isSparse: Bool) -> RowSource {
    drafts.pendingSource(of: block, isSparse: isSparse, for: self)
  }

  /// Returns a row of the values that an object's own changes give, with some values of another row on top.
  ///
  /// - Parameter columns: The columns to copy from the other row.
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

  /// Removes an object's row.
  func remove(_ object: ManagedObject) throws {
    try unsafe object.sourceReference._withUnsafeGuaranteedRef { source in
      try remove(object.key.number, source, Int(object.row))
    }
  }

  private func remove(_ number: UInt64, _ source: RowSource, _ row: Int) throws {
    if source.isOpen, let draft = source.draft {
      draft.remove(row: row)
      // A row that is not sparse has no saved row below it, or that row is removed already.
      if source.isSparse { recordRemoval(of: number, basis: draft.basis(row: row)) }
      return
    }
    let basis: Int64
    if source.isPending {
      basis = max(try source.basis(row), 0)
    } else {
      basis = try source.version(row)
    }
    recordRemoval(of: number, basis: basis)
  }

  private func recordRemoval(of number: UInt64, basis: Int64) {
    drafts.remove(number, basis: basis, for: self)
  }

  /// The number of rows in open drafts of changes.
  var openChangeCount: Int { drafts.openChangeCount }

  /// Returns the values that the open changes replace.
  func replacedRows() -> [ReplacedRow] { drafts.replacedRows() }

  /// Freezes the open drafts. They can still be read, and are never written again.
  func seal(_ writer: inout BlockWriter) -> Layer.EntityChanges {
    drafts.freeze(ofEntity: graph.number, &writer)
  }

  /// Records that the frozen drafts are saved.
  func setSaved(_ version: Int64?) { drafts.setSaved(version) }

  func discard() { drafts.discard() }

  /// Records that a draft was opened.
  func recordOpenChanges() { workspace?.recordOpenChanges(of: store) }
}
