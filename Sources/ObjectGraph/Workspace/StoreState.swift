import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// One store as one context sees it: a base, with the changes of the context above it.
final class StoreState {
  let persistent: PersistentStore
  private(set) var base: StoreBase
  /// The tables below the changes of the context, from bottom to top.
  private(set) var tables: [any RowTable]
  /// The frozen changes of the context, the oldest first; merged in tiers.
  private(set) var pending: [Layer] {
    get {
      if !discarded.isEmpty { dropDiscarded() }
      return storedPending
    }
    set {
      if !discarded.isEmpty { dropDiscarded() }
      storedPending = newValue
    }
  }
  private var storedPending: [Layer] = []
  /// The keys of objects whose dropped changes are still in the layers. Removing many keys at once costs little more
  /// than removing one.
  private var discarded: Set<ObjectKey> = []
  /// The rows that the changes were made on, where another save has replaced them (``Changes/originals``).
  private(set) var originals = Layer()
  /// The last references of deleted objects that deny a deletion (``Changes/lastReferences``).
  var lastReferences = Layer()
  /// The rows that a rebase has repaired (``Changes/repairs``).
  private(set) var repairs = Repairs()
  /// The lanes of the other copies whose objects a merge has added.
  var mergedLanes: StoreLanes?
  /// The states of the entities.
  private struct Entities {
    var byNumber: [EntityState?]
    /// The states that were made so far, in the order of their numbers.
    var known: [EntityState] = []
  }
  private var entities: Entities
  /// The links that were added or removed since drafts were last frozen.
  var links: OpenLinks
  /// The leased keys for new links, by table. The store gives them to no other link.
  private var linkKeys: [UInt16: Range<UInt64>] = [:]
  /// Whether there are drafts that are not frozen.
  var hasOpenChanges = false {
    didSet { if hasOpenChanges, !oldValue { whenChanged?() } }
  }
  /// A function that is called at the first change after a freeze.
  var whenChanged: (() -> Void)?
  /// The sources of queries over the tables, and what they have found.
  private struct Sources {
    var lists = RelatedLists()
    var shown: ViewSource?
    /// The last source of the view. A new source reuses its parts.
    var lastShown: ViewSource?
    var base: ViewSource?
  }
  private var sources = Sources()

  var tag: StoreTag { persistent.tag }
  var graph: GraphSchema { persistent.graph }

  init(_ persistent: PersistentStore, _ base: StoreBase) {
    self.persistent = persistent
    self.base = base
    tables = base.tables
    links = OpenLinks(persistent.graph.schema)
    let count = Int(persistent.graph.schema.highestEntityNumber) + 1
    entities = Entities(byNumber: Array(repeating: nil, count: count))
  }

  /// Returns the state of an entity, made if needed; `nil` if the store has no such entity.
  func entity(_ number: UInt16, _ workspace: Workspace) -> EntityState? {
    guard Int(number) < entities.byNumber.count else { return nil }
    if let known = entities.byNumber[Int(number)] { return known }
    guard let graph = graph[number] else { return nil }
    let made = EntityState(workspace, persistent, graph)
    entities.byNumber[Int(number)] = made
    entities.known = entities.byNumber.compactMap { $0 }
    return made
  }

  /// Returns the state of an entity if it was made before.
  func knownEntity(_ number: UInt16) -> EntityState? {
    Int(number) < entities.byNumber.count ? entities.byNumber[Int(number)] : nil
  }

  /// The entity states that were made so far, in the order of their numbers.
  var knownEntities: [EntityState] { entities.known }

  /// The commit that the base shows; `nil` if the base has changes that no commit has.
  var committedBase: Int64? { base.layers.isEmpty ? base.snapshot.commit : nil }

  /// Whether no change is in conflict, and no rebase has repaired a row.
  var isSettled: Bool { originals.isEmpty && repairs.repaired.isEmpty }

  /// The state that children see: the base, and the frozen changes above it.
  var shown: StoreBase {
    var shown = base
    shown.layers += pending
    return shown
  }

  /// Whether there are unsaved changes.
  var hasChanges: Bool { hasOpenChanges || !pending.isEmpty }

  /// The rows as the context shows them, without the drafts that are not frozen.
  var view: View {
    let pending = pending
    return View(pending.isEmpty ? tables : tables + pending)
  }

  /// The source of queries over the context's view. All drafts must be frozen.
  var source: ViewSource {
    if let known = sources.shown { return known }
    let made = ViewSource(
      view, model: graph.model, schema: graph.schema, store: tag,
      reusing: sources.lastShown)
    sources.shown = made
    sources.lastShown = made
    return made
  }

  /// The source of queries over the base, without the context's changes.
  var baseSource: ViewSource {
    if let known = sources.base { return known }
    let made = ViewSource(
      View(tables), model: graph.model, schema: graph.schema, store: tag)
    sources.base = made
    return made
  }

  /// Drops the caches of the view, because the view has changed.
  ///
  /// - Parameter layer: The changes; `nil` if they may concern anything.
  private func changeView(by layer: Layer? = nil) {
    sources.shown = nil
    if let layer {
      sources.lists.forget(storedIn: layer.entities.map(\.entityNumber))
    } else {
      sources.lists.forget()
    }
  }

  /// Returns the objects that a relationship refers to. The drafts that may concern them must be frozen.
  func related(
    _ key: ObjectKey, _ toMany: GraphProperty.ToMany, _ workspace: Workspace
  ) throws -> RelatedStorage {
    if let known = sources.lists[key, toMany] { return known }
    let made: RelatedStorage
    var room = 0
    switch try toMany.way.members(relatedTo: key, in: source.index) {
    case .numbers(let numbers, let number):
      guard let entity = entity(number, workspace) else { return RelatedStorage([]) }
      made = RelatedStorage(numbers, entity)
      room = entity.objects.count
    case .keys(let keys):
      let members = keys.compactMap { key in entity(key.entity, workspace).map { (key.number, $0) }
      }
      made = RelatedStorage(members.map(\.0), ofEach: members.map(\.1))
      room = Set(members.map { $0.1.graph.number }).reduce(0) {
        $0 + (knownEntity($1)?.objects.count ?? 0)
      }
    }
    sources.lists.record(made, key, toMany, room: room)
    return made
  }

  /// Drops the cache of related objects, to free memory.
  func forgetLists() { sources.lists.forget() }

  /// Returns a key for a new link. No other link has the same key.
  ///
  /// - Parameter remaining: The number of links that the caller is about to add.
  func nextLinkKey(_ table: UInt16, _ remaining: Int) throws -> UInt64 {
    var keys = linkKeys[table] ?? 0..<0
    if keys.isEmpty {
      keys = try persistent.store.leaseKeys(
        ofEntity: table, count: max(16, min(remaining, 65_536)))
    }
    linkKeys[table] = keys.dropFirst()
    return keys.lowerBound
  }

  /// Returns the values that the changes since the last freeze replace; `nil` if these are many.
  func replacedRows() -> ReplacedRows? {
    let changed = knownEntities.filter { $0.openChangeCount > 0 }
    guard changed.reduce(0, { $0 + $1.openChangeCount }) <= ReplacedRows.most else { return nil }
    var rows = ReplacedRows()
    for entity in changed { rows.add(entity.replacedRows(), of: entity.graph.number) }
    return rows
  }

  /// Freezes the open drafts and puts them on top of the pending changes.
  ///
  /// - Returns: The changes since the last freeze.
  func seal() throws -> Layer {
    guard hasOpenChanges else { return Layer() }
    hasOpenChanges = false
    var writer = BlockWriter()
    var changes: [Layer.EntityChanges] = []
    for entity in knownEntities where entity.hasOpenChanges {
      changes.append(entity.seal(&writer))
    }
    if let links = links.seal() { changes += links.entities }
    let layer = Layer(changes)
    if !layer.isEmpty {
      try append(layer)
    }
    changeView(by: layer)
    return layer
  }

  private func append(_ layer: Layer) throws {
    pending.append(layer)
    try SegmentTiers.merge(&storedPending, graph.schema, areStored: false)
  }

  /// Returns all frozen changes as one layer.
  func pendingLayer() throws -> Layer { try Layer.merged(pending, schema: graph.schema) }

  /// Returns the frozen changes and the state that they were made on.
  func changes() throws -> Changes {
    Changes(
      base: base, layer: try pendingLayer(), originals: originals, lastReferences: lastReferences,
      repairs: repairs)
  }

  /// Drops the frozen changes of some objects.
  func forgetPending(_ keys: Set<ObjectKey>) throws {
    pending = try pending.compactMap { layer in
      let left = try layer.without(keys, schema: graph.schema)
      return left.isEmpty ? nil : left
    }
    if !originals.isEmpty { originals = try originals.without(keys, schema: graph.schema) }
    changeView()
  }

  /// Drops the frozen changes of one object. The layers are rewritten later, when they are next read.
  ///
  /// - Precondition: Nothing else in the store follows from these changes.
  func discard(_ key: ObjectKey) {
    discarded.insert(key)
    changeView()
  }

  private func dropDiscarded() {
    let keys = discarded
    discarded = []
    // The layers are in memory and were readable when they were made, so this can't fail.
    try! forgetPending(keys)
  }

  /// Whether a frozen change deletes an object or removes a link.
  var hasRemovals: Bool {
    storedPending.contains { layer in layer.entities.contains { !$0.removed.isEmpty } }
  }

  /// Puts a layer on top of the frozen changes.
  ///
  /// - Parameter originals: The original rows of all changes, the layer's changes included.
  func push(_ layer: Layer, originals: Layer) throws {
    self.originals = originals
    guard !layer.isEmpty else { return }
    try append(layer)
    changeView(by: layer)
  }

  /// Adds the repairs of changes that are about to be put on top.
  func addRepairs(_ added: Repairs) throws {
    if added.repaired.isEmpty { return }
    let schema = graph.schema
    let keys = Set(try added.repaired.allKeys())
    let mine = try pendingLayer().rows(of: keys, above: View(tables), schema)
    for part in [\Repairs.repaired, \.before] {
      repairs[keyPath: part] = try repairs[keyPath: part].without(keys, schema: schema)
        .merged(with: mine.merged(with: added[keyPath: part], schema: schema), schema: schema)
    }
  }

  /// Replaces the changes and the base by the result of a rebase.
  func setRebased(_ changes: Changes) {
    pending = changes.layer.isEmpty ? [] : [changes.layer]
    originals = changes.originals
    lastReferences = changes.lastReferences
    repairs = changes.repairs
    replaceBase(changes.base)
  }

  private func replaceBase(_ base: StoreBase) {
    self.base = base
    tables = base.tables
    sources.base = nil
    for entity in knownEntities { entity.forgetSources() }
    changeView()
  }

  private func forgetChanges() {
    pending = []
    originals = Layer()
    lastReferences = Layer()
    repairs = Repairs()
    mergedLanes = nil
  }

  /// Advances to the commit that has saved the changes.
  ///
  /// - Parameter version: The new version of all changed rows; `nil` if the store counts the saves of each row instead.
  func setSaved(_ base: StoreBase, version: Int64?) {
    forgetChanges()
    for entity in knownEntities { entity.setSaved(version) }
    replaceBase(base)
  }

  /// Drops changes that cancel out, such as an insertion and the deletion of the same object.
  func forgetEmptyChanges() {
    if !pending.isEmpty { setSaved(base, version: base.snapshot.commit) }
  }

  func discard() {
    forgetChanges()
    hasOpenChanges = false
    links = OpenLinks(graph.schema)
    for entity in knownEntities { entity.discard() }
    changeView()
  }
}
