import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// One store as one context sees it: at exactly one commit, with the changes of the context above it.
final class StoreState {
  let persistent: PersistentStore
  private(set) var base: StoreBase
  /// The tables beneath the changes of the context, the bottom first.
  private(set) var tables: [any RowTable]
  /// The sealed changes of the context, the oldest first; merged in tiers.
  private(set) var pending: [Layer] {
    get {
      if !givenUp.isEmpty { dropGivenUp() }
      return storedPending
    }
    set {
      if !givenUp.isEmpty { dropGivenUp() }
      storedPending = newValue
    }
  }
  private var storedPending: [Layer] = []
  /// The keys of objects whose changes are given up and still in the layers. To take out many at once costs little more
  /// than to take out one.
  private var givenUp: Set<ObjectKey> = []
  /// The rows that the changes were made on, where another save has replaced them (``Changes/originals``).
  private(set) var originals = Layer()
  /// The last references of deleted objects that deny a deletion (``Changes/lastReferences``).
  var lastReferences = Layer()
  /// The rows that a rebase has repaired (``Changes/repairs``).
  private(set) var repairs = Repairs()
  /// The states of the entities, by their numbers.
  private var entities: [EntityState?]
  /// Links that were put or taken out since the last sealing.
  var links: OpenLinks
  /// Whether there are drafts that are not sealed.
  var hasOpenChanges = false {
    didSet { if hasOpenChanges, !oldValue { whenChanged?() } }
  }
  /// Called when there is a first change since the last sealing.
  var whenChanged: (() -> Void)?
  /// The sources that were made of the tables.
  private struct Sources {
    var shown: ViewSource?
    /// The last source of what is shown; a new one reuses its parts.
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
    entities = Array(
      repeating: nil, count: Int(persistent.graph.schema.highestEntityNumber) + 1)
  }

  /// The state of an entity; `nil` when the store has no such entity.
  func entity(_ number: UInt16, _ workspace: Workspace) -> EntityState? {
    guard Int(number) < entities.count else { return nil }
    if let known = entities[Int(number)] { return known }
    guard let graph = graph[number] else { return nil }
    let made = EntityState(workspace, persistent, graph)
    entities[Int(number)] = made
    return made
  }

  /// The state of an entity that was asked for; `nil` if none was.
  func knownEntity(_ number: UInt16) -> EntityState? {
    Int(number) < entities.count ? entities[Int(number)] : nil
  }

  /// The states of the entities that were asked for.
  var knownEntities: [EntityState] { entities.compactMap { $0 } }

  /// The commit that the base shows; `nil` if the base has changes that no commit has.
  var committedBase: Int64? { base.layers.isEmpty ? base.snapshot.commit : nil }

  /// Whether no change is in conflict, and a rebase has repaired none.
  var isSettled: Bool { originals.isEmpty && repairs.repaired.isEmpty }

  /// What children see: what lies beneath, and the sealed changes above it.
  var shown: StoreBase {
    var shown = base
    shown.layers += pending
    return shown
  }

  /// Whether anything is not saved.
  var hasChanges: Bool { hasOpenChanges || !pending.isEmpty }

  /// What the context sees, to be queried. Everything must be sealed.
  var source: ViewSource {
    if let known = sources.shown { return known }
    let made = ViewSource(
      View(tables + pending), model: graph.model, schema: graph.schema, store: tag,
      reusing: sources.lastShown)
    sources.shown = made
    sources.lastShown = made
    return made
  }

  /// What lies beneath the context's changes, to be queried.
  var baseSource: ViewSource {
    if let known = sources.base { return known }
    let made = ViewSource(
      View(tables), model: graph.model, schema: graph.schema, store: tag)
    sources.base = made
    return made
  }

  /// Says that the view is not what it was.
  private func changeView() {
    sources.shown = nil
    lists.forget()
  }

  private var lists = RelatedLists()

  /// What a relationship leads to, by numbers of an entity. Everything must be sealed.
  func related(
    _ key: ObjectKey, _ toMany: GraphProperty.ToMany, in entity: EntityState
  ) throws -> RelatedStorage {
    if let known = lists[key, toMany] { return known }
    let numbers = try toMany.way.numbers(relatedTo: key, in: source.index)
    let made = RelatedStorage(numbers, entity)
    lists.note(made, key, toMany, room: entity.objects.count)
    return made
  }

  /// Forgets what relationships led to, which costs memory and can be found again.
  func forgetLists() { lists.forget() }

  /// Freezes the open drafts and puts them on top of the pending changes.
  ///
  /// - Returns: What was changed since the last sealing.
  func seal() throws -> Layer {
    guard hasOpenChanges else { return Layer() }
    hasOpenChanges = false
    var writer = BlockWriter()
    var changes: [Layer.EntityChanges] = []
    for case let entity? in entities where entity.hasOpenChanges {
      changes.append(entity.seal(&writer))
    }
    if let links = links.seal() { changes += links.entities }
    let layer = Layer(changes)
    if !layer.isEmpty {
      pending.append(layer)
      try mergeTiers()
    }
    changeView()
    return layer
  }

  private func mergeTiers() throws {
    while let count = SegmentTiers.mergeCount(sizes: pending.map(\.count)) {
      let merged = try StoreState.merged(Array(pending.suffix(count)), graph.schema)
      pending.replaceSubrange((pending.count - count)..., with: merged.isEmpty ? [] : [merged])
    }
  }

  static func merged(_ layers: [Layer], _ schema: Schema) throws -> Layer {
    var layers = layers
    // Neighbours first, so that a row is copied as often as the count can be halved, and not once for
    // each layer above its own.
    while layers.count > 1 {
      layers = try stride(from: 0, to: layers.count, by: 2).map { index in
        index + 1 < layers.count
          ? try layers[index].merged(with: layers[index + 1], schema: schema) : layers[index]
      }
    }
    return layers.first ?? Layer()
  }

  /// Returns all sealed changes as one layer.
  func pendingLayer() throws -> Layer { try StoreState.merged(pending, graph.schema) }

  /// Returns the sealed changes and the state that they were made on.
  func changes() throws -> Changes {
    Changes(
      base: base, layer: try pendingLayer(), originals: originals, lastReferences: lastReferences,
      repairs: repairs)
  }

  /// Gives up the sealed changes of some objects.
  func forgetPending(_ keys: Set<ObjectKey>) throws {
    pending = try pending.compactMap { layer in
      let left = try layer.without(keys, schema: graph.schema)
      return left.isEmpty ? nil : left
    }
    if !originals.isEmpty { originals = try originals.without(keys, schema: graph.schema) }
    changeView()
  }

  /// Gives up the sealed changes of one object at once, or soon.
  ///
  /// - Precondition: Nothing else in the store follows from these changes.
  func giveUp(_ key: ObjectKey) {
    givenUp.insert(key)
    changeView()
  }

  private func dropGivenUp() {
    let keys = givenUp
    givenUp = []
    // The layers lie in memory, and were read when they were made.
    try! forgetPending(keys)
  }

  /// Whether a sealed change deletes an object or removes a link.
  var hasRemovals: Bool {
    storedPending.contains { layer in layer.entities.contains { !$0.removed.isEmpty } }
  }

  /// Puts a layer on top of the sealed changes.
  ///
  /// - Parameter originals: The rows that all changes were made on, after that.
  func push(_ layer: Layer, originals: Layer) throws {
    self.originals = originals
    guard !layer.isEmpty else { return }
    pending.append(layer)
    try mergeTiers()
    changeView()
  }

  /// Takes over the repairs of changes that are about to be put on top.
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

  /// Takes over the changes after a rebase.
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
  }

  /// Moves on to the commit that has saved the changes.
  ///
  /// - Parameter version: The version of all changed rows since; `nil` when each was saved once more.
  func setSaved(_ base: StoreBase, version: Int64?) {
    forgetChanges()
    for entity in knownEntities { entity.setSaved(version) }
    replaceBase(base)
  }

  /// Forgets changes that come to nothing, such as an insertion and the deletion of the same object.
  func forgetEmptyChanges() {
    if !pending.isEmpty { setSaved(base, version: base.snapshot.commit) }
  }

  /// Forgets the changes.
  func discard() {
    forgetChanges()
    hasOpenChanges = false
    links = OpenLinks(graph.schema)
    for entity in knownEntities { entity.discard() }
    changeView()
  }
}

extension StoreState {
  /// The objects that have the given values in a constraint's properties. Everything must be sealed.
  func objects(sharing values: [Value], _ constraint: GraphSchema.Uniqueness) throws -> [ObjectKey]
  {
    guard let indexed = source.indexed else { return [] }
    return try constraint.family.flatMap { layout -> [ObjectKey] in
      let columns = constraint.names.compactMap { name in
        layout.index(of: name).map { layout.columns[$0] }
      }
      guard columns.count == constraint.names.count else { return [] }
      let index =
        graph.schema.index(ofEntity: layout.entityNumber, by: columns)
        ?? IndexLayout(number: 0, entityNumber: layout.entityNumber, columns: columns)
      return try indexed.keys(index, in: IndexRange(equalTo: IndexBound(values))).map {
        ObjectKey(entity: layout.entityNumber, number: $0)
      }
    }
  }
}
