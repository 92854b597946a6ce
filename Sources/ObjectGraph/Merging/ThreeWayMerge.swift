package import ObjectModel
import ObjectQuery
package import Rows
package import StoreInterface

/// A merge of two changed copies of a store that have a common base.
///
/// ```text
/// let merge = ThreeWayMerge(onto: ours, of: store.tag, base: base, theirs: theirs)
/// let disputes = try merge.disputes()
/// let merged = try merge.resolved(disputes, by: disputes.map { _ in .ours })
/// try context.take(merged, of: store.tag)
/// try context.save()
/// ```
///
/// The changes of the other copy are replayed on this copy by ``Rebase``, as the changes of a context are replayed when
/// another context saves first. Where a save takes a value of one side silently and a change of the other side would
/// be lost, the merge reports a dispute.
package struct ThreeWayMerge {
  /// The snapshot of this copy.
  let ours: any StoreSnapshot
  let store: StoreTag
  let graph: GraphSchema
  /// The changes that turn the rows of this copy into the rows of the base.
  let base: Layer
  /// The changes of the other copy, above the base.
  let theirs: Layer
  let views: Views
  /// Whether members that the other copy has added to a list precede members that this copy has added at the same place.
  private let theirsComeFirst: Bool

  /// The rows of the three states.
  struct Views {
    let base: View
    let ours: View
    let theirs: View
  }

  /// The number of the commit that the base pretends to be. No store has it, so no row of the base counts as a row of
  /// this copy.
  static let baseCommit = Int64.max >> 8

  /// Creates a merge.
  ///
  /// - Parameters:
  ///   - ours: The copy that receives the changes.
  ///   - base: The changes that turn the rows of `ours` into the rows of the common base.
  ///   - theirs: The changes of the other copy, above the base. Objects have the keys of `ours`.
  ///   - theirsComeFirst: Whether members that the other copy has added to a list precede members that this copy has added at
  ///     the same place.
  /// - Throws: The errors of a damaged store.
  package init(
    onto ours: any StoreSnapshot, of store: StoreTag, base: Layer, theirs: Layer,
    theirsComeFirst: Bool = false
  ) throws {
    self.theirsComeFirst = theirsComeFirst
    self.ours = ours
    self.store = store
    graph = GraphSchema.of(try ours.model, ours.schema)
    self.base = try base.stamped(ThreeWayMerge.baseCommit)
    self.theirs = theirs
    views = Views(
      base: View(ours.tables + [self.base]), ours: ours.view,
      theirs: View(ours.tables + [self.base, theirs]))
  }

  /// Returns the changes of both sides that can't both be kept, in the order of the objects.
  ///
  /// - Throws: The errors of a damaged store.
  package func disputes() throws -> [MergeDispute] {
    let deletions = try DeletionDisputes(self).disputes()
    let values = try valueDisputes()
    let orders = try OrderDisputes(self).lists().compactMap(\.dispute)
    return (deletions + values + orders).sorted {
      ($0.object, $0.property ?? "") < ($1.object, $1.property ?? "")
    }
  }

  /// Replays the changes of the other copy.
  ///
  /// - Parameters:
  ///   - disputes: The result of ``disputes()``.
  ///   - sides: The side that wins each dispute.
  /// - Throws: The errors of a damaged store.
  package func resolved(
    _ disputes: [MergeDispute], by sides: [MergeSide]
  ) throws -> MergedChanges {
    precondition(disputes.count == sides.count, "Each dispute needs a side that wins.")
    let decisions = Array(zip(disputes, sides))
    let restoring = DeletionDisputes(self)
    let restored = try restoring.restore(decisions)
    let changes = Changes(base: try base(above: ours.tables), layer: restored.theirs)
    var newBase = StoreBase(snapshot: ours)
    if !restored.ours.isEmpty {
      newBase = StoreBase(
        snapshot: try MergeSnapshot(
          ours, tables: ours.tables + [restored.ours.stamped(ThreeWayMerge.baseCommit - 1)],
          commit: ThreeWayMerge.baseCommit - 1))
    }
    let chosen = Dictionary(
      decisions.compactMap { dispute, side in
        dispute.property.map { (MergeChoice.Place(dispute.object, $0), side) }
      }, uniquingKeysWith: { first, _ in first })
    let choice = MergeChoice(
      sides: chosen, orderKeys: orderKeys, restored: Set(try restored.ours.allKeys()))
    let rebased = try Rebase(
      changes, onto: newBase, graph: graph, store: store, policy: choice.policy)()
    let layer = try restored.ours.merged(with: rebased.changes.layer, schema: graph.schema)
    var lists = try OrderDisputes(self).lists()
    for index in lists.indices { lists[index].theirsComeFirst = theirsComeFirst }
    for (dispute, side) in decisions where dispute.kind == .order {
      guard
        let index = lists.firstIndex(where: {
          $0.owner == dispute.object && $0.relationship == dispute.property
        })
      else { continue }
      lists[index].side = side
    }
    return MergedChanges(
      layer: try restored.settingBase(layer, graph.schema), lists: lists,
      deleted: restored.deleted)
  }

  // MARK: - Values

  private func base(above tables: [any RowTable]) throws -> StoreBase {
    StoreBase(
      snapshot: try MergeSnapshot(
        ours, tables: tables + [base], commit: ThreeWayMerge.baseCommit))
  }

  /// The names of the columns with places in ordered relationships, by entity.
  private var orderKeys: [String: Set<String>] {
    Dictionary(
      uniqueKeysWithValues: graph.schema.layouts.compactMap { layout in
        graph[layout.entityNumber].map { entity in
          (
            entity.name,
            Set(entity.toOnes.compactMap { $0.order.map { layout.columns[$0].name } })
          )
        }
      })
  }

  /// Returns the values that both sides have set to different values.
  private func valueDisputes() throws -> [MergeDispute] {
    let orderKeys = orderKeys
    let found = FoundConflicts()
    let policy = MergePolicy.custom { conflict in
      found.append(conflict)
      return .keepStored
    }
    _ = try Rebase(
      Changes(base: try base(above: ours.tables), layer: theirs),
      onto: StoreBase(snapshot: ours), graph: graph, store: store, policy: policy)()
    return found.all.flatMap { conflict -> [MergeDispute] in
      guard let mine = conflict.mine, let stored = conflict.theirs else { return [] }
      return MergeChoice.contestedKeys(conflict, orderKeys).map { key in
        MergeDispute(
          kind: .value, object: conflict.object.key, entity: conflict.entity, property: key,
          base: conflict.base.map { .value($0[key] ?? .null) } ?? .missing,
          ours: .value(stored[key] ?? .null), theirs: .value(mine[key] ?? .null))
      }
    }
  }
}

/// The side of a merge that wins a conflict.
public enum MergeSide: String, Sendable {
  /// The copy that receives the changes.
  case ours
  case theirs
  /// The common base, without the changes of both sides.
  case base
}

/// The result of a merge: changes of the copy that receives them.
package struct MergedChanges {
  package let layer: Layer
  /// The ordered relationships that both sides have changed.
  let lists: [MergedList]
  /// The objects that the delete rule of an object deleted by this copy deletes too, with the relationship that led to
  /// the deleted object.
  let deleted: [MergeDispute.Reference]
}

/// A snapshot with other rows than the store has.
private struct MergeSnapshot: StoreSnapshot {
  let commit: Int64
  let model: Model
  let schema: Schema
  let metadata: StoreMetadata
  let tables: [any RowTable]

  init(_ snapshot: any StoreSnapshot, tables: [any RowTable], commit: Int64) throws {
    self.commit = commit
    self.tables = tables
    model = try snapshot.model
    schema = snapshot.schema
    metadata = try snapshot.metadata
  }
}
