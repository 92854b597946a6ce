public import ObjectModel

/// A builder that collects changes object by object and creates a layer of them.
///
///     let builder = LayerBuilder(schema)
///     builder.insert(key)
///     builder.set(.string("Lisbon"), column: name, of: key)
///     builder.remove(other, basis: 41)
///     let layer = builder.freeze()
///
/// Values go into drafts, so a million inserted objects take little more memory than their values. Objects may come
/// in any order. A call that contradicts the state of an object, such as an insertion of an existing object, is a
/// mistake of the caller and traps.
public final class LayerBuilder {
  private let schema: Schema
  private var pending: [UInt16: Pending] = [:]

  /// Creates a builder of changes to objects of the given schema's entities.
  public init(_ schema: Schema) { self.schema = schema }

  /// The pending changes of one entity.
  private struct Pending {
    let layout: Layout
    var put: [Draft] = []
    var changed: [Draft] = []
    var removed: [Draft] = []
    var table = KeyTable()

    /// The place of a pending row: the list, the draft in the list, and the row in the draft.
    struct Place {
      enum List: UInt64 { case put, changed, removed }
      var list: List
      var draft: Int
      var row: Int

      init(list: List, draft: Int, row: Int) {
        self.list = list
        self.draft = draft
        self.row = row
      }

      init(packed: UInt64) {
        list = List(rawValue: packed & 3)!
        row = Int(packed >> 2 & 0xFFFF)
        draft = Int(packed >> 18)
      }

      var packed: UInt64 { list.rawValue | UInt64(row) << 2 | UInt64(draft) << 18 }
    }

    subscript(key: UInt64) -> Place? { table[key].map { Place(packed: $0) } }

    func draft(at place: Place) -> Draft {
      switch place.list {
      case .put: put[place.draft]
      case .changed: changed[place.draft]
      case .removed: removed[place.draft]
      }
    }

    mutating func add(_ key: UInt64, to list: Place.List, basis: Int64) -> Place {
      let place: Place
      switch list {
      case .put: place = Pending.add(key, basis, to: &put, list, layout, .insertions)
      case .changed: place = Pending.add(key, basis, to: &changed, list, layout, .changes)
      case .removed: place = Pending.add(key, basis, to: &removed, list, layout, .changes)
      }
      table[key] = place.packed
      return place
    }

    private static func add(
      _ key: UInt64, _ basis: Int64, to drafts: inout [Draft], _ list: Place.List, _ layout: Layout,
      _ role: Draft.Role
    ) -> Place {
      if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: role)) }
      let row = drafts[drafts.count - 1].append(key: key, basis: basis)
      return Place(list: list, draft: drafts.count - 1, row: row)
    }

    mutating func drop(_ key: UInt64, at place: Place) {
      draft(at: place).remove(row: place.row)
      table[key] = nil
    }
  }

  private func withPending<R>(_ key: ObjectKey, _ body: (inout Pending) -> R) -> R {
    guard let layout = schema[key.entity] else {
      preconditionFailure("The schema has no entity with the number \(key.entity).")
    }
    return body(&pending[key.entity, default: Pending(layout: layout)])
  }
}

extension LayerBuilder {
  /// Inserts an object with the default of every column. The object is new, or was removed in this layer.
  public func insert(_ key: ObjectKey) {
    withPending(key) { pending in
      guard let place = pending[key.number] else {
        _ = pending.add(key.number, to: .put, basis: 0)
        return
      }
      precondition(place.list == .removed, "The object exists already.")
      let basis = pending.draft(at: place).basis(row: place.row)
      pending.drop(key.number, at: place)
      _ = pending.add(
        key.number, to: .put, basis: basis == 0 ? LayoutColumn.unsavedBasis : basis)
    }
  }

  /// Inserts an object with the values of another row.
  ///
  /// - Throws: The error of a damaged block.
  package func insert(_ key: ObjectKey, copying row: ViewRow, _ layout: Layout) throws {
    insert(key)
    for (position, column) in layout.columns.enumerated() {
      set(try row.value(column), column: position, of: key)
    }
  }

  /// Sets one value of an object.
  ///
  /// - Parameter column: The column's position in the entity's layout.
  /// - Parameter basis: The version the change is based on, for an object that this layer does not contain yet.
  public func set(_ value: Value, column: Int, of key: ObjectKey, basis: Int64 = 0) {
    withPending(key) { pending in
      let place = pending[key.number] ?? pending.add(key.number, to: .changed, basis: basis)
      precondition(place.list != .removed, "The object was removed.")
      pending.draft(at: place).set(value, column: column, row: place.row)
    }
  }

  /// Removes an object.
  ///
  /// - Parameter basis: The version the removal is based on, for an object that this layer does not contain yet.
  public func remove(_ key: ObjectKey, basis: Int64 = 0) {
    withPending(key) { pending in
      guard let place = pending[key.number] else {
        _ = pending.add(key.number, to: .removed, basis: basis)
        return
      }
      precondition(place.list != .removed, "The object was removed already.")
      let earlier = pending.draft(at: place).basis(row: place.row)
      pending.drop(key.number, at: place)
      // An object that this layer inserted above nothing leaves no trace.
      guard place.list == .changed || earlier != 0 else { return }
      _ = pending.add(
        key.number, to: .removed, basis: earlier == LayoutColumn.unsavedBasis ? 0 : earlier)
    }
  }

  /// Returns the value that this layer gives; `nil` when the value below shows.
  public func value(column: Int, of key: ObjectKey) -> Value? {
    guard let pending = pending[key.entity], let place = pending[key.number],
      place.list != .removed
    else { return nil }
    return pending.draft(at: place).value(column: column, row: place.row)
  }

  /// Returns the changes collected so far, as a layer. The builder keeps the changes.
  ///
  /// - Parameter version: The version of every row; `nil` before a commit has assigned a version.
  public func freeze(version: Int64? = nil) -> Layer {
    var writer = BlockWriter()
    return Layer(
      pending.map { number, pending in
        Layer.EntityChanges(
          entityNumber: number,
          put: BlockRun(Draft.freeze(pending.put, version: version, &writer)),
          changed: BlockRun(Draft.freeze(pending.changed, version: version, &writer)),
          removed: BlockRun(
            Draft.freeze(pending.removed, flags: .removals, version: version, &writer)))
      })
  }
}
