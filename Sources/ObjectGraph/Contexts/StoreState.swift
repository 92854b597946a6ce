import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// What lies beneath a context's changes: a store's snapshot, and what the contexts above it have
/// published.
struct StoreBase: Sendable {
  var snapshot: any StoreSnapshot
  /// The published changes of all ancestors, the lowest first.
  var layers: [Layer] = []

  var tables: [any RowTable] { snapshot.tables + layers }
}

/// One store as one context sees it.
final class StoreState {
  let persistent: PersistentStore
  private(set) var base: StoreBase
  /// What there is beneath the context's changes, the bottom first.
  private(set) var tables: [any RowTable]
  /// The oldest commit that a known object may still be as of.
  var oldestCommit: Int64
  /// Up to which commit others' changes were looked at by the save that is under way.
  var seenCommit: Int64?
  /// Whether others have ever changed what lies beneath.
  private(set) var hasMoved = false
  /// The context's own changes that are sealed, the oldest first; merged in tiers.
  private(set) var pending: [Layer] = []
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
  private var cached: ViewSource?

  var tag: StoreTag { persistent.tag }
  var graph: GraphSchema { persistent.graph }

  init(_ persistent: PersistentStore, _ base: StoreBase) {
    self.persistent = persistent
    self.base = base
    tables = base.tables
    oldestCommit = base.snapshot.commit
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

  /// The states of the entities that were asked for.
  var knownEntities: [EntityState] { entities.compactMap { $0 } }

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
    if let cached { return cached }
    let made = ViewSource(
      View(tables + pending), model: graph.model, schema: graph.schema, store: tag,
      reusing: lastSource)
    cached = made
    lastSource = made
    return made
  }
  private var lastSource: ViewSource?

  /// What lies beneath the context's changes, to be queried.
  var baseSource: ViewSource {
    if let cachedBase { return cachedBase }
    let made = ViewSource(
      View(tables), model: graph.model, schema: graph.schema, store: tag)
    cachedBase = made
    return made
  }
  private var cachedBase: ViewSource?

  /// Says that the view is not what it was.
  private func changeView() {
    cached = nil
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

  /// All pending changes as one layer.
  func pendingLayer() throws -> Layer { try StoreState.merged(pending, graph.schema) }

  /// Gives up the pending changes of some objects.
  func forgetPending(_ keys: Set<ObjectKey>) throws {
    pending = try pending.map { try $0.without(keys, schema: graph.schema) }
      .filter { !$0.isEmpty }
    changeView()
  }

  /// Moves on to what lies beneath by now; the pending changes stay.
  func setBase(_ base: StoreBase) {
    hasMoved = true
    replaceBase(base)
  }

  private func replaceBase(_ base: StoreBase) {
    self.base = base
    tables = base.tables
    cachedBase = nil
    for entity in knownEntities { entity.forgetSources() }
    changeView()
  }

  /// Moves on to what was saved.
  ///
  /// - Parameters:
  ///   - version: The version that all changed rows have since; `nil` when each was saved once more.
  ///   - alone: Whether nobody else has changed anything meanwhile.
  func setSaved(_ base: StoreBase, version: Int64?, alone: Bool) {
    pending = []
    for entity in knownEntities { entity.setSaved(version) }
    if !alone { hasMoved = true }
    replaceBase(base)
  }

  /// Notes that a known object may be as of an older commit than what lies beneath.
  func noteKnown(asOf commit: Int64) {
    oldestCommit = min(oldestCommit, commit)
    hasMoved = true
  }

  /// Forgets changes that come to nothing, such as an insertion and the deletion of what was inserted.
  func forgetEmptyChanges() {
    if !pending.isEmpty { setSaved(base, version: base.snapshot.commit, alone: true) }
  }

  /// Forgets the changes.
  func discard() {
    pending = []
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
