import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The check of an object graph against its model (spec §6.3), over the tables of any store.
///
/// The check reads one column of one entity at a time. It keeps the number of each object and both ends of each
/// reference, so memory stays in proportion to the rows.
final class GraphCheck {
  let tables: [any RowTable]
  let model: Model
  let schema: Schema
  let findings: Findings
  private let progress: (Double) -> Void
  /// The positions of the segments with rows of an entity, and of the tables that may have rows of any entity.
  private var positions: [UInt16: [Int]] = [:]
  private var others: [Int] = []
  /// The numbers of entities with damaged blocks.
  private var unsound: Set<UInt16> = []

  /// The objects of each entity with sound blocks.
  private(set) var objects: [UInt16: EntityObjects] = [:]
  /// The names of the entities with damaged blocks.
  private(set) var unsoundEntities: [String] = []
  /// The parts that were not checked, in sentences.
  var unchecked: [String] = []
  /// The objects as a source for queries.
  private(set) lazy var source = ViewSource(View(tables), model: model, schema: schema)
  /// The references of relationships with an inverse.
  var links: [RelationshipPlace: [Link]] = [:]

  init(
    _ tables: [any RowTable], _ model: Model, _ schema: Schema, _ findings: Findings,
    progress: @escaping (Double) -> Void
  ) {
    self.tables = tables
    self.model = model
    self.schema = schema
    self.findings = findings
    self.progress = progress
    for (position, table) in tables.enumerated() {
      guard let segment = table as? SegmentTable else {
        others.append(position)
        continue
      }
      unsound.formUnion(segment.unsound)
      for entity in segment.entities { positions[entity, default: []].append(position) }
    }
  }

  /// The number of objects, without links.
  var objectCount: Int {
    schema.layouts.reduce(0) { $0 + (objects[$1.entityNumber]?.keys.count ?? 0) }
  }

  /// Checks the whole object graph.
  func run() throws {
    for layout in schema.layouts + schema.linkTables.map(\.layout) { try gather(layout) }
    for (index, layout) in schema.layouts.enumerated() {
      progress(Double(index) / Double(schema.layouts.count))
      guard let found = objects[layout.entityNumber], !found.keys.isEmpty else { continue }
      if model[layout.entity]?.isAbstract ?? false {
        findings.add(
          .abstractEntity, Place(entity: layout.entity),
          "The entity is abstract, but the store contains \(found.keys.count) objects of it.")
      }
      let blocks = try blocks(of: layout)
      try checkAttributes(layout, found, blocks)
      try checkReferences(layout, found, blocks)
      checkPredicates(layout, found)
    }
    for (place, links) in links.sorted(by: { $0.key < $1.key }) { check(links, at: place) }
    for table in schema.linkTables { try check(table) }
    for entity in model.entities { try checkUniqueness(entity) }
  }

  /// Returns the changes of an entity in each table that has any, the lowest table first.
  func changes(of layout: Layout) throws -> [Layer.EntityChanges] {
    try (positions[layout.entityNumber, default: []] + others).sorted()
      .compactMap { try tables[$0].changes(ofEntity: layout.entityNumber) }
  }

  /// Returns the blocks of an entity, in the order in which its objects were gathered.
  func blocks(of layout: Layout) throws -> [Block] {
    try changes(of: layout).flatMap { [$0.put, $0.changed, $0.removed] }.flatMap(\.blocks)
  }

  private func gather(_ layout: Layout) throws {
    if unsound.contains(layout.entityNumber) {
      unsoundEntities.append(layout.entity)
      return
    }
    objects[layout.entityNumber] = try EntityObjects(
      changes(of: layout), at: Place(entity: layout.entity), findings)
  }

  /// Returns the entity and the number of an object, as text.
  func name(_ key: ObjectKey) -> String {
    "\(schema[key.entity]?.entity ?? "entity \(key.entity)") \(key.number)"
  }
}

/// A relationship and the entity that declares it.
struct RelationshipPlace: Hashable, Comparable {
  var entity: String
  var name: String

  static func < (left: RelationshipPlace, right: RelationshipPlace) -> Bool {
    (left.entity, left.name) < (right.entity, right.name)
  }
}

/// A reference from one object to another, and the source's position in the inverse relationship.
struct Link {
  var target: UInt64
  var source: UInt64
  var order: Int64?
}
