// SAFETY: A context takes itself out of its entity states before it goes, and a state is never outlived by
// another of the same store that leads to it but detached first.

import ObjectModel
import Rows
import StoreInterface

/// The objects of one entity of one store in one context: those it knows, and the drafts of those it
/// changes.
@safe
final class EntityState {
  /// The context; `nil` when it is gone and only objects are left.
  var context: ManagedObjectContext? { unsafe contextReference?.takeUnretainedValue() }
  private var contextReference: Unmanaged<ManagedObjectContext>?
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
    // SAFETY: The table calls nobody while it is being changed.
    _read { yield unsafe storedObjects }
    _modify { yield unsafe &storedObjects }
  }
  /// The object with the given number, if the context knows it.
  @inline(__always)
  func known(_ number: UInt64) -> ManagedObject? { unsafe storedObjects[number] }
  /// How often objects have left the table: as long as none has, it holds those that it held.
  @inline(__always)
  var departures: Int { unsafe storedObjects.departures }
  /// Which column of the objects was read last.
  let lastRead: UnsafeMutablePointer<Int>
  /// Where the rows of objects are that are not known.
  private var finder = RowFinder()
  /// The sources of blocks that objects were found in, by block.
  private(set) var sources: [ObjectIdentifier: RowSource] = [:]
  /// The one that was asked for last.
  private var lastSource: RowSource?
  /// How many bytes the blocks have that no commit has written.
  private var passingByteCount = 0
  private static let mostPassingBytes = 1 << 20
  /// What objects lead to that are not looked up yet.
  var unresolved: RowSource {
    if let madeUnresolved { return madeUnresolved }
    let made = RowSource(self, block: nil)
    madeUnresolved = made
    return made
  }
  private var madeUnresolved: RowSource?
  /// Whether an object of the table is not looked up yet.
  var hasFaults: Bool { madeUnresolved?.isLent ?? false }

  /// Drafts of new rows, the one that is being filled last.
  private var insertions: [RowSource] = [] {
    didSet { if insertions.isEmpty { unsafe filling = nil } }
  }
  /// That one and its draft, to be used without being counted.
  private var filling: (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>)?
  /// Drafts of changed rows, likewise.
  private var changes: [RowSource] = []
  /// Drafts of the keys that are taken out.
  private var removals: [Draft] = []
  /// Drafts that were frozen and are not saved yet.
  private var sealed: [RowSource] = []
  /// Rows that count as saved and that no save has written as they are: what many saves gave, or what was read.
  private var gathered: RowSource?
  /// Keys for new objects that nobody else gets.
  private var keys: Range<UInt64> = 0..<0
  private var leaseSize = 16
  /// Whoever inserts many takes keys for many more: each lease is a step of the disk.
  private static let largestLease = 65_536

  init(_ context: ManagedObjectContext, _ store: PersistentStore, _ graph: GraphEntity) {
    unsafe contextReference = unsafe Unmanaged.passUnretained(context)
    self.store = store
    self.graph = graph
    place = context.place
    unsafe lastRead = .allocate(capacity: 1)
    unsafe lastRead.initialize(to: .max)
    type = context.coordinator.classes[graph.name] ?? ManagedObject.self
  }

  deinit { unsafe lastRead.deallocate() }

  /// Lets go of the context, and of everything that leads back here. Objects that somebody holds may
  /// still be read.
  func detach() {
    unsafe contextReference = nil
    unsafe lastDestination = nil
    objects.removeAll()
    madeUnresolved = nil
    forgetSources()
    insertions = []
    changes = []
    sealed = []
  }

  /// The drafts that were frozen and are not saved yet.
  var sealedDrafts: some Sequence<Draft> { sealed.lazy.map { $0.draft! } }

  var hasOpenChanges: Bool { !insertions.isEmpty || !changes.isEmpty || !removals.isEmpty }
}

// MARK: - Objects

extension EntityState {
  /// The source of a block's rows.
  func source(of block: Block) -> RowSource {
    if let lastSource, lastSource.block === block { return lastSource }
    let identifier = ObjectIdentifier(block)
    let source = sources[identifier] ?? RowSource(self, block: block)
    if sources.updateValue(source, forKey: identifier) == nil, block.version == 0 {
      passingByteCount += block.byteCount
    }
    lastSource = source
    return source
  }

  /// Forgets the sources of blocks that no commit has written, once these are many: rows gathered for one fetch, or
  /// layers that were merged since. Nobody may be about to make objects of rows.
  func forgetPassingSources() {
    guard passingByteCount > EntityState.mostPassingBytes else { return }
    passingByteCount = 0
    sources = sources.filter { $0.value.block?.version != 0 }
    lastSource = nil
    finder = RowFinder()
  }

  /// Forgets sources, so that only those stay that objects lead to.
  func forgetSources() {
    gathered = nil
    sources = [:]
    passingByteCount = 0
    lastSource = nil
    finder = RowFinder()
  }

  /// The source of a block in which an object was found, where others will be looked for.
  ///
  /// - Parameters:
  ///   - index: Which of the tables has the block.
  ///   - tables: All tables of the store, the bottom first.
  func source(of block: Block, _ index: Int, in tables: [any RowTable]) throws -> RowSource {
    let source = source(of: block)
    try finder.note(source, of: index, in: tables)
    return source
  }

  /// The object with the given number, made if it is not known: a row of a source, or one that is not
  /// looked up yet.
  ///
  /// - Parameter source: Kept by whoever asks.
  @inline(__always)
  @unsafe func object(
    _ number: UInt64, at source: Unmanaged<RowSource>, _ row: Int
  ) -> ManagedObject {
    if let known = known(number) {
      if unsafe known.sourceReference._withUnsafeGuaranteedRef({ $0.isUnresolved }) {
        unsafe known.point(to: source.takeUnretainedValue(), row: row)
        // Whoever was deleted has been brought back.
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
    if let found = unsafe finder.place(of: number) {
      return unsafe make(number, at: found.source, found.row)
    }
    return unsafe make(number, at: Unmanaged.passUnretained(unresolved), 0)
  }

  /// After so many objects ``bringNear(_:from:)`` is to be called again.
  static let nearStep = 8

  /// Has the processor fetch what using objects one after another needs, some steps ahead of whoever uses them: what is
  /// far away in memory comes for many at a time and while others are used.
  ///
  /// Each step prepares the next: an object's place in the table is near before the object is asked for there, and
  /// the object before the value that is likely to be read of it.
  ///
  /// - Parameters:
  ///   - numbers: The objects' numbers.
  ///   - addresses: Where those lie that were met before, and nothing has left the table since; 0 for others. What is
  ///     met now is noted.
  ///   - position: Where whoever uses them is: at each ``nearStep``-th, from the first on.
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
    } else if let found = unsafe finder.place(of: number) {
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
    guard let entity = context?.entityState(of: key, beside: self) else { return nil }
    unsafe lastDestination = Unmanaged.passUnretained(entity)
    return entity.object(key.number)
  }

  /// Fails when the objects are not of a class.
  func requireClass<T: ManagedObject>(_ wanted: T.Type) {
    guard type == wanted || type is T.Type else {
      misuse(
        """
        The objects of "\(graph.name)" are of the class \(type), not \(T.self). Name the class when the \
        coordinator is made.
        """)
    }
  }

  /// Whether the objects are those of a context.
  func belongs(to context: ManagedObjectContext) -> Bool {
    unsafe contextReference?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
  }

  /// Whether deletions were asked for that did not reach the objects they concern.
  var hasDeletionsToPropagate: Bool {
    unsafe contextReference?._withUnsafeGuaranteedRef { !$0.deletionsToPropagate.isEmpty }
      ?? false
  }

  /// - Parameter source: Kept by whoever asks.
  @unsafe private func make(
    _ number: UInt64, at source: Unmanaged<RowSource>, _ row: Int
  ) -> ManagedObject {
    let object = unsafe type.init(
      ObjectBirth(
        key: ObjectKey(entity: graph.number, number: number),
        source: source, row: UInt32(row), state: []))
    unsafe storedObjects.insert(object, number)
    return object
  }
}

// MARK: - Changes

extension EntityState {
  /// Makes a new object, with the given number or the next that is free.
  func insert(_ number: UInt64? = nil, basis: Int64 = 0) throws -> ManagedObject {
    let number = try number ?? nextKey()
    let (source, draft) = unsafe openInsertions()
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

  /// The draft that new rows go to, which has room for one more.
  @inline(__always)
  @unsafe private func openInsertions() -> (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>) {
    // SAFETY: The last source of `insertions` is kept there, and its draft by the source.
    if let filling = unsafe filling,
      unsafe !filling.draft._withUnsafeGuaranteedRef({ $0.isFull })
    {
      return unsafe filling
    }
    return unsafe beginInsertions()
  }

  @inline(never)
  @unsafe private func beginInsertions() -> (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>)
  {
    let source = RowSource(self, role: .insertions)
    insertions.append(source)
    context?.noteOpenChanges(of: store)
    let made = unsafe (
      source: Unmanaged.passUnretained(source), draft: source.draftReference.unsafelyUnwrapped
    )
    unsafe filling = unsafe made
    return unsafe made
  }

  private func nextKey() throws -> UInt64 {
    if keys.isEmpty {
      keys = try store.store.leaseKeys(ofEntity: graph.number, count: leaseSize)
      leaseSize = min(leaseSize * 2, EntityState.largestLease)
    }
    defer { keys = keys.dropFirst() }
    return keys.lowerBound
  }

  /// Gives an object that has none a row in an open draft, above what it leads to.
  func beginChange(of object: ManagedObject) throws -> RowSource {
    let old = object.source
    let row = Int(object.row)
    let source: RowSource
    if let last = changes.last, !last.draft!.isFull {
      source = last
    } else {
      source = RowSource(self, role: .changes)
      changes.append(source)
      context?.noteOpenChanges(of: store)
    }
    let newRow: Int
    if old.isPending, let below = old.below(row), let draft = old.draft {
      // What was given before is given again, so that no more than one row of changes lies above what
      // is saved.
      newRow = source.append(
        object.key.number, basis: draft.basis(row: row), above: below.source, below.row)
      for column in draft.givenColumns(row: row) {
        source.draft!.set(
          draft.value(column: column, row: row) ?? .null, column: column, row: newRow)
      }
    } else {
      newRow = source.append(
        object.key.number, basis: try old.version(row), above: old, row)
    }
    object.point(to: source, row: newRow)
    return source
  }

  /// The objects that were changed or taken out since the last sealing, and that were there before.
  var openlyChanged: [ManagedObject] {
    let drafts = changes.map { $0.draft! } + removals
    return drafts.flatMap { draft in
      (0..<draft.rowCount).compactMap {
        draft.isRemoved(row: $0) ? nil : objects[draft.key(row: $0)]
      }
    }
  }

  /// Gives an object whose values lie in the drafts of many saves one row of all that they gave.
  ///
  /// It is what it was, and of the same version: what others have saved since is not for whoever has read it
  /// here and is about to change it.
  func gather(_ object: ManagedObject) throws {
    let (version, own) = (object.source.version, try object.source.version(Int(object.row)))
    let basis = version == nil ? own - 1 : 0
    let (given, beneath) = object.source.given(Int(object.row), while: \.isSparse)
    guard let (source, row) = beneath else { return }
    lead(object, to: given, version: version, basis: basis, above: source, row)
  }

  /// Leads an object to a row of changes that counts as saved.
  ///
  /// - Parameters:
  ///   - version: The row's version; `nil` when it is the one after `basis`.
  ///   - source: What has the other values, in the given row.
  func lead(
    _ object: ManagedObject, to values: [Int: Value], version: Int64?, basis: Int64 = 0,
    above source: RowSource, _ row: Int
  ) {
    if gathered.map({ $0.version != version || $0.draft!.isFull }) ?? true {
      let made = RowSource(self, role: .changes)
      made.isOpen = false
      made.setSaved(version)
      gathered = made
    }
    let target = gathered!
    let newRow = target.append(object.key.number, basis: basis, above: source, row)
    for (column, value) in values { target.draft!.set(value, column: column, row: newRow) }
    object.point(to: target, row: newRow)
  }

  /// Leads an object to a whole row that counts as saved, with nothing beneath it.
  func lead(_ object: ManagedObject, toRow values: [Value], version: Int64) {
    let target = RowSource(self, role: .insertions)
    target.isOpen = false
    target.setSaved(version)
    let row = target.draft!.append(key: object.key.number)
    for (column, value) in values.enumerated() {
      target.draft!.set(value, column: column, row: row)
    }
    object.point(to: target, row: row)
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
    if source.isPending, let draft = source.draft {
      basis = max(draft.basis(row: row), 0)
    } else {
      basis = try source.version(row)
    }
    noteRemoval(of: number, basis: basis)
  }

  private func noteRemoval(of number: UInt64, basis: Int64) {
    if removals.last?.isFull ?? true {
      removals.append(Draft(graph.layout, role: .changes))
      context?.noteOpenChanges(of: store)
    }
    removals[removals.count - 1].append(key: number, basis: basis)
  }

  /// Freezes the open drafts. They may be read as before, and written no more.
  func seal(_ writer: inout BlockWriter) -> Layer.EntityChanges {
    let changes = Layer.EntityChanges(
      entityNumber: graph.number,
      put: BlockRun(Draft.freeze(insertions.map { $0.draft! }, &writer)),
      changed: BlockRun(Draft.freeze(self.changes.map { $0.draft! }, &writer)),
      removed: BlockRun(Draft.freeze(removals, flags: .removals, &writer)))
    for source in insertions + self.changes {
      source.isOpen = false
      sealed.append(source)
    }
    insertions = []
    self.changes = []
    removals = []
    return changes
  }

  /// Notes that what was sealed is saved.
  func setSaved(_ version: Int64?) {
    for source in sealed { source.setSaved(version) }
    sealed = []
  }

  /// Forgets all changes that are not saved.
  func discard() {
    for source in insertions + changes { source.isOpen = false }
    insertions = []
    changes = []
    removals = []
    sealed = []
  }
}
