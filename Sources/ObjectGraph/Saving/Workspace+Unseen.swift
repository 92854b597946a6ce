import ObjectModel
import Rows
import StoreInterface

/// What was read of the objects of a store that were changed.
struct ReadObjects: Sendable {
  struct One: Sendable {
    let key: ObjectKey
    /// The version of the row; 0 when no commit is known to have written it.
    let version: Int64
    /// The values of what was changed, as they were before; of one that was deleted all.
    let values: [(column: Int, value: Value)]
    let isDeletion: Bool
    /// All values, column by column, for whoever does not have the object any more.
    var row: [Value]?

    /// The same without the values of some columns.
    func without(_ columns: [Int]) -> One {
      One(
        key: key, version: version, values: values.filter { !columns.contains($0.column) },
        isDeletion: isDeletion, row: row)
    }
  }

  var objects: [One] = []
  /// The oldest commit that any of them may be as of.
  let oldestCommit: Int64
}

// What others have saved and whoever changes the same has not seen, because it was a child that did not look again, or
// what was looked at again was something else. Saving is in conflict with that, as if nobody had looked since.
extension Workspace {
  /// What was read of the objects that are changed here.
  ///
  /// - Parameter isGone: Whether whoever is told may not have an object any more.
  func readObjects(
    in state: StoreState, isGone: (ObjectKey) -> Bool
  ) throws -> ReadObjects {
    var read = ReadObjects(oldestCommit: state.oldestCommit)
    for object in changedObjects
    where object.source.entity.store === state.persistent && !object.state.contains(.inserted) {
      guard var one = try readObject(object), let place = object.committedPlace else { continue }
      if !one.isDeletion, isGone(one.key) {
        one.row = object.source.entity.graph.layout.columns.indices.map {
          place.source.value($0, place.row)
        }
      }
      read.objects.append(one)
    }
    return read
  }

  /// What was read of a changed object; `nil` when none of its values is changed.
  func readObject(_ object: ManagedObject) throws -> ReadObjects.One? {
    guard let place = object.committedPlace else { return nil }
    let isDeletion = object.state.contains(.deleted)
    let columns =
      isDeletion
      ? object.source.entity.attributeColumns : object.pendingValues.map(\.column)
    if columns.isEmpty { return nil }
    return ReadObjects.One(
      key: object.key, version: try place.source.version(place.row),
      values: columns.map { ($0, place.source.value($0, place.row)) }, isDeletion: isDeletion)
  }

  /// Has objects be what a child has read of them, where others have saved something else since that it changes, or
  /// have deleted them.
  ///
  /// What was saved here is no other's.
  func recall(_ read: ReadObjects, in state: StoreState) throws {
    try sealAll()
    for one in read.objects {
      guard let object = object(at: one.key, in: state) else { continue }
      if !exists(object), object.state.contains(.missing), let row = one.row {
        noteRecalled(object)
        // What the child has saved here itself is of no version that it knows.
        object.source.entity.lead(object, toRow: row, version: max(one.version, 1))
        object.state.subtract([.missing, .deleted])
        state.noteKnown(asOf: read.oldestCommit)
      }
      realize(object)
      guard isAlive(object), let place = object.committedPlace else { continue }
      let version = try place.source.knownVersion(place.row)
      // Where rows count how often they were saved, nobody knows when that was.
      guard
        one.version > 0 || version > read.oldestCommit || state.base.snapshot.countsVersions
          || parent != nil
      else { continue }
      let own = object.pendingValues
      guard try recall(one, of: object) else { continue }
      state.noteKnown(asOf: read.oldestCommit)
      if own.isEmpty { continue }
      try state.forgetPending([one.key])
      for (column, value) in own {
        guard let draft = beginChange(of: object)?.draft else { break }
        draft.set(value, column: column, row: Int(object.row))
      }
    }
    try remakingChanges { try sealAll() }
  }

  /// Has an object be what was read of it, where others have saved something else before or since: as of the older
  /// version, so that a change of it is in conflict with theirs.
  ///
  /// - Returns: Whether they have.
  @discardableResult
  func recall(_ read: ReadObjects.One, of object: ManagedObject) throws -> Bool {
    guard let place = object.committedPlace else { return false }
    let version = try place.source.knownVersion(place.row)
    // A parent's changes have no version before they are saved: whoever saves into the stores knows whose they are.
    if version == 0 ? parent == nil : version == read.version { return false }
    // Who has read something newer knows what was saved here.
    let isNewer = read.version > version
    let unseen = read.values.filter { column, value in
      let known =
        isNewer
        ? place.source.value(column, place.row) : place.source.valueOfOthers(column, place.row)
      guard let known else { return false }
      return known != value && object.source.value(column, Int(object.row)) != value
    }
    if unseen.isEmpty { return false }
    noteRecalled(object)
    object.source.entity.lead(
      object, to: Dictionary(uniqueKeysWithValues: unseen.map { ($0.column, $0.value) }),
      version: older(read.version, version), above: place.source, place.row)
    return true
  }

  private func noteRecalled(_ object: ManagedObject) {
    if recalled[object] != nil { return }
    recalled[object] = .some(object.state.contains(.missing) ? nil : object.committedPlace)
  }

  /// Leads an object to what it showed before it was changed, here or by a child.
  func leadBack(_ object: ManagedObject) {
    guard let shown = recalled.removeValue(forKey: object) else { return object.leadBack() }
    if let shown {
      object.point(to: shown.source, row: shown.row)
    } else {
      object.point(to: object.source.entity.unresolved, row: 0)
      object.state.insert([.deleted, .missing])
    }
  }
}

/// The older of what was read and what there is, as far as that is known.
private func older(_ read: Int64, _ now: Int64) -> Int64 {
  if read == 0 { return max(now - 1, 0) }
  return now == 0 ? read : min(read, now)
}

extension EntityState {
  /// The columns of all values that do not follow from others.
  var givenColumns: [Int] {
    let derived = graph.derived.compactMap { index -> Int? in
      if case .attribute(_, let column) = graph.properties[index].place { column } else { nil }
    }
    return graph.layout.columns.indices.filter { !derived.contains($0) }
  }

  /// The columns of attributes that are given and do not follow from others.
  var attributeColumns: [Int] {
    graph.properties.compactMap { property in
      guard case .attribute(let attribute, let column) = property.place,
        attribute.derivation == nil
      else { return nil }
      return column
    }
  }
}

extension RowSource {
  /// The version of a row, or of what lies beneath it where that is known: what was saved into a parent has none.
  func knownVersion(_ row: Int) throws -> Int64 {
    var next: (source: RowSource, row: Int)? = (self, row)
    while let (source, row) = next {
      let version = try source.version(row)
      if version > 0 { return version }
      next = source.below(row)
    }
    return 0
  }

  /// A value that others have saved; `nil` when it was saved here.
  fileprivate func valueOfOthers(_ column: Int, _ row: Int) -> Value? {
    var (source, row) = (self, row)
    while let draft = source.draft {
      guard draft.value(column: column, row: row) == nil, let below = source.below(row) else {
        return nil
      }
      (source, row) = below
    }
    return source.value(column, row)
  }
}
