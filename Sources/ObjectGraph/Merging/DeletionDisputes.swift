import ObjectModel
import ObjectQuery
import Rows

/// The objects that one side has deleted and the other side has changed, or refers to again.
struct DeletionDisputes {
  private let merge: ThreeWayMerge

  private var graph: GraphSchema { merge.graph }

  init(_ merge: ThreeWayMerge) { self.merge = merge }

  /// One side of the merge: its rows, and its changes since the base.
  private struct Side {
    let side: MergeSide
    let view: View
    /// The keys of all rows that may differ from the base.
    let layer: Layer
  }

  private var sides: [Side] {
    [
      Side(side: .ours, view: merge.views.ours, layer: merge.base),
      Side(side: .theirs, view: merge.views.theirs, layer: merge.theirs),
    ]
  }

  // MARK: - Finding

  /// Returns the disputes about deleted objects.
  func disputes() throws -> [MergeDispute] {
    let sides = sides
    return try zip(sides, sides.reversed()).flatMap { deleting, keeping in
      try disputes(deletedBy: deleting, keptBy: keeping)
    }
  }

  private func disputes(deletedBy deleting: Side, keptBy keeping: Side) throws -> [MergeDispute] {
    let deleted = try deletedKeys(deleting)
    if deleted.isEmpty { return [] }
    let references = try newReferences(of: keeping, to: deleted)
    return try deleted.sorted().compactMap { key in
      guard let entity = graph[key.entity], let before = try merge.views.base.row(of: key),
        let now = try keeping.view.row(of: key)
      else { return nil }
      let changes = try changes(entity, before, now)
      let referring = references[key] ?? []
      if changes.isEmpty, referring.isEmpty { return nil }
      let kept = MergeDispute.State.object(
        changes: changes.map { (entity.layout.columns[$0.column].name, $0.base, $0.value) },
        references: referring.map {
          MergeDispute.Reference(object: $0.object, property: $0.relationship)
        })
      let isOurs = deleting.side == .ours
      return MergeDispute(
        kind: .deletion, object: key, entity: entity.name, property: nil,
        base: .object(changes: [], references: []), ours: isOurs ? .missing : kept,
        theirs: isOurs ? kept : .missing)
    }
  }

  /// Returns the keys of the objects of the base that a side does not have.
  private func deletedKeys(_ side: Side) throws -> Set<ObjectKey> {
    Set(
      try side.layer.allKeys().filter { key in
        try graph[key.entity] != nil && merge.views.base.row(of: key) != nil
          && side.view.row(of: key) == nil
      })
  }

  private typealias Change = (column: Int, base: Value, value: Value)

  /// Returns the values that differ from the base. Derived values and places follow from other changes.
  private func changes(
    _ entity: GraphEntity, _ before: ViewRow, _ now: ViewRow
  ) throws -> [Change] {
    let orders = Set(entity.toOnes.compactMap(\.order))
    return try entity.layout.columns.enumerated().compactMap { index, column in
      if entity.derivedColumns.contains(index) || orders.contains(index) { return nil }
      let (old, new) = (try before.value(column), try now.value(column))
      return old.isIdentical(to: new) ? nil : (index, old, new)
    }
  }

  /// A reference, or a link, that the base does not contain.
  private struct NewReference {
    let object: ObjectKey
    let relationship: String
    /// Whether the deletion of the object at the other end deletes this object.
    let isCascading: Bool
  }

  /// Returns the references and links that a side has added, by the objects that they refer to.
  private func newReferences(
    of side: Side, to targets: Set<ObjectKey>
  ) throws -> [ObjectKey: [NewReference]] {
    var found: [ObjectKey: [NewReference]] = [:]
    for key in try side.layer.allKeys().sorted() {
      guard let now = try side.view.row(of: key) else { continue }
      let before = try merge.views.base.row(of: key)
      if let entity = graph[key.entity] {
        for toOne in entity.toOnes {
          let column = entity.layout.columns[toOne.column]
          guard let target = try now.reference(column), targets.contains(target),
            try before?.reference(column) != target
          else { continue }
          found[target, default: []].append(
            NewReference(
              object: key, relationship: toOne.relationship.name,
              isCascading: toOne.inverse?.deleteRule == .cascade))
        }
      } else if before == nil, let columns = graph.schema[key.entity]?.columns {
        let ends = try columns.prefix(2).map { try now.reference($0) }
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
          guard let end, let other, targets.contains(end) else { continue }
          found[end, default: []].append(
            NewReference(
              object: other, relationship: relationship(of: other, key.entity) ?? "",
              isCascading: false))
        }
      }
    }
    return found
  }

  /// Returns the name of the relationship that an object has in a table of links.
  private func relationship(of key: ObjectKey, _ table: UInt16) -> String? {
    graph[key.entity]?.properties.first { property in
      guard case .toMany(let toMany) = property.place else { return false }
      return toMany.links?.table.layout.entityNumber == table
    }?.name
  }

  // MARK: - Restoring

  /// The changes of both sides with the restored objects.
  struct Restored {
    /// The objects that this copy has deleted, as in the base.
    let ours: Layer
    /// The changes of the other copy, without the deletions that lose.
    let theirs: Layer
    /// The objects that the delete rule of an object deleted by this copy deletes too.
    let deleted: [MergeDispute.Reference]
    /// The values of the base for objects whose changes are dropped too.
    fileprivate let baseValues: [(key: ObjectKey, column: Int, value: Value)]

    /// Returns the changes with the values of the base.
    func settingBase(_ layer: Layer, _ schema: Schema) throws -> Layer {
      if baseValues.isEmpty { return layer }
      let builder = LayerBuilder(schema)
      for (key, column, value) in baseValues {
        if case .removed = try layer.entry(of: key) { continue }
        builder.set(value, column: column, of: key)
      }
      return try layer.merged(with: builder.freeze(), schema: schema)
    }
  }

  /// Restores the objects whose deletion has lost.
  func restore(_ decisions: [(MergeDispute, MergeSide)]) throws -> Restored {
    var kept: [MergeSide: Set<ObjectKey>] = [.ours: [], .theirs: []]
    var lost: Set<ObjectKey> = []
    var dropped: Set<ObjectKey> = []
    for (dispute, side) in decisions where dispute.kind == .deletion {
      let deleting: MergeSide = if case .missing = dispute.ours { .ours } else { .theirs }
      if side == deleting {
        if side == .ours { lost.insert(dispute.object) }
      } else {
        kept[deleting]!.insert(dispute.object)
      }
      if side == .base { dropped.insert(dispute.object) }
    }
    for side in sides { kept[side.side] = try withOwners(kept[side.side]!, side) }
    let deleted = try newReferences(of: sides[1], to: lost).values.joined()
      .filter(\.isCascading)
      .map { MergeDispute.Reference(object: $0.object, property: $0.relationship) }
    return Restored(
      ours: try restoringOurs(kept[.ours]!),
      theirs: try restoringTheirs(kept[.theirs]!, dropping: dropped.intersection(kept[.ours]!)),
      deleted: deleted.sorted { ($0.object, $0.property) < ($1.object, $1.property) },
      baseValues: try dropped.intersection(kept[.theirs]!).sorted().flatMap(baseValues))
  }

  /// Adds the objects without which the restored objects can't exist: owners whose deletion deletes them, and objects
  /// that a required relationship refers to.
  private func withOwners(_ keys: Set<ObjectKey>, _ side: Side) throws -> Set<ObjectKey> {
    var all = keys
    var waiting = keys.sorted()
    while let key = waiting.popLast() {
      guard let entity = graph[key.entity], let row = try merge.views.base.row(of: key) else {
        continue
      }
      for toOne in entity.toOnes
      where toOne.inverse?.deleteRule == .cascade || !toOne.relationship.isOptional {
        guard let target = try row.reference(entity.layout.columns[toOne.column]),
          try merge.views.base.row(of: target) != nil, try side.view.row(of: target) == nil,
          all.insert(target).inserted
        else { continue }
        waiting.append(target)
      }
    }
    return all
  }

  private func restoringOurs(_ keys: Set<ObjectKey>) throws -> Layer {
    let builder = LayerBuilder(graph.schema)
    for key in keys.sorted() {
      guard let entity = graph[key.entity], let row = try merge.views.base.row(of: key) else {
        continue
      }
      try builder.insert(key, copying: row, entity.layout)
      for toOne in entity.toOnes {
        guard let target = try row.reference(entity.layout.columns[toOne.column]) else { continue }
        var isKept = keys.contains(target)
        if !isKept, let other = try merge.views.ours.row(of: target) {
          isKept = true
          // This copy has disconnected the other end of a one-to-one relationship.
          if let inverse = toOne.inverse, !inverse.isToMany,
            let backward = graph.toOne(inverse.name, of: target)
          {
            isKept = try other.reference(backward.layoutColumn) == key
          }
        }
        if isKept { continue }
        builder.set(.null, column: toOne.column, of: key)
        if let order = toOne.order { builder.set(.null, column: order, of: key) }
      }
    }
    return builder.freeze()
  }

  private func restoringTheirs(
    _ keys: Set<ObjectKey>, dropping dropped: Set<ObjectKey>
  ) throws -> Layer {
    if keys.isEmpty, dropped.isEmpty { return merge.theirs }
    let builder = LayerBuilder(graph.schema)
    for key in keys.sorted() {
      // A reference to an object that stays deleted is cleared, as by the deletion of that object.
      guard let entity = graph[key.entity], let row = try merge.views.base.row(of: key) else {
        continue
      }
      for toOne in entity.toOnes {
        guard let target = try row.reference(entity.layout.columns[toOne.column]),
          !keys.contains(target), try merge.views.theirs.row(of: target) == nil
        else { continue }
        builder.set(.null, column: toOne.column, of: key)
        if let order = toOne.order { builder.set(.null, column: order, of: key) }
      }
    }
    return try merge.theirs.without(keys.union(dropped), schema: graph.schema)
      .merged(with: builder.freeze(), schema: graph.schema)
  }

  private func baseValues(
    of key: ObjectKey
  ) throws -> [(key: ObjectKey, column: Int, value: Value)] {
    guard let entity = graph[key.entity], let before = try merge.views.base.row(of: key),
      let now = try merge.views.ours.row(of: key)
    else { return [] }
    return try changes(entity, before, now).map { (key, $0.column, $0.base) }
  }
}
