import ObjectModel
import Rows
import StoreInterface

/// Merges the values of rows that both sides have changed, property by property.
///
/// A value that only one side has changed is taken from that side. If both sides have changed a row, the changes stay
/// on top and the row stays in conflict until a policy decides.
struct ValueMerge {
  /// A row that both sides have changed.
  private struct Meeting {
    let key: ObjectKey
    let layout: Layout
    /// The columns of derived attributes, which are in no conflict.
    let derived: Set<Int>
    let mine: RowEntry
    /// The row that the changes were made on.
    let then: ViewRow?
    /// The row of the new base.
    let now: ViewRow?
    /// Whether the row was changed by a save that the changes have not seen.
    let isContested: Bool
    /// Whether the context has asked to see the new row.
    let isSeen: Bool
    var resolution: MergeResolution?
  }

  /// The outcome of the merge.
  struct Outcome {
    /// The rows that the changes were made on and that the new base does not show.
    var originals = Layer()
    /// The keys of rows that the policy has decided about, or with discarded changes.
    var settled: Set<ObjectKey> = []
    /// The keys of rows that the policy deletes and the changes did not delete.
    var deleted: Set<ObjectKey> = []
    /// The keys of rows that both sides have changed.
    var met: Set<ObjectKey> = []
    /// The one-to-one references of decided rows that both sides have changed, by their columns.
    var contested: [(key: ObjectKey, column: Int)] = []
    /// Whether another save has written different values to a property that the changes change.
    var isOvertaken = false
  }

  private let rows: RebasedRows
  private let changes: Changes
  private let newBase: StoreBase
  private let differences: [Layer]
  private let seen: SeenRows
  private var meetings: [Meeting] = []

  init(
    _ rows: RebasedRows, _ changes: Changes, _ newBase: StoreBase, _ differences: [Layer],
    _ seen: SeenRows
  ) {
    self.rows = rows
    self.changes = changes
    self.newBase = newBase
    self.differences = differences
    self.seen = seen
  }

  private var graph: GraphSchema { rows.graph }

  // MARK: Finding

  /// Finds the rows that both sides have changed.
  ///
  /// - Parameters:
  ///   - all: Whether every changed row is compared.
  ///   - discarded: The keys of rows with discarded changes, which are skipped.
  mutating func collect(all: Bool, besides discarded: Set<ObjectKey>) throws {
    let before = View(changes.originalTables)
    for key in try all ? changes.layer.allKeys() : candidates() where !discarded.contains(key) {
      guard let layout = graph.schema[key.entity] else { continue }
      let (then, now) = (try before.row(of: key), try rows.base.row(of: key))
      let mine = try changes.layer.entry(of: key)
      // Neither base has the row, so this side alone has inserted it.
      if then == nil, now == nil, case .put = mine { continue }
      meetings.append(
        Meeting(
          key: key, layout: layout, derived: graph[key.entity]?.derivedColumns ?? [],
          mine: mine, then: then, now: now,
          isContested: try isContested(key, layout), isSeen: try isSeen(key)))
    }
  }

  /// Whether the context has asked to see the new row.
  private func isSeen(_ key: ObjectKey) throws -> Bool {
    if seen.keys.contains(key) { return true }
    if case .removed = try seen.ownSave.entry(of: key) { return true }
    return false
  }

  /// Returns the keys of changed rows that the two bases may show differently.
  private func candidates() throws -> [ObjectKey] {
    var keys = Set(try changes.originals.allKeys().filter { try changes.layer.mentions($0) })
    let layer = changes.layer
    for difference in differences {
      if difference.count < layer.count {
        for key in try difference.allKeys() where try layer.mentions(key) { keys.insert(key) }
      } else {
        for key in try layer.allKeys() where try difference.mentions(key) { keys.insert(key) }
      }
    }
    return keys.sorted()
  }

  /// Whether another save has changed the stored row since. A change of an ancestor's unsaved row does not count.
  ///
  /// A context and its ancestors are never in conflict with one another. A save by any other context is in conflict.
  private func isContested(_ key: ObjectKey, _ layout: Layout) throws -> Bool {
    if changes.base.layers.isEmpty, newBase.layers.isEmpty { return true }
    if try changes.originals.mentions(key) { return true }
    let then = try View(changes.base.snapshot.tables).row(of: key)
    let now = try View(newBase.snapshot.tables).row(of: key)
    // If the store has a new commit, the missing row of an ancestor may have been saved and deleted in between.
    if then == nil, now == nil, changes.base.snapshot.commit != newBase.snapshot.commit {
      return try rows.base.row(of: key) == nil
    }
    return try ViewRow.differ(
      then, now, in: layout.columns, besides: graph[key.entity]?.derivedColumns ?? [])
  }

  /// Whether the row of the new base differs from the row that the changes were made on, apart from derived values.
  private func differs(_ meeting: Meeting) throws -> Bool {
    try ViewRow.differ(
      meeting.then, meeting.now, in: meeting.layout.columns, besides: meeting.derived)
  }

  // MARK: Deciding

  /// Lets the policy decide about all conflicts.
  ///
  /// - Throws: ``ContextError`` with the conflicts if the policy is ``MergePolicy/error``; the error of a custom
  ///   policy.
  mutating func decide(_ policy: MergePolicy) throws {
    var disputes: [(index: Int, conflict: MergeConflict)] = []
    for index in meetings.indices {
      guard let conflict = try conflict(meetings[index]) else { continue }
      if let resolution = conflict.undisputed {
        meetings[index].resolution = resolution
      } else {
        disputes.append((index, conflict))
      }
    }
    guard !disputes.isEmpty else { return }
    guard let decide = policy.decide else {
      throw ContextError(conflicts: disputes.map(\.conflict))
    }
    for (index, conflict) in disputes {
      let resolution = try decide(conflict)
      if case .save(let values) = resolution { try check(values, for: conflict) }
      meetings[index].resolution = resolution
    }
  }

  /// Returns the conflict of a row, or `nil`.
  private func conflict(_ meeting: Meeting) throws -> MergeConflict? {
    guard meeting.isContested, !meeting.isSeen, let entity = graph[meeting.key.entity],
      try differs(meeting)
    else { return nil }
    var mine: ViewRow?
    if case .removed = meeting.mine {} else { mine = try made(meeting) }
    if mine == nil, meeting.now == nil || meeting.then == nil { return nil }
    return try MergeConflict(
      meeting.key, of: entity, in: rows.store, base: meeting.then, mine: mine, theirs: meeting.now)
  }

  /// Returns the row that the context shows: the changes above the row that they were made on. If another save has
  /// deleted the row, the changes may contain only some of its values.
  private func made(_ meeting: Meeting) throws -> ViewRow? {
    let below = meeting.then == nil ? changes.base.tables : changes.originalTables
    return try View(below + [changes.layer]).row(of: meeting.key)
  }

  /// Throws if the values of a policy's resolution do not have the types of their properties. Values of the conflict
  /// itself are not checked.
  private func check(_ values: [String: Value], for conflict: MergeConflict) throws {
    guard let entity = graph[conflict.object.key.entity] else { return }
    for (name, value) in values where !value.isNull {
      let known = [conflict.base, conflict.mine, conflict.theirs].map { $0?[name] }
      if known.contains(value) { continue }
      switch entity[name]?.place {
      case .attribute(let attribute, _)? where !attribute.type.accepts(value):
        throw ContextError.wrongType(value, attribute, of: entity)
      case .toOne?:
        guard case .object = value else { throw ContextError.wrongDestination(name, of: entity) }
      default: continue
      }
    }
  }

  // MARK: Applying

  /// Replaces the changes by the merged rows.
  func apply() throws -> Outcome {
    var outcome = Outcome()
    let originals = LayerBuilder(graph.schema)
    // Each row is written again, based on the version in the new base.
    let original = View(changes.originalTables + [changes.layer])
    let replaced = try meetings.map { (meeting: $0, mine: try original.row(of: $0.key)) }
    try rows.drop(Set(meetings.map(\.key)))
    for (meeting, mine) in replaced {
      if try differs(meeting) { outcome.met.insert(meeting.key) }
      if let resolution = meeting.resolution {
        outcome.settled.insert(meeting.key)
        outcome.isOvertaken = try outcome.isOvertaken || isOvertaken(meeting)
        try resolve(meeting, resolution, &outcome)
        outcome.contested += try contestedEnds(meeting, mine)
        continue
      }
      try keep(meeting, mine, originals, &outcome)
    }
    try rows.seal()
    outcome.originals = originals.freeze()
    return outcome
  }

  private func resolve(
    _ meeting: Meeting, _ resolution: MergeResolution, _ outcome: inout Outcome
  ) throws {
    switch resolution {
    case .keepStored: return
    case .delete:
      guard meeting.now != nil else { return }
      try rows.remove(meeting.key)
      if case .removed = meeting.mine { return }
      outcome.deleted.insert(meeting.key)
    case .save(let values):
      let columns = meeting.layout.columns
      guard let now = meeting.now else {
        var all = graph[meeting.key.entity]?.valuesAtBirth ?? columns.map(\.defaultValue)
        for index in columns.indices {
          if let value = values[columns[index].name] { all[index] = value }
        }
        return rows.insert(meeting.key, all)
      }
      let given = columns.indices.filter { values[columns[$0].name] != nil }
      let lapsed = try lapsedPlaces(meeting, given)
      for (name, value) in values {
        guard let column = meeting.layout.index(of: name), !lapsed.contains(column),
          try !now.value(columns[column]).isIdentical(to: value)
        else { continue }
        try rows.set(value, column: column, of: meeting.key)
      }
    }
  }

  /// Returns the one-to-one references that the two sides have changed to different objects.
  private func contestedEnds(
    _ meeting: Meeting, _ mine: ViewRow?
  ) throws -> [(key: ObjectKey, column: Int)] {
    guard let then = meeting.then, let now = meeting.now, let mine else { return [] }
    return try (graph[meeting.key.entity]?.oneToOnes ?? []).compactMap { toOne in
      let column = meeting.layout.columns[toOne.column]
      let (before, here) = (try then.reference(column), try mine.reference(column))
      let there = try now.reference(column)
      return before != here && before != there && here != there
        ? (meeting.key, toOne.column) : nil
    }
  }

  /// Keeps the changes on top of the new row.
  ///
  /// - Parameter mine: The row that the context shows: the changes above the row that they were made on.
  private func keep(
    _ meeting: Meeting, _ mine: ViewRow?, _ originals: LayerBuilder, _ outcome: inout Outcome
  ) throws {
    let (key, columns) = (meeting.key, meeting.layout.columns)
    let isLink = graph[key.entity] == nil
    let isConflict =
      try meeting.isContested && !meeting.isSeen && !isLink && differs(meeting)
    if case .removed = meeting.mine {
      // The other save has inserted this row. The removal only reverts an unsaved insertion of the same row, and
      // changes nothing.
      guard let now = meeting.now, meeting.then != nil else { return }
      try rows.remove(key)
      if isConflict {
        try record(meeting, now, originals)
      }
      return
    }
    guard let mine else { return }
    let own = try ownColumns(meeting, mine)
    outcome.isOvertaken = try outcome.isOvertaken || isOvertaken(meeting)
    guard let now = meeting.now else {
      // The other save has deleted the row. A row that an earlier rebase has kept is dropped only by a policy or by the
      // context.
      let isKept = try changes.originals.mentions(key)
      guard isConflict, isKept || own.contains(where: { !meeting.derived.contains($0) }),
        let then = meeting.then
      else {
        outcome.settled.insert(key)
        return
      }
      rows.insert(key, try columns.map { try mine.value($0) })
      try originals.insert(key, copying: then, meeting.layout)
      return
    }
    // Two contexts that link the same objects under one key have made the same link.
    if isLink, meeting.then == nil { return }
    let lapsed = try lapsedPlaces(meeting, own)
    for column in own where !lapsed.contains(column) {
      let value = try mine.value(columns[column])
      // Both sides have written the same value. That is a conflict too, because two counters may have counted
      // independently.
      if !isConflict, try now.value(columns[column]).isIdentical(to: value) { continue }
      try rows.set(value, column: column, of: key)
    }
    guard isConflict else { return }
    try record(meeting, now, originals)
  }

  /// Records the values that the changes were made on and that the new row does not have.
  private func record(_ meeting: Meeting, _ now: ViewRow, _ originals: LayerBuilder) throws {
    guard let then = meeting.then else { return originals.remove(meeting.key) }
    let saved = try seen.ownSave.entry(of: meeting.key)
    for (index, column) in meeting.layout.columns.enumerated() {
      let value = try then.value(column)
      if try now.value(column).isIdentical(to: value) { continue }
      // The context has seen the values that its own batch has saved, so they do not conflict.
      if case .changed(let location) = saved,
        try location.block.value(column, row: location.row) != nil
      {
        continue
      }
      originals.set(value, column: index, of: meeting.key)
    }
  }

  /// Returns the columns of the values that the changes set.
  private func ownColumns(_ meeting: Meeting, _ mine: ViewRow) throws -> [Int] {
    let columns = meeting.layout.columns
    // An earlier rebase has already dropped the values that were set to their old values.
    let isRebased = try changes.originals.mentions(meeting.key)
    return try columns.indices.filter { index in
      if case .changed(let location) = meeting.mine {
        let isGiven = try location.block.value(columns[index], row: location.row) != nil
        if !isGiven || isRebased { return isGiven }
      }
      guard let then = meeting.then else { return true }
      return try !mine.value(columns[index]).isIdentical(to: then.value(columns[index]))
    }
  }

  /// Whether another save has written different values to a property that the changes change.
  private func isOvertaken(_ meeting: Meeting) throws -> Bool {
    guard let then = meeting.then else { return false }
    guard let now = meeting.now else { return true }
    guard case .changed(let location) = meeting.mine else { return try differs(meeting) }
    return try meeting.layout.columns.contains { column in
      try location.block.value(column, row: location.row) != nil
        && !then.value(column).isIdentical(to: now.value(column))
    }
  }

  /// Returns the columns of places in ordered relationships that are no longer valid.
  ///
  /// A place is a position among the members of one owner. If another save has moved the object to another owner, the
  /// place is invalid.
  private func lapsedPlaces(_ meeting: Meeting, _ own: [Int]) throws -> Set<Int> {
    // Each earlier rebase has dropped the places that it made invalid. So a place that is still there is valid in the
    // old base.
    guard let entity = graph[meeting.key.entity], let now = meeting.now,
      let then = try View(changes.base.tables).row(of: meeting.key)
    else { return [] }
    var lapsed: Set<Int> = []
    for index in entity.relationships {
      guard case .toOne(let toOne) = entity.properties[index].place, let order = toOne.order,
        !own.contains(toOne.column)
      else { continue }
      let column = meeting.layout.columns[toOne.column]
      if try then.value(column) != now.value(column) { lapsed.insert(order) }
    }
    return lapsed
  }
}

extension GraphEntity {
  /// The values of a new object, by column.
  var valuesAtBirth: [Value] {
    var values = layout.columns.map(\.defaultValue)
    for (column, value) in initialValues { values[column] = value }
    return values
  }
}

extension MergeConflict {
  /// Creates the conflict over a row.
  init(
    _ key: ObjectKey, of entity: GraphEntity, in store: StoreTag, base: ViewRow?, mine: ViewRow?,
    theirs: ViewRow?
  ) throws {
    let columns = entity.layout.columns
    func values(_ row: ViewRow?) throws -> [String: Value]? {
      guard let row else { return nil }
      var values: [String: Value] = [:]
      for column in columns { values[column.name] = try row.value(column) }
      return values
    }
    self.init(
      object: ObjectID(store: store, key: key), entity: entity.name, base: try values(base),
      mine: try values(mine), theirs: try values(theirs))
    derivedKeys = Set(entity.derived.map { entity.properties[$0].name })
  }
}
