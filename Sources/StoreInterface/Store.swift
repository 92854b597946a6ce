public import Foundation
public import ObjectModel
public import Rows

/// A store that is open: what contexts and coordinators read from and save to.
///
///     let snapshot = try store.snapshot()
///     let view = View(snapshot.tables).pushing(changes)
///     let saved = try store.commit(CommitRequest(changes, basedOn: snapshot))
///
/// May be used from any thread. Reading never waits for writing: a snapshot stays what it is.
public protocol Store: AnyObject, Sendable {
  /// The kind of store.
  var type: StoreType { get }
  /// What this kind of store can do by itself.
  var capabilities: StoreCapabilities { get }

  /// Whether a commit of a new model writes no row when the rows stay as they are; `false` unless the store says so.
  var changesModelAlone: Bool { get }
  /// The store's place in object identifiers.
  var tag: StoreTag { get }
  /// Where the store is; `nil` when that is nowhere but in memory.
  var path: String? { get }
  /// Those it commits with as one; `nil` for a store that commits by itself.
  var group: (any StoreGroup)? { get }

  /// The objects as the newest commit left them, another process's included.
  ///
  /// - Throws: ``StoreError``.
  func snapshot() throws -> any StoreSnapshot

  /// The objects as the newest commit left them that this store has seen: when it was opened, or the last time that
  /// somebody asked. Nobody is asked whether somebody else has committed since.
  ///
  /// - Throws: ``StoreError``.
  func knownSnapshot() throws -> any StoreSnapshot

  /// Makes changes durable, all of them or none, and gives the objects as this commit has left them, whoever commits
  /// right after it.
  ///
  /// After an error the store is as it was, and the changes are the caller's to keep.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/conflict`` when objects were changed by
  ///   somebody else since the snapshot that the changes are based on, and with code
  ///   ``StoreError/Code/overtaken`` when the newest commit is not the one that the request asks for.
  @discardableResult
  func commit(_ request: CommitRequest) throws -> any StoreSnapshot

  /// Makes changes durable as ``commit(_:)`` does, and then asks whether they count: so that several stores
  /// commit as one. For stores that were opened at a commit (``StoreOpening/commit``).
  ///
  /// What was made durable stays where it is when the answer is no, or never comes: it counts once somebody
  /// opens the store at its number. Until then the store is as it was.
  ///
  /// - Parameters:
  ///   - position: The number that the commit gets, which is above all that the store has seen; and the
  ///     file that holds the store from then on: its own, or for a store that keeps no earlier commits
  ///     a new one.
  ///   - confirm: Called with the objects as they will be. What it throws means no.
  /// - Throws: ``StoreError``, or what `confirm` throws.
  @discardableResult
  func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot

  /// Goes on to a commit that another process has made and that counts by now. For stores that were opened
  /// at a commit.
  ///
  /// - Throws: ``StoreError``.
  func advance(to position: StorePosition) throws

  /// Calls `body` while nobody commits, in no process, and a commit is the newest: so that a file can be
  /// put in the place of the store's.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/overtaken`` when another commit is the newest;
  ///   what `body` throws.
  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R

  /// Sets keys aside for new objects of an entity, which nobody else gets.
  ///
  /// - Parameter count: How many are wanted; there may be more.
  /// - Throws: ``StoreError``.
  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64>

  /// The commits that can be opened, the newest first; none without ``StoreCapabilities/history``.
  ///
  /// - Throws: ``StoreError``.
  func commits() throws -> [CommitSummary]

  /// The objects as an earlier commit left them.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/notFound`` when there is no such commit any
  ///   more.
  func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot

  /// Forgets the commits that `isKept` says no of, as far as they are there, and gives back what only they
  /// took. The newest stays in any case. Nothing happens without ``StoreCapabilities/history``.
  ///
  /// - Throws: ``StoreError``; the store is as it was then.
  func keepCommits(where isKept: (Int64) -> Bool) throws

  /// What there is to say of the store besides its objects.
  ///
  /// - Throws: ``StoreError``.
  func describe() throws -> StoreDescription

  /// Gives back what the store holds. Snapshots stay readable. Closing again does nothing.
  func close() throws
}

extension Store {
  /// The newest there are: that is seen by asking.
  public func knownSnapshot() throws -> any StoreSnapshot { try snapshot() }

  /// It commits by itself.
  public var group: (any StoreGroup)? { nil }

  /// None.
  public func commits() throws -> [CommitSummary] { [] }

  /// None but the newest.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let newest = try snapshot()
    guard newest.commit == number else { throw Self.missing(number, path) }
    return newest
  }

  /// There are none to forget.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {}

  /// Forgets the commits before the given one, as ``keepCommits(where:)`` does.
  ///
  /// - Throws: ``StoreError``; the store is as it was then.
  public func forgetCommits(before number: Int64) throws {
    try keepCommits { $0 >= number }
  }

  /// Refuses: the store commits by itself.
  @discardableResult
  public func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot { throw commitsByItself }

  /// Refuses: the store goes on by itself.
  public func advance(to position: StorePosition) throws { throw commitsByItself }

  private var commitsByItself: StoreError {
    StoreError(
      .notConfirmable, "A store of type \"\(type.rawValue)\" can't be told which commit counts.",
      path: path)
  }

  /// As far as it can be seen beforehand: for stores that nobody else commits to.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try checkNewest(number, is: snapshot().commit)
    return try body()
  }

  /// Refuses when another commit is the newest.
  public func checkNewest(_ number: Int64, is newest: Int64) throws {
    guard newest == number else {
      throw StoreError(
        .overtaken,
        "Another save came first: commit \(newest) came after commit \(number).",
        path: path)
    }
  }

  /// The error that a commit can't be opened.
  package static func missing(_ number: Int64, _ path: String?) -> StoreError {
    StoreError(.notFound, "There is no commit \(number), or it is not kept any more.", path: path)
  }
}

/// Where a store is and which of its commits counts: what a document's manifest says of each of its stores.
public struct StorePosition: Sendable, Hashable {
  /// The file.
  public var path: String
  /// The commit.
  public var commit: Int64

  /// A commit in a file.
  public init(path: String, commit: Int64) {
    self.path = path
    self.commit = commit
  }
}

/// One commit, as a list of them has it.
public struct CommitSummary: Sendable, Hashable {
  /// The commit's number.
  public var number: Int64
  /// When it was made.
  public var time: Date
  /// Who made it, if anybody said so.
  public var author: String?
  /// What the context is called that made it, if it has a name.
  public var contextName: String?

  /// A commit of the given number and time.
  public init(
    number: Int64, time: Date, author: String? = nil, contextName: String? = nil
  ) {
    self.number = number
    self.time = time
    self.author = author
    self.contextName = contextName
  }
}

/// What there is to say of a store besides its objects.
public struct StoreDescription: Sendable, Hashable {
  /// The version of the format; `nil` for a store that has none.
  public var formatVersion: String?
  /// How many bytes the store takes.
  public var byteCount = 0
  /// How many of them are in use.
  public var liveByteCount = 0
  /// How many bytes lie behind the last whole save: the remains of a save that a crash cut off.
  public var strayByteCount = 0
  /// The damage of a store that was opened in spite of it (``StoreOpening/acceptsDamage``); `nil` if
  /// there is none.
  public var damage: String?
  /// When the last save was.
  public var savedAt: Date?
  /// The highest number that a commit has, whether or not it counts; 0 for a store whose commits have none.
  public var highestCommit: Int64 = 0

  /// A description of a store of which nothing is known.
  public init() {}
}

/// What a store holds at one commit. Immutable; shared as you like.
public protocol StoreSnapshot: Sendable {
  /// The number of the commit; 0 before the first.
  var commit: Int64 { get }
  /// The model the store was written with. Read when it is first asked for.
  var model: Model { get throws }
  /// The numbers that rows know the model's entities and properties by.
  var schema: Schema { get }
  /// What the store says of itself. Read when it is first asked for.
  var metadata: StoreMetadata { get throws }
  /// The rows: tables for the bottom of a ``Rows/View``, the lowest first.
  var tables: [any RowTable] { get }
  /// Whether the version of a row says how often it was saved, as in databases of other systems, and not which commit
  /// saved it.
  var countsVersions: Bool { get }
}

extension StoreSnapshot {
  /// The objects, with nothing above them.
  public var view: View { View(tables) }
  /// Not unless a snapshot says so.
  public var countsVersions: Bool { false }
}

/// What is to be committed.
public struct CommitRequest: Sendable {
  /// The changes; each row says the version it is based on.
  public var changes: Layer
  /// The commit that the changes were made above.
  public var base: Int64
  /// The commit that must be the store's newest for these changes to be made; `nil` when any may be.
  ///
  /// For changes that hold only together with what is there already, such as a value that nobody else may
  /// have: whoever has looked at everything up to a commit says so, and looks again when another came
  /// first.
  public var requiredCommit: Int64?
  /// The metadata from now on; `nil` when they stay.
  public var metadata: StoreMetadata?
  /// The model from now on; `nil` when it stays. The changes are then of rows as the schema has them
  /// that evolves from the snapshot's by this model. Rows that are there already are read through it.
  public var model: Model?
  /// Models between the store's and ``model``, in their order: what continues what is found step by step.
  public var modelsBetween: [Model] = []
  /// Who the changes are said to be by, for the history.
  public var author: String?
  /// What the context of the changes is called, for the history.
  public var contextName: String?

  /// Changes made above a snapshot.
  public init(
    _ changes: Layer, basedOn snapshot: any StoreSnapshot, metadata: StoreMetadata? = nil,
    model: Model? = nil
  ) {
    self.changes = changes
    base = snapshot.commit
    self.metadata = metadata
    self.model = model
  }

  /// Whether nothing is to be changed.
  public var isEmpty: Bool { changes.isEmpty && metadata == nil && model == nil }
}

extension Schema {
  /// The schema that follows from this one by models that come one after another.
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
  /// The schema of the store once the request's model is set.
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

  /// Refuses changes that were made for rows of another model than the store has by now.
  public func checkModel(setBy commit: Int64, path: String?) throws {
    guard base >= commit else {
      throw StoreError(
        // Who brings a model for the newest commit looks again at what that is by now.
        model != nil && requiredCommit != nil ? .overtaken : .incompatibleModel,
        "The model was changed by commit \(commit), and the changes are based on commit \(base).",
        path: path)
    }
  }
}

extension CommitRequest {
  /// The objects of the request that were changed since, looked up in what the store holds now.
  ///
  /// Costs nothing when nobody has committed meanwhile.
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

  /// Refuses changes of which somebody has changed the same objects, or that hold only right after
  /// another commit than the newest. Whoever commits asks under its lock.
  ///
  /// Costs nothing when nobody has committed meanwhile.
  public func check(against head: some StoreSnapshot, path: String?) throws {
    let conflicts = try conflicts(with: head)
    guard conflicts.isEmpty else { throw CommitRequest.refusal(conflicts, path: path) }
    if let requiredCommit, requiredCommit != head.commit {
      throw StoreError(
        .overtaken,
        """
        The changes may be made right after commit \(requiredCommit) only, and the newest commit is \
        \(head.commit).
        """, path: path)
    }
  }

  /// The error that names what is in conflict.
  package static func refusal(_ conflicts: [StoreConflict], path: String?) -> StoreError {
    StoreError(
      .conflict,
      "\(conflicts.count) \(conflicts.count == 1 ? "object was" : "objects were") changed by "
        + "another save since they were read.",
      path: path, conflicts: conflicts)
  }
}

extension Layer {
  /// The same changes, as those that the given commit made.
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

/// Stores that commit as one: all of them or none.
public protocol StoreGroup: AnyObject, Sendable {
  /// Makes changes of several of the group's stores durable, all of them or none.
  ///
  /// - Returns: The stores' snapshots then, in the order of the requests.
  /// - Throws: What the first store throws that refuses.
  func commit(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [any StoreSnapshot]
}

extension Store {
  /// `false`: a store that does not say so may write its rows again.
  public var changesModelAlone: Bool { false }
}
