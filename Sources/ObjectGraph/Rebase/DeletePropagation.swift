import ObjectModel
import ObjectQuery
import Rows

/// Finds the effects of deleting a row on related rows, by the delete rules of its relationships.
///
/// The caller applies the effects: a context to its objects, a rebase to its rows.
struct DeletePropagation {
  private let graph: GraphSchema
  private let source: ViewSource

  /// The effects of deleting a row on related rows.
  struct Effects {
    /// The keys of the objects that the deletion deletes too.
    var deleted: [ObjectKey] = []
    /// The references to the row that are cleared, with their places in ordered relationships.
    var cleared: [(key: ObjectKey, toOne: GraphProperty.ToOne)] = []
    /// The links of the row that are removed.
    var links: [ObjectKey] = []
    /// The keys of the objects that were linked to the row by a relationship without an inverse.
    var owners: [ObjectKey] = []
  }

  init(_ graph: GraphSchema, _ source: ViewSource) {
    self.graph = graph
    self.source = source
  }

  /// Returns the effects of deleting a row.
  ///
  /// - Parameters:
  ///   - reference: Returns the key that a column of the row contains.
  ///   - isReached: Whether the deletion propagates to the object that a relationship refers to.
  func effects(
    of key: ObjectKey, reference: (Int) throws -> ObjectKey?,
    isReached: (GraphProperty.ToOne, ObjectKey) throws -> Bool
  ) throws -> Effects {
    var effects = Effects()
    guard let entity = graph[key.entity] else { return effects }
    if let oneWay = graph.oneWayReferences(to: key.entity) {
      try clear(oneWay, to: key, &effects)
    }
    for index in entity.relationshipsToPropagate {
      switch entity.properties[index].place {
      case .toOne(let toOne):
        guard let other = try reference(toOne.column), try isReached(toOne, other) else { continue }
        try apply(toOne.relationship, of: key, to: [other], &effects)
      case .toMany(let toMany):
        if toMany.relationship.deleteRule != .nullify || toMany.links == nil {
          let members = try source.objects(relatedTo: key, through: toMany.query)
          try apply(toMany.relationship, of: key, to: members, &effects)
        }
        // Links that deny the deletion stay, as references do, and validation reports them.
        if let side = toMany.links, toMany.relationship.deleteRule != .deny {
          effects.links += try links(of: key, side).map(\.key)
        }
      default: continue
      }
    }
    return effects
  }

  /// Whether the object at the other end of a one-to-one relationship refers to a row; `nil` if the relationship is not
  /// one-to-one.
  func isConnected(
    _ other: ObjectKey, to key: ObjectKey, _ toOne: GraphProperty.ToOne
  ) throws -> Bool? {
    guard let inverse = toOne.inverse, !inverse.isToMany,
      let backward = graph.toOne(inverse.name, of: other)
    else { return nil }
    return try source.row(of: other)?.reference(backward.layoutColumn) == key
  }

  /// Applies a relationship's delete rule to the objects at its other end.
  private func apply(
    _ relationship: Relationship, of key: ObjectKey, to others: [ObjectKey],
    _ effects: inout Effects
  ) throws {
    switch relationship.deleteRule {
    case .deny: return
    case .cascade:
      for other in others where try source.row(of: other) != nil { effects.deleted.append(other) }
    // A store contains no reference to a missing object, so the rule *no action* clears the reference too.
    case .nullify, .noAction:
      guard let name = relationship.inverse else { return }
      for other in others {
        guard let backward = graph.toOne(name, of: other),
          try source.row(of: other)?.reference(backward.layoutColumn) == key
        else { continue }
        effects.cleared.append((other, backward.toOne))
      }
    }
  }

  /// Clears every reference and link to a deleted row that has no inverse.
  ///
  /// Core Data leaves them dangling. A store of Quire contains no reference to a missing object. So a relationship
  /// without an inverse is cleared as if its inverse had the rule *nullify*.
  private func clear(
    _ oneWay: OneWayReferences, to key: ObjectKey, _ effects: inout Effects
  ) throws {
    guard let indexed = source.indexed else { return }
    let range = IndexRange(equalTo: IndexBound([.object(key)]))
    for reference in oneWay.references {
      for number in try indexed.keys(reference.index, in: range) {
        effects.cleared.append(
          (ObjectKey(entity: reference.entity, number: number), reference.toOne))
      }
    }
    for side in oneWay.links {
      let found = try links(of: key, side)
      effects.links += found.map(\.key)
      // The number of related objects of each owner is validated again.
      effects.owners += found.map(\.other)
    }
  }

  private func links(of key: ObjectKey, _ side: LinkTable.Side) throws -> [FoundLink] {
    try FoundLink.links(of: key, side, in: source)
  }
}

/// A link of an object: its key, the object at the other end, its place, the column of the place, and its version.
struct FoundLink {
  var key: ObjectKey
  var other: ObjectKey
  var order: Int64
  var orderColumn: LayoutColumn?
  var version: Int64

  /// Returns the links of an object, seen from one side. A relationship that is its own inverse is searched from both
  /// sides.
  static func links(
    of key: ObjectKey, _ side: LinkTable.Side, in source: ViewSource
  ) throws -> [FoundLink] {
    guard let indexed = source.indexed else { return [] }
    let range = IndexRange(equalTo: IndexBound([.object(key)]))
    let sides = side.table.isSymmetric ? [side, side.turned] : [side]
    return try sides.flatMap { side in
      let index = side.ownerIndex(in: source.schema)
      return try indexed.keys(index, in: range).compactMap { number -> FoundLink? in
        let link = ObjectKey(entity: side.table.layout.entityNumber, number: number)
        guard let row = try source.row(of: link),
          case .object(let other) = try row.value(side.destination)
        else { return nil }
        var order: Int64 = 0
        if let column = side.order, case .integer(let place) = try row.value(column) {
          order = place
        }
        return FoundLink(
          key: link, other: other, order: order, orderColumn: side.order,
          version: try row.version)
      }
    }
  }
}

extension LinkTable.Side {
  /// Returns the index of the links by the object that has the relationship.
  func ownerIndex(in schema: Schema) -> IndexLayout {
    let number = table.layout.entityNumber
    return schema.index(ofEntity: number, by: [owner])
      ?? IndexLayout(number: 0, entityNumber: number, columns: [owner])
  }
}

/// A to-one relationship of an entity, and the column of its reference.
struct BackwardReference {
  let toOne: GraphProperty.ToOne
  let layoutColumn: LayoutColumn
}

extension GraphSchema {
  /// Returns a to-one relationship of the entity of a key; `nil` if the entity has none of that name.
  func toOne(_ name: String, of key: ObjectKey) -> BackwardReference? {
    guard let entity = self[key.entity], case .toOne(let toOne)? = entity[name]?.place else {
      return nil
    }
    return BackwardReference(toOne: toOne, layoutColumn: entity.layout.columns[toOne.column])
  }
}
