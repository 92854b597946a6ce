import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Decides about inserted rows that have the unique values of other rows.
///
/// The two rows stay two rows, because an identifier never changes. This rule therefore edits no rows. The caller
/// deletes the inserted object, and gives the values and references of that object to the matching object
/// (``DuplicateMerge``).
struct UniquenessMerge {
  let graph: GraphSchema
  let store: StoreTag
  /// The rows with all changes.
  let source: ViewSource
  /// The rows below the changes.
  let base: View
  /// The rows that the changes were made on, where another save has replaced them (``Changes/originals``).
  let originals: Layer
  /// The keys of objects that the caller has deleted and that the rows still contain.
  let deleted: Set<ObjectKey>

  struct Decision {
    /// The key of the row with the same unique values.
    let match: ObjectKey
    /// The outcome for the matching row. The inserted row is deleted, unless the outcome is to delete the matching row.
    let resolution: MergeResolution
  }

  /// Returns the decision of a merge policy about an inserted row; `nil` if no other row has its unique values.
  func decision(
    about key: ObjectKey, _ constraints: [GraphSchema.Uniqueness],
    _ decide: (MergeConflict) throws -> MergeResolution
  ) throws -> Decision? {
    guard let entity = graph[key.entity], let row = try source.row(of: key) else { return nil }
    for constraint in constraints {
      let values = try constraint.columns.map { try row.value(entity.layout.columns[$0]) }
      guard !values.contains(where: \.isNull), let match = try match(key, values, constraint),
        let other = graph[match.entity], let theirs = try source.row(of: match)
      else { continue }
      var conflict = MergeConflict(
        object: ObjectID(store: store, key: match), entity: other.name,
        base: Dictionary(zip(entity.layout.columns.map(\.name), entity.valuesAtBirth)) {
          first, _ in first
        },
        mine: try row.valuesByName(entity.layout), theirs: try theirs.valuesByName(other.layout))
      conflict.uniqueKeys = constraint.names
      conflict.derivedKeys = Set(entity.derived.map { entity.properties[$0].name })
      return Decision(match: match, resolution: try decide(conflict))
    }
    return nil
  }

  /// Returns the key of the row with the given unique values into which a row can be merged, or `nil`.
  private func match(
    _ key: ObjectKey, _ values: [Value], _ constraint: GraphSchema.Uniqueness
  ) throws -> ObjectKey? {
    // Of several inserted rows the first one stays.
    try source.keys(sharing: values, constraint, graph.schema).first { other in
      try other != key && !deleted.contains(other) && (other < key || !isInserted(other))
    }
  }

  private func isInserted(_ key: ObjectKey) throws -> Bool {
    try base.row(of: key) == nil && !originals.mentions(key)
  }
}

extension ViewSource {
  /// Returns the keys of the rows that have the given values in the columns of a constraint.
  func keys(
    sharing values: [Value], _ constraint: GraphSchema.Uniqueness, _ schema: Schema
  ) throws -> [ObjectKey] {
    try constraint.family.flatMap { layout -> [ObjectKey] in
      let columns = constraint.names.compactMap { name in
        layout.index(of: name).map { layout.columns[$0] }
      }
      guard columns.count == constraint.names.count else { return [] }
      let known = schema.index(ofEntity: layout.entityNumber, by: columns)
      let made = IndexLayout(number: 0, entityNumber: layout.entityNumber, columns: columns)
      return try index.keys(known ?? made, in: IndexRange(equalTo: IndexBound(values))).map {
        ObjectKey(entity: layout.entityNumber, number: $0)
      }
    }
  }
}

extension ViewRow {
  /// Returns the values by column name, references and places included.
  fileprivate func valuesByName(_ layout: Layout) throws -> [String: Value] {
    Dictionary(
      uniqueKeysWithValues: try layout.columns.map { ($0.name, try value($0)) })
  }
}
