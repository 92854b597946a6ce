package import ObjectModel
package import Rows
import Synchronization

/// The objects of a view over layers, as a source of queries.
///
/// To-many relationships are resolved with indexes. Indexes that the store keeps are used first. For objects that are
/// not in a store, or changed recently, indexes are made on demand and kept as long as the source.
package final class ViewSource: QuerySource {
  /// The model of the objects.
  package let model: Model
  /// The schema, which assigns columns to the model's properties.
  package let schema: Schema
  /// The tag of the store that object identifiers must name; `nil` if every store is accepted.
  package let store: StoreTag?
  /// The view that is searched.
  package let view: View
  /// The same objects, by their indexes.
  package var indexed: IndexedView? { index }

  package let index: IndexedView
  private let ways = Mutex<[ToManyRelationship: RelationshipWay]>([:])

  /// Creates a source for the objects of the given view.
  ///
  /// - Parameter other: A source of the same store at an earlier time. Its indexes are reused as far as both views
  ///   share the same rows at their bottom.
  package init(
    _ view: View, model: Model, schema: Schema, store: StoreTag? = nil,
    reusing other: ViewSource? = nil
  ) {
    self.view = view
    self.model = model
    self.schema = schema
    self.store = store
    index = IndexedView(view, schema, reusing: other?.index)
    if let other { ways.withLock { $0 = other.ways.withLock { $0 } } }
  }

  /// Returns all objects of one entity, without its subentities.
  package func batches(of layout: Layout) throws -> [RowBatch] { try view.batches(of: layout) }

  /// Returns the row of one object, or `nil` if no object has the given key.
  package func row(of key: ObjectKey) throws -> ViewRow? { try view.row(of: key) }

  /// Returns the objects that a to-many relationship refers to.
  package func objects(
    relatedTo key: ObjectKey, through relationship: ToManyRelationship
  ) throws -> [ObjectKey] {
    let way: RelationshipWay
    if let known = ways.withLock({ $0[relationship] }) {
      way = known
    } else {
      way = RelationshipWay(relationship, model, schema)
      ways.withLock { $0[relationship] = way }
    }
    return try way.objects(relatedTo: key, in: index)
  }
}

/// The way to find the objects of a to-many relationship: by the column that leads back, or by links.
package struct RelationshipWay: Sendable {
  private enum Kind {
    /// For each entity of the destination's family, an index of the column that leads back.
    case inverse([IndexLayout])
    /// An index of the links by owner, for each direction in which the links are valid.
    case links([(index: IndexLayout, destination: LayoutColumn)])
  }
  private let kind: Kind
  private let isOrdered: Bool

  /// Creates the way for a relationship.
  package init(_ relationship: ToManyRelationship, _ model: Model, _ schema: Schema) {
    if let inverse = relationship.inverse {
      isOrdered = relationship.order != nil
      let columns = [inverse] + (relationship.order.map { [$0] } ?? [])
      kind = .inverse(
        schema.layouts(ofFamily: relationship.destination, in: model).map {
          schema.order(ofEntity: $0.entityNumber, by: columns)
        })
      return
    }
    guard let side = schema.links(of: relationship.entity, relationship.name) else {
      kind = .links([])
      isOrdered = false
      return
    }
    isOrdered = side.order != nil
    func way(_ side: LinkTable.Side) -> (index: IndexLayout, destination: LayoutColumn) {
      let columns = [side.owner] + (side.order.map { [$0] } ?? [])
      let number = side.table.layout.entityNumber
      return (
        schema.order(ofEntity: number, by: columns),
        side.destination
      )
    }
    kind = .links(side.table.isSymmetric ? [way(side), way(side.turned)] : [way(side)])
  }

  /// The entities whose rows contain the relationship's references: the entities at its other end, or the links.
  package var storingEntities: [UInt16] {
    switch kind {
    case .inverse(let indexes): indexes.map(\.entityNumber)
    case .links(let ways): ways.prefix(1).map(\.index.entityNumber)
    }
  }

  /// The objects that a relationship refers to.
  package enum Members {
    /// Objects of one entity, by their numbers.
    case numbers([UInt64], entity: UInt16)
    case keys([ObjectKey])
  }

  /// Returns the objects that the relationship refers to, in its order, as numbers if they are of one entity.
  package func members(relatedTo key: ObjectKey, in indexed: IndexedView) throws -> Members {
    if case .inverse(let indexes) = kind, indexes.count == 1 {
      let range = IndexRange(equalTo: IndexBound([.object(key)]))
      return .numbers(try indexed.keys(indexes[0], in: range), entity: indexes[0].entityNumber)
    }
    let keys = try objects(relatedTo: key, in: indexed)
    guard let entity = keys.first?.entity, keys.allSatisfy({ $0.entity == entity }) else {
      return .keys(keys)
    }
    return .numbers(keys.map(\.number), entity: entity)
  }

  /// Returns the objects that the relationship refers to, in its order.
  package func objects(
    relatedTo key: ObjectKey, in indexed: IndexedView
  ) throws -> [ObjectKey] {
    let range = IndexRange(equalTo: IndexBound([.object(key)]))
    switch kind {
    case .inverse(let indexes):
      if indexes.count == 1 {
        return try indexed.keys(indexes[0], in: range).map {
          ObjectKey(entity: indexes[0].entityNumber, number: $0)
        }
      }
      var found: [(key: ObjectKey, order: Int64)] = []
      for index in indexes {
        for entry in try indexed.entries(index, in: range) {
          found.append(
            (
              ObjectKey(entity: index.entityNumber, number: entry.object),
              try order(of: entry, index)
            ))
        }
      }
      return found.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.key)
    case .links(let ways):
      var found: [(key: ObjectKey, order: Int64)] = []
      // Two writers may both create the same link, so duplicates are removed.
      guard isOrdered else {
        var keys = try ways.flatMap { way in
          try indexed.view.references(
            in: way.destination, ofRows: indexed.keys(way.index, in: range),
            ofEntity: way.index.entityNumber
          ).compactMap { $0 }
        }
        keys.sort()
        return keys.indices.filter { $0 == 0 || keys[$0 - 1] != keys[$0] }.map { keys[$0] }
      }
      for way in ways {
        let entries = try indexed.entries(way.index, in: range)
        let others = try indexed.view.references(
          in: way.destination, ofRows: entries.map(\.object), ofEntity: way.index.entityNumber)
        for (entry, other) in zip(entries, others) {
          if let other { found.append((other, try order(of: entry, way.index))) }
        }
      }
      var seen: Set<ObjectKey> = []
      return found.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.key)
        .filter { seen.insert($0).inserted }
    }
  }

  /// Returns an object's position; 0 if the relationship is unordered.
  private func order(of entry: IndexEntry, _ index: IndexLayout) throws -> Int64 {
    guard isOrdered else { return 0 }
    return try entry.block.column(index.columns[1])?.integer(at: entry.row) ?? 0
  }
}

extension Schema {
  /// Returns the index whose first columns are the given ones, or a new index that no store keeps.
  fileprivate func order(ofEntity number: UInt16, by columns: [LayoutColumn]) -> IndexLayout {
    index(ofEntity: number, by: columns)
      ?? IndexLayout(number: 0, entityNumber: number, columns: columns)
  }

  /// Returns the layouts of an entity and of all entities that inherit from it.
  package func layouts(ofFamily entity: String, in model: Model) -> [Layout] {
    model.family(of: entity).compactMap { self[$0.name] }
  }
}
