import Foundation
public import ObjectModel
public import Rows
import SeededRandom
public import StoreInterface
import Testing

/// What every backend must do, written once over the interface.
///
/// A backend's tests hand in how to make a store, and how to open it again; a store that does not
/// outlive its process hands back the one it has.
public struct StoreConformance: Sendable {
  let make: @Sendable (Model) throws -> any Store
  let reopen: @Sendable (any Store) throws -> any Store
  /// Whether rows are kept as they are, whatever they refer to. Stores whose files hold objects keep
  /// what objects say: numbers of links and of places in an order are their own.
  let keepsRows: Bool

  /// The tests of stores that `make` makes and `reopen` closes and opens again.
  public init(
    keepsRows: Bool = true,
    make: @escaping @Sendable (Model) throws -> any Store,
    reopen: @escaping @Sendable (any Store) throws -> any Store = { $0 }
  ) {
    self.keepsRows = keepsRows
    self.make = make
    self.reopen = reopen
  }

  /// Runs all of them.
  public func run() throws {
    try empty()
    try everyKind()
    try snapshotsStay()
    try conflicts()
    try overtaken()
    try metadata()
    try leases()
    try emptied()
    try history()
    try inheritance()
    try largeValues()
    try largeValuesStay()
    if keepsRows {
      try indexes()
      try changesBetween()
    }
    try relationships()
    try modelChanges()
    try modelChains()
    try holding()
    for seed in 1...4 as ClosedRange<UInt64> { try random(seed: seed) }
    try closing()
  }

  // MARK: - The world of the tests

  /// Things of every type, and those that inherit from them.
  public static let model: Model = {
    var thing = Entity("Thing")
    for (name, type) in [
      ("flag", AttributeType.boolean), ("small", .int16), ("medium", .int32), ("large", .int64),
      ("ratio", .float), ("real", .double), ("when", .date), ("money", .decimal),
      ("name", .string), ("link", .uri), ("bytes", .binary), ("token", .uuid),
    ] { thing.properties.append(.attribute(Attribute(name, type))) }
    thing.properties.append(
      .relationship(Relationship("owner", to: "Owner", inverse: "things")))
    thing.properties += [
      .relationship(Relationship("shelf", to: "Owner", inverse: "shelved")),
      .relationship(
        Relationship("tags", to: "Tag", inverse: "things", count: .toMany, isOrdered: true)),
      .relationship(Relationship("twins", to: "Thing", inverse: "twins", count: .toMany)),
    ]
    thing.fetchIndexes = [
      FetchIndex("byName", elements: [.init("name"), .init("large", isAscending: false)]),
      FetchIndex("byReal", elements: [.init("real")]),
      FetchIndex("byMoney", elements: [.init("money"), .init("name")]),
    ]
    var special = Entity("SpecialThing")
    special.superentity = "Thing"
    special.properties = [
      .attribute(Attribute("grade", .string, defaultValue: .string("none")))
    ]
    var owner = Entity("Owner")
    owner.properties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("token", .uuid)),
      .relationship(
        Relationship("things", to: "Thing", inverse: "owner", count: .toMany, deleteRule: .nullify)),
      .relationship(
        Relationship("shelved", to: "Thing", inverse: "shelf", count: .toMany, isOrdered: true)),
    ]
    var tag = Entity("Tag")
    tag.properties = [
      .attribute(Attribute("token", .uuid)),
      .relationship(Relationship("things", to: "Thing", inverse: "tags", count: .toMany)),
    ]
    return try! Model(entities: [thing, special, owner, tag])
  }()

  /// Objects as plain dictionaries: what stores are held against.
  public typealias Objects = [ObjectKey: [String: Value]]

  /// Everything a snapshot shows.
  public static func objects(_ snapshot: any StoreSnapshot) throws -> Objects {
    try objects(snapshot.view, snapshot.schema)
  }

  /// Everything a view shows.
  static func objects(_ view: View, _ schema: Schema) throws -> Objects {
    var objects: Objects = [:]
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        var values: [String: Value] = [:]
        for column in layout.columns {
          let value = try row.value(column)
          if !value.isNull { values[column.name] = value }
        }
        objects[key] = values
      }
    }
    return objects
  }

  func expect(
    _ store: any Store, holds objects: Objects, _ comment: Comment = "",
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try Self.objects(store.snapshot())
    #expect(found == objects, comment, sourceLocation: location)
  }

  private static func key(_ store: any Store, _ entity: String, _ number: UInt64) throws
    -> ObjectKey
  {
    ObjectKey(entity: try store.snapshot().schema[entity]!.entityNumber, number: number)
  }

  // MARK: - Tests

  private func empty() throws {
    var store = try make(Self.model)
    try expect(store, holds: [:])
    store = try reopen(store)
    try expect(store, holds: [:])
    let before = try store.snapshot()
    #expect(try before.model == Self.model)
    // A commit of nothing is none.
    let after = try store.commit(CommitRequest(Layer(), basedOn: before))
    #expect(after.commit == before.commit)
    try store.close()
  }

  private func everyKind() throws {
    var store = try make(Self.model)
    let snapshot = try store.snapshot()
    let extremes: [[String: Value]] = [
      [
        "flag": .boolean(true), "small": .integer(.init(Int16.min)),
        "medium": .integer(.init(Int32.max)),
        "large": .integer(.min), "ratio": .float(.leastNonzeroMagnitude), "real": .double(-0.0),
        "when": .date(Date(timeIntervalSinceReferenceDate: -1e10)),
        "money": .decimal(Decimal(string: "-12345678901234567890123456789.0123456789")!),
        "name": .string("e\u{301}tude \u{1F682} \0 日本 \u{10FFFF}"), "link": .uri("urn:x:1"),
        "bytes": .binary(Data([0, 255, 10])),
        "token": .uuid(UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!),
      ],
      [
        "flag": .boolean(false), "small": .integer(0), "large": .integer(.max),
        "real": .double(.infinity), "ratio": .float(-.infinity), "name": .string(""),
        "bytes": .binary(Data()), "money": .decimal(0),
        "when": .date(Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)),
      ],
      [:],
    ]
    let builder = LayerBuilder(snapshot.schema)
    var objects: Objects = [:]
    for (index, values) in extremes.enumerated() {
      let key = try Self.key(store, "Thing", UInt64(index) * 1000 + 1)
      builder.insert(key)
      for (name, value) in values { builder.set(value, name, of: key, snapshot.schema) }
      objects[key] = values
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    try expect(store, holds: objects)
    store = try reopen(store)
    try expect(store, holds: objects)
    try store.close()
  }

  private func snapshotsStay() throws {
    let store = try make(Self.model)
    let key = try Self.key(store, "Thing", 1)
    var snapshots: [any StoreSnapshot] = [try store.snapshot()]
    for version in 0..<40 {
      let base = snapshots[version]
      let builder = LayerBuilder(base.schema)
      if version == 0 {
        builder.insert(key)
        builder.set(.integer(0), "large", of: key, base.schema)
      } else {
        builder.set(
          .integer(Int64(version)), "large", of: key, base.schema,
          basis: try base.view.row(of: key)!.version)
      }
      snapshots.append(try store.commit(CommitRequest(builder.freeze(), basedOn: base)))
    }
    for (version, snapshot) in snapshots.enumerated() {
      let value = try Self.objects(snapshot)[key]?["large"]
      #expect(value == (version == 0 ? nil : .integer(Int64(version - 1))), "version \(version)")
    }
    try store.close()
  }

  private func conflicts() throws {
    let store = try make(Self.model)
    let empty = try store.snapshot()
    let keys = try (1...4).map { try Self.key(store, "Thing", $0) }
    let builder = LayerBuilder(empty.schema)
    for key in keys {
      builder.insert(key)
      builder.set(.string("first"), "name", of: key, empty.schema)
    }
    let base = try store.commit(CommitRequest(builder.freeze(), basedOn: empty))
    func change(_ key: ObjectKey, _ name: String) throws -> Layer {
      let builder = LayerBuilder(base.schema)
      builder.set(
        .string(name), "name", of: key, base.schema, basis: try base.view.row(of: key)!.version)
      return builder.freeze()
    }
    // Others change one object, and take one away.
    let others = try store.commit(CommitRequest(change(keys[0], "theirs"), basedOn: base))
    let removal = LayerBuilder(base.schema)
    removal.remove(keys[1], basis: try others.view.row(of: keys[1])!.version)
    let head = try store.commit(CommitRequest(removal.freeze(), basedOn: others))

    // What they left alone may be changed above the old snapshot.
    try store.commit(CommitRequest(change(keys[2], "ours"), basedOn: base))
    for key in keys[0...1] {
      let error = #expect(throws: StoreError.self) {
        try store.commit(CommitRequest(change(key, "ours"), basedOn: base))
      }
      #expect(error?.code == .conflict)
      #expect(error?.conflicts.map(\.key) == [key])
      #expect(try error?.conflicts.first?.current == head.view.row(of: key)?.version)
    }
    // An object that is there already can't be put in again.
    let again = LayerBuilder(base.schema)
    again.insert(keys[3])
    #expect(throws: StoreError.self) {
      try store.commit(CommitRequest(again.freeze(), basedOn: empty))
    }
    let names = try Self.objects(store.snapshot()).mapValues { $0["name"] }
    #expect(
      names == [keys[0]: .string("theirs"), keys[2]: .string("ours"), keys[3]: .string("first")])
    try store.close()
  }

  /// Changes that must follow a certain commit are refused after any other, whatever that was about.
  private func overtaken() throws {
    let store = try make(Self.model)
    let empty = try store.snapshot()
    let keys = try (1...3).map { try Self.key(store, "Thing", $0) }
    func insertion(_ key: ObjectKey) -> Layer {
      let builder = LayerBuilder(empty.schema)
      builder.insert(key)
      return builder.freeze()
    }
    var request = CommitRequest(insertion(keys[0]), basedOn: empty)
    request.requiredCommit = empty.commit
    let first = try store.commit(request)
    // Keys that are set aside are no commit.
    _ = try store.leaseKeys(ofEntity: keys[0].entity, count: 5000)
    request = CommitRequest(insertion(keys[1]), basedOn: empty)
    for required in [empty.commit, first.commit + 1] {
      request.requiredCommit = required
      let error = #expect(throws: StoreError.self) { try store.commit(request) }
      #expect(error?.code == .overtaken)
    }
    try expect(store, holds: [keys[0]: [:]])
    #expect(try store.snapshot().commit == first.commit)
    request.requiredCommit = first.commit
    try store.commit(request)
    // What was changed by somebody else is said before.
    request = CommitRequest(insertion(keys[1]), basedOn: empty)
    request.requiredCommit = first.commit
    let error = #expect(throws: StoreError.self) { try store.commit(request) }
    #expect(error?.code == .conflict)
    try store.commit(CommitRequest(insertion(keys[2]), basedOn: empty))
    try expect(store, holds: [keys[0]: [:], keys[1]: [:], keys[2]: [:]])
    try store.close()
  }

  private func metadata() throws {
    var store = try make(Self.model)
    var snapshot = try store.snapshot()
    #expect(try snapshot.metadata.type == store.type)
    #expect(try snapshot.metadata.uuid.map(StoreTag.init) == store.tag)
    #expect(try snapshot.metadata.versionHashes == Self.model.versionHashes)
    var changed = try snapshot.metadata
    changed.values["owner"] = .dictionary(["name": .string("Ada"), "n": .integer(-3)])
    snapshot = try store.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: changed))
    #expect(try snapshot.metadata == changed)
    store = try reopen(store)
    #expect(try store.snapshot().metadata == changed)
    try store.close()
  }

  private func leases() throws {
    var store = try make(Self.model)
    var seen: Set<UInt64> = []
    let number = try store.snapshot().schema["Thing"]!.entityNumber
    for count in [1, 10, 5000, 1, 70_000, 3] {
      let lease = try store.leaseKeys(ofEntity: number, count: count)
      #expect(lease.count >= count && lease.lowerBound >= 1)
      for key in lease { #expect(seen.insert(key).inserted) }
      if count == 10 { store = try reopen(store) }
    }
    try store.close()
  }

  /// What the store says it keeps of earlier commits can be opened, and nothing else.
  private func history() throws {
    var store = try make(Self.model)
    let key = try Self.key(store, "Thing", 1)
    var states: [Int64: Objects] = [try store.snapshot().commit: [:]]
    var authors: [Int64: String] = [:]
    for round in 0..<9 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      if round == 0 { builder.insert(key) }
      builder.set(
        .integer(Int64(round)), "large", of: key, base.schema,
        basis: round == 0 ? 0 : try base.view.row(of: key)!.version)
      var request = CommitRequest(builder.freeze(), basedOn: base)
      if round % 2 == 1 { (request.author, request.contextName) = ("Zoë", "round \(round)") }
      let after = try store.commit(request)
      states[after.commit] = try Self.objects(after)
      authors[after.commit] = request.author
      _ = try store.leaseKeys(ofEntity: key.entity, count: 5000)
    }
    store = try reopen(store)
    let commits = try store.commits()
    #expect(commits.isEmpty != store.capabilities.contains(.history))
    #expect(commits.map(\.number) == commits.map(\.number).sorted(by: >))
    for commit in commits {
      let snapshot = try store.snapshot(ofCommit: commit.number)
      #expect(snapshot.commit == commit.number)
      #expect(try Self.objects(snapshot) == states[commit.number])
      #expect(commit.author == authors[commit.number])
      #expect((commit.contextName == nil) == (commit.author == nil))
    }
    if commits.count > 4 {
      try store.forgetCommits(before: commits[3].number)
      #expect(try store.commits() == Array(commits.prefix(4)))
      for commit in commits.prefix(4) {
        let snapshot = try store.snapshot(ofCommit: commit.number)
        #expect(try Self.objects(snapshot) == states[commit.number])
      }
    }
    let newest = try Self.objects(store.snapshot())
    try store.forgetCommits(before: .max)
    #expect(try Self.objects(store.snapshot()) == newest)
    let error = #expect(throws: StoreError.self) { try store.snapshot(ofCommit: 1_000_000) }
    #expect(error?.code == .notFound)
    try store.close()
  }

  /// Everything is put in and taken out again, over and over.
  private func emptied() throws {
    var store = try make(Self.model)
    let keys = try (1...3).map { try Self.key(store, "Thing", $0) }
    for round in 0..<12 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      for key in keys {
        if round % 2 == 0 {
          builder.insert(key)
        } else {
          builder.remove(key, basis: try base.view.row(of: key)!.version)
        }
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      store = try reopen(store)
      try expect(
        store,
        holds: round % 2 == 0 ? Dictionary(uniqueKeysWithValues: keys.map { ($0, [:]) }) : [:],
        "round \(round)")
    }
    try store.close()
  }

  private func inheritance() throws {
    var store = try make(Self.model)
    let snapshot = try store.snapshot()
    let special = try Self.key(store, "SpecialThing", 5)
    // Another number: where all entities share them, no two objects have the same.
    let plain = try Self.key(store, "Thing", 6)
    let builder = LayerBuilder(snapshot.schema)
    builder.insert(special)
    builder.insert(plain)
    builder.set(.string("x"), "name", of: special, snapshot.schema)
    builder.set(.string("A"), "grade", of: special, snapshot.schema)
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    store = try reopen(store)
    try expect(
      store, holds: [special: ["name": .string("x"), "grade": .string("A")], plain: [:]])
    try store.close()
  }

  private func largeValues() throws {
    var store = try make(Self.model)
    let snapshot = try store.snapshot()
    var objects: Objects = [:]
    let builder = LayerBuilder(snapshot.schema)
    for (index, size) in [0, 1, 16_383, 16_384, 16_385, 300_000, 3_000_000].enumerated() {
      let key = try Self.key(store, "Thing", UInt64(index + 1))
      let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) })
      builder.insert(key)
      builder.set(.binary(bytes), "bytes", of: key, snapshot.schema)
      builder.set(
        .string(String(repeating: "é", count: size / 2)), "name", of: key, snapshot.schema)
      objects[key] = [
        "bytes": .binary(bytes), "name": .string(String(repeating: "é", count: size / 2)),
      ]
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    store = try reopen(store)
    try expect(store, holds: objects)
    try store.close()
  }

  /// Random changes, with reopening in between.
  private func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var store = try make(Self.model)
    var objects: Objects = [:]
    for round in 0..<60 {
      let base = try store.snapshot()
      let layout = base.schema["Thing"]!
      let builder = LayerBuilder(base.schema)
      let view = base.view
      var touched: Set<ObjectKey> = []
      for _ in 0..<Int.random(in: 1...(round % 10 == 0 ? 300 : 8), using: &generator) {
        let key = ObjectKey(
          entity: layout.entityNumber, number: .random(in: 1...400, using: &generator))
        let version = try view.row(of: key)?.version
        if objects[key] == nil {
          if touched.contains(key) { continue }
          builder.insert(key)
          objects[key] = [:]
        } else if Int.random(in: 0..<5, using: &generator) == 0 {
          builder.remove(key, basis: version ?? 0)
          objects[key] = nil
          touched.insert(key)
          continue
        }
        touched.insert(key)
        let value = Value.integer(.random(in: -5...5, using: &generator))
        let text = Value.string("text \(Int.random(in: 0...9, using: &generator))")
        let (name, new): (String, Value) =
          [("large", value), ("name", text), ("medium", .null)].randomElement(using: &generator)!
        builder.set(new, name, of: key, base.schema, basis: version ?? 0)
        objects[key]![name] = new.isNull ? nil : new
      }
      let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      #expect(try Self.objects(after) == objects, "seed \(seed), round \(round)")
      if round % 7 == 0 { store = try reopen(store) }
    }
    store = try reopen(store)
    try expect(store, holds: objects, "seed \(seed)")
    try store.close()
  }

  private func closing() throws {
    let store = try make(Self.model)
    let snapshot = try store.snapshot()
    try store.close()
    try store.close()
    #expect(try Self.objects(snapshot).isEmpty)
    let error = #expect(throws: StoreError.self) { try store.snapshot() }
    #expect(error?.code == .closed)
    #expect(throws: StoreError.self) {
      try store.commit(CommitRequest(Layer(), basedOn: snapshot))
    }
  }
}

extension LayerBuilder {
  /// Sets a value by its property's name.
  public func set(
    _ value: Value, _ name: String, of key: ObjectKey, _ schema: Schema, basis: Int64 = 0
  ) {
    set(value, column: schema[key.entity]!.index(of: name)!, of: key, basis: basis)
  }
}
