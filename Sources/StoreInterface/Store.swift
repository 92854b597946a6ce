public import ObjectModel
public import Rows

/// An open store. Contexts and coordinators read from it and save to it.
///
///     let snapshot = try store.snapshot()
///     let view = View(snapshot.tables).pushing(changes)
///     let saved = try store.commit(CommitRequest(changes, basedOn: snapshot))
///
/// All methods may be called from any thread. Reading never waits for writing, because a snapshot never changes.
public protocol Store: AnyObject, Sendable {
  var type: StoreType { get }
  /// The abilities of this store beyond the functions of this protocol.
  var features: StoreFeatures { get }
  /// The tag that object identifiers of this store contain.
  var tag: StoreTag { get }
  /// The path of the store; `nil` if the store is only in memory.
  var path: String? { get }

  /// Returns a snapshot of the newest commit, including commits by another process.
  ///
  /// - Throws: ``StoreError``.
  func snapshot() throws -> any StoreSnapshot

  /// Returns a snapshot of the newest commit, as ``snapshot()`` does, for a caller that is about to read an object. A store
  /// on a server asks for the commit and the row at once, which takes one round trip in place of several.
  ///
  /// - Throws: ``StoreError``.
  func snapshot(reading key: ObjectKey) throws -> any StoreSnapshot

  /// Returns a snapshot of the newest commit that this store has read, without a check for newer commits. The store
  /// reads commits when it is opened and at each call of ``snapshot()``.
  ///
  /// - Throws: ``StoreError``.
  func knownSnapshot() throws -> any StoreSnapshot

  /// Makes changes durable, all or nothing, and returns the snapshot of this commit. The snapshot does not
  /// include commits that follow immediately.
  ///
  /// After an error the store is unchanged, and the caller must keep the changes.
  ///
  /// - Throws: ``StoreError``. The code is ``StoreError/Code/conflict`` if another writer has changed the same
  ///   objects since the base snapshot of the changes. The code is ``StoreError/Code/overtaken`` if the newest commit
  ///   is not the required commit of the request.
  @discardableResult
  func commit(_ request: CommitRequest) throws -> any StoreSnapshot

  /// Calls `body` while no process can commit, if the given commit is the newest. `body` can then replace the file of
  /// the store.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/overtaken`` if another commit is the newest; the error of
  ///   `body`.
  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R

  /// Reserves keys for new objects of an entity. No later call returns the same keys.
  ///
  /// - Parameter count: The number of keys needed; the result may be larger.
  /// - Throws: ``StoreError``.
  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64>

  /// Returns the size, the format and the state of the store.
  ///
  /// - Throws: ``StoreError``.
  func describe() throws -> StoreSummary

  /// Releases the resources of the store, such as its file and locks. Snapshots stay readable. A second call does
  /// nothing.
  func close() throws
}

extension Store {
  /// Returns ``snapshot()``, which checks for newer commits.
  public func knownSnapshot() throws -> any StoreSnapshot { try snapshot() }

  /// Returns ``snapshot()``, for stores that read rows at little cost.
  public func snapshot(reading key: ObjectKey) throws -> any StoreSnapshot { try snapshot() }

  /// Checks the newest commit once, before `body`. Only for stores that no second writer commits to.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try checkNewest(number, is: snapshot().commit)
    return try body()
  }

  /// Throws ``StoreError/Code/overtaken`` if another commit is the newest.
  public func checkNewest(_ number: Int64, is newest: Int64) throws {
    guard newest == number else {
      throw StoreError(
        .overtaken,
        "Another save came first: commit \(newest) came after commit \(number).",
        path: path)
    }
  }
}

/// The contents of a store at one commit. Immutable, and may be shared between threads.
public protocol StoreSnapshot: Sendable {
  /// The number of the commit; 0 before the first.
  var commit: Int64 { get }
  /// The model that the store was written with. Read at the first access.
  var model: Model { get throws }
  /// The numbers of the model's entities and properties in the rows.
  var schema: Schema { get }
  /// The metadata of the store. Read at the first access.
  var metadata: StoreMetadata { get throws }
  /// The rows: tables for the bottom of a `View`, the lowest first.
  var tables: [any RowTable] { get }
  /// Whether the version of a row is the number of its saves, as in databases of foreign systems, and not the number
  /// of a commit.
  var countsVersions: Bool { get }
  /// The number that the store records for each entity and link table: no number from it on was reserved in the lane in
  /// which the file counts (spec §4.4.3). Empty if the store records none. A copy that keeps the numbers of objects reads
  /// them, so that it does not give the number of a deleted object to a new one.
  var nextKeys: [UInt16: UInt64] { get }

  /// Returns layers that together mention every object that may differ from an older snapshot of the same store; `nil`
  /// if only a comparison of the tables can find them.
  ///
  /// Snapshots that share tables need not implement this. A store implements it if its snapshots do not share tables,
  /// such as transactions of a database with a history.
  func layersTouched(since older: any StoreSnapshot) throws -> [Layer]?
}

extension StoreSnapshot {
  /// A view of the objects, with no further layers above them.
  public var view: View { View(tables) }
  /// `false`, unless a snapshot overrides it.
  public var countsVersions: Bool { false }
  /// Empty, unless a snapshot overrides it.
  public var nextKeys: [UInt16: UInt64] { [:] }
  /// `nil`, unless a snapshot overrides it.
  public func layersTouched(since older: any StoreSnapshot) throws -> [Layer]? { nil }
}

/// The changes of one commit.
public struct CommitRequest: Sendable {
  /// The changes. Each row names the version that it is based on.
  public var changes: Layer
  /// The commit that the changes were made above.
  public var base: Int64
  /// The commit that must be the newest of the store; `nil` if these changes may follow any commit.
  /// For changes that are valid only together with the rest of the store, such as a unique value. The caller has
  /// checked everything up to this commit. If another commit came first, the caller must check again.
  public var requiredCommit: Int64?
  /// The new metadata; `nil` to keep the current metadata.
  public var metadata: StoreMetadata?
  /// The new model, or `nil` to keep the current one. If set, `changes` use the schema that the snapshot's schema
  /// evolves to under this model. Rows that are already in the store are read through the new schema.
  public var model: Model?
  /// The models between the store's model and ``model``, in order. The schema evolves through each of them.
  public var modelsBetween: [Model] = []
  /// The author of the changes, for the history.
  public var author: String?
  /// The name of the context that made the changes, for the history.
  public var contextName: String?
  /// The author's message about the changes, for the history. Documents and block files keep messages; other stores
  /// ignore them.
  public var message: String?
  /// The version of the document that the commit is on its own; `nil` for any other commit. Only stores of a
  /// ``VersionLoggingBackend`` write it.
  package var version: VersionRecord?
  /// The lanes of another copy whose objects the changes contain, with the numbers that they have there; `nil` for any
  /// other commit. Only stores that record lanes write them.
  package var lanes: StoreLanes?

  /// Creates a request for changes above a snapshot.
  public init(
    _ changes: Layer, basedOn snapshot: any StoreSnapshot, metadata: StoreMetadata? = nil,
    model: Model? = nil
  ) {
    self.changes = changes
    base = snapshot.commit
    self.metadata = metadata
    self.model = model
  }

  /// Whether the request changes nothing.
  public var isEmpty: Bool { changes.isEmpty && metadata == nil && model == nil }
}

extension Schema {
  /// Returns the schema that this schema evolves to under each of the models in turn.
  package func evolved(from before: Model, by models: [Model]) throws(SchemaError) -> Schema {
    var (schema, before) = (self, before)
    for model in models {
      schema = try Schema(model, evolving: schema, of: before)
      before = model
    }
    return schema
  }
}

extension CommitRequest {
  /// Returns the schema of the store after the request has set its model.
  public func schema(
    evolving schema: Schema, of before: @autoclosure () throws -> Model, path: String?
  ) throws -> Schema {
    guard let model else { return schema }
    do {
      return try schema.evolved(from: before(), by: modelsBetween + [model])
    } catch let error as SchemaError {
      throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
    }
  }

  /// Throws if the store's model was changed after the base of this request.
  public func checkModel(setBy commit: Int64, path: String?) throws {
    guard base >= commit else {
      throw StoreError(
        // A caller that required the newest commit can try again on the commit that is the newest now.
        model != nil && requiredCommit != nil ? .overtaken : .incompatibleModel,
        "Commit \(commit) changed the model, but the changes are based on commit \(base).",
        path: path)
    }
  }
}

extension CommitRequest {
  /// Returns the objects of the request that another commit has changed since the base, according to the given head.
  ///
  /// Costs nothing if the base is the newest commit.
  public func conflicts(with head: some StoreSnapshot) throws -> [StoreConflict] {
    guard head.commit != base else { return [] }
    let view = head.view
    var conflicts: [StoreConflict] = []
    for changes in changes.entities {
      for one in try changes.entries() {
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        let location: RowLocation
        switch one.entry {
        case .absent: continue
        case .put(let row), .changed(let row), .removed(let row): location = row
        }
        let basis = try location.basis
        let current = try view.row(of: key)?.version
        if (current ?? 0) != basis {
          conflicts.append(StoreConflict(key: key, basis: basis, current: current))
        }
      }
    }
    return conflicts
  }

  /// Throws if another commit has changed the same objects, or if the newest commit is not the required one. The
  /// writer must hold its lock during the call.
  ///
  /// Costs nothing if the base is the newest commit.
  public func check(against head: some StoreSnapshot, path: String?) throws {
    let conflicts = try conflicts(with: head)
    guard conflicts.isEmpty else { throw CommitRequest.refusal(conflicts, path: path) }
    if let requiredCommit, requiredCommit != head.commit {
      throw StoreError(
        .overtaken,
        """
        The changes must follow commit \(requiredCommit), but the newest commit is \
        \(head.commit).
        """, path: path)
    }
  }

  /// Returns the error that lists the conflicts.
  package static func refusal(_ conflicts: [StoreConflict], path: String?) -> StoreError {
    StoreError(
      .conflict,
      "\(conflicts.count) \(conflicts.count == 1 ? "object was" : "objects were") changed by "
        + "another save since they were read.",
      path: path, conflicts: conflicts)
  }
}

extension Layer {
  /// Returns the same changes, marked as made by the given commit.
  public func stamped(_ commit: Int64) throws -> Layer {
    func stamped(_ run: BlockRun) throws -> BlockRun {
      BlockRun(try run.blocks.map { try $0.stamped(commit) })
    }
    return Layer(
      try entities.map { changes in
        EntityChanges(
          entityNumber: changes.entityNumber, put: try stamped(changes.put),
          changed: try stamped(changes.changed), removed: try stamped(changes.removed))
      })
  }
}
