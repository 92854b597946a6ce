import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

/// To-many relationships without an inverse, and relationships that are their own inverse (spec §10.3.5, §10.3.7).
@Suite("Links in a column, and links that count in both directions")
struct OneWayLinkTests {
  /// Returns a model of persons with friends, and with tags that have no inverse.
  static func model(_ extra: Property...) throws -> Model {
    try Model(entities: [
      Entity(
        "Person",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship("friends", to: "Person", inverse: "friends", count: .toMany)),
          .relationship(Relationship("tags", to: "Tag", count: .toMany)),
        ]),
      Entity("Child", superentity: "Person"),
      Entity("Tag", properties: [.attribute(Attribute("name", .string))] + extra),
    ])
  }

  /// A store in a context: a store of another system, or a store of ours with the same objects.
  private final class World {
    let folder: TemporaryFolder
    let path: String
    let isOwn: Bool
    private(set) var store: any Store
    private(set) var context: ManagedObjectContext

    init(isOwn: Bool) throws {
      folder = try TemporaryFolder()
      self.isOwn = isOwn
      let made = try HandMade("people", OneWayLinkTests.model(), at: folder.file("a.sqlite"))
      let model = made.model
      guard isOwn else {
        path = made.path
        (store, context) = try World.opened(path, model)
        return
      }
      path = folder.file("b.sqlite")
      try SQLiteStoreBackend().create(at: path, model: model, on: RealDisk(), StoreCreation())
        .close()
      let (source, old) = try World.opened(made.path, model)
      (store, context) = try World.opened(path, model)
      // The objects get the same keys, because they are inserted in the order of their keys.
      for entity in ["Person", "Tag"] {
        let objects = try old.fetch(FetchRequest(entity))
        for object in objects.sorted(by: { $0.objectID.key.number < $1.objectID.key.number }) {
          try context.insert(object.entity.name)["name"] = object["name"]
        }
      }
      for (person, friends, tags) in [
        ("Ada", ["Bob", "Cid"], ["one", "three"]), ("Bob", [], ["two"]), ("Dee", ["Dee"], []),
      ] as [(String, [String], [String])] {
        for friend in friends { try add(friend, of: "Person", to: "friends", of: person) }
        for tag in tags { try add(tag, of: "Tag", to: "tags", of: person) }
      }
      try context.save()
      try source.close()
    }

    private static func opened(
      _ path: String, _ model: Model
    ) throws -> (any Store, ManagedObjectContext) {
      let store = try SQLiteStoreBackend().open(
        path, on: RealDisk(), StoreOpening(writesForeign: true))
      let coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.add(store)
      return (store, ManagedObjectContext(coordinator, concurrency: .confined))
    }

    /// Opens the store a second time, as another program does.
    func openAgain() throws -> (any Store, ManagedObjectContext) {
      try World.opened(path, OneWayLinkTests.model())
    }

    func reopen(_ model: Model? = nil) throws {
      try store.close()
      (store, context) = try World.opened(path, model ?? OneWayLinkTests.model())
    }

    func object(_ name: String, of entity: String) throws -> ManagedObject {
      var request = FetchRequest(entity)
      request.predicate = try QueryPredicate("name == '\(name)'")
      return try #require(try context.fetch(request).first)
    }

    func add(_ name: String, of entity: String, to key: String, of person: String) throws {
      let (owner, other) = (try object(person, of: "Person"), try object(name, of: entity))
      owner.setObjects(others(of: owner, key) + [other], forKey: key)
    }

    func remove(_ name: String, of entity: String, from key: String, of person: String) throws {
      let (owner, other) = (try object(person, of: "Person"), try object(name, of: entity))
      owner.setObjects(others(of: owner, key).filter { $0 !== other }, forKey: key)
    }

    private func others(of owner: ManagedObject, _ key: String) -> [ManagedObject] {
      owner.value(forKey: key) as? [ManagedObject] ?? []
    }

    func names(_ key: String, of person: String) throws -> [String] {
      try others(of: object(person, of: "Person"), key).compactMap(\.text).sorted()
    }

    func rows(_ text: String) throws -> [[SQLiteValue]] {
      try RawDatabase(path).rows(text)
    }

    /// The friendships in the table, as `1-2` for a row from 1 to 2.
    func friendships() throws -> [String] {
      let numbers = ["Ada": "1", "Bob": "2", "Cid": "3", "Dee": "4"]
      return try rows(
        """
        SELECT a.ZNAME, b.ZNAME FROM Z_1FRIENDS f \
        JOIN ZPERSON a ON a.Z_PK = f.REFLEXIVE JOIN ZPERSON b ON b.Z_PK = f.Z_1FRIENDS
        """
      ).map { row in
        row.map { if case .text(let name) = $0 { numbers[name] ?? name } else { "?" } }
          .joined(separator: "-")
      }.sorted()
    }
  }

  private static let tagRows =
    "SELECT t.ZNAME || ' ' || p.ZNAME FROM ZTAG t JOIN ZPERSON p ON p.Z_PK = t.Z1TAGS ORDER BY t.Z_PK"

  @Test("The store reads one-way links and symmetric links", arguments: [false, true])
  func reading(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)

    #expect(try world.names("friends", of: "Ada") == ["Bob", "Cid"])
    #expect(try world.names("friends", of: "Bob") == ["Ada"])
    #expect(try world.names("friends", of: "Cid") == ["Ada"])
    #expect(try world.names("friends", of: "Dee") == ["Dee"])
    #expect(try world.names("tags", of: "Ada") == ["one", "three"])
    #expect(try world.names("tags", of: "Bob") == ["two"])
    #expect(try world.names("tags", of: "Dee") == [])
  }

  @Test(
    "Predicates over the links find the same objects in the database and in rows",
    arguments: [false, true])
  func querying(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    for (predicate, expected) in [
      ("tags.@count == 2", ["Ada"]), ("ANY tags.name == 'two'", ["Bob"]),
      ("friends.@count == 1", ["Bob", "Cid", "Dee"]),
      ("ANY friends.name == 'Ada'", ["Bob", "Cid"]),
    ] {
      var request = FetchRequest("Person")
      request.predicate = try QueryPredicate(predicate)
      let found = try world.context.fetch(request).compactMap { $0.text }.sorted()
      #expect(found == expected, "\(predicate)")
    }
  }

  @Test("Our stores have the same columns as Core Data's stores", arguments: [false, true])
  func columns(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)

    let names = try Set(
      world.rows("SELECT name FROM pragma_table_info('ZTAG')").map { $0[0] })
    #expect(names.contains(.text("Z1TAGS")))
    #expect(names.contains(.text("QUIRE_KEY_1TAGS")) == isOwn)
    let links = try Set(
      world.rows("SELECT name FROM pragma_table_info('Z_1FRIENDS')").map { $0[0] })
    #expect(links.isSuperset(of: [.text("Z_1FRIENDS"), .text("REFLEXIVE")]))
    #expect(
      try world.rows(Self.tagRows) == [
        [.text("one Ada")], [.text("two Bob")], [.text("three Ada")],
      ])
  }

  @Test(
    "Links are added, moved and removed, and the changes survive reopening",
    arguments: [false, true])
  func changing(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    try world.add("four", of: "Tag", to: "tags", of: "Dee")
    try world.remove("one", of: "Tag", from: "tags", of: "Ada")
    try world.add("one", of: "Tag", to: "tags", of: "Bob")
    try world.remove("Bob", of: "Person", from: "friends", of: "Ada")
    try world.add("Dee", of: "Person", to: "friends", of: "Bob")
    try world.context.save()
    // The same context keeps working.
    try world.remove("four", of: "Tag", from: "tags", of: "Dee")
    try world.add("five", of: "Tag", to: "tags", of: "Dee")
    try world.object("one", of: "Tag")["name"] = .string("first")
    try world.context.save()

    for isReopened in [false, true] {
      if isReopened { try world.reopen() }
      #expect(try world.names("tags", of: "Ada") == ["three"])
      #expect(try world.names("tags", of: "Bob") == ["first", "two"])
      #expect(try world.names("tags", of: "Dee") == ["five"])
      #expect(try world.names("friends", of: "Ada") == ["Cid"])
      #expect(try world.names("friends", of: "Bob") == ["Dee"])
      #expect(try world.names("friends", of: "Dee") == ["Bob", "Dee"])
    }
    #expect(
      try world.rows(Self.tagRows) == [
        [.text("first Bob")], [.text("two Bob")], [.text("three Ada")], [.text("five Dee")],
      ])
  }

  @Test("A symmetric link has a row in each direction", arguments: [false, true])
  func bothDirections(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    // The database of the other system has the friendship of 3 and 1 in one direction only.
    let alone = isOwn ? ["1-3", "3-1"] : ["1-3"]
    var rows = try world.friendships()
    #expect(rows == (["1-2", "2-1", "4-4"] + alone).sorted())

    try world.add("Bob", of: "Person", to: "friends", of: "Cid")
    try world.add("Cid", of: "Person", to: "friends", of: "Cid")
    try world.context.save()
    rows = try world.friendships()
    #expect(rows == (["1-2", "2-1", "2-3", "3-2", "3-3", "4-4"] + alone).sorted())

    try world.remove("Ada", of: "Person", from: "friends", of: "Cid")
    try world.remove("Cid", of: "Person", from: "friends", of: "Cid")
    try world.context.save()
    rows = try world.friendships()
    #expect(rows == ["1-2", "2-1", "2-3", "3-2", "4-4"])
    world.context.delete(try world.object("Bob", of: "Person"))
    try world.context.save()
    rows = try world.friendships()
    #expect(rows == ["4-4"])
  }

  @Test("Two writers never replace each other's rows of symmetric links", arguments: [false, true])
  func writersInTurn(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    let names = (0..<12).map { "N\($0)" }
    for name in names { try world.context.insert("Person")["name"] = .string(name) }
    try world.context.save()
    let others = try (0..<2).map { _ in try world.openAgain() }
    var expected = 0
    for (index, name) in names.enumerated() {
      for other in names.dropFirst(index + 1) {
        // Each context has leased keys for links, in a range that lies between the other's.
        let context = others[expected % 2].1
        func object(_ name: String) throws -> ManagedObject {
          var request = FetchRequest("Person")
          request.predicate = try QueryPredicate("name == '\(name)'")
          return try #require(try context.fetch(request).first)
        }
        let (one, two) = (try object(name), try object(other))
        one.setObjects(
          (one.value(forKey: "friends") as? [ManagedObject] ?? []) + [two], forKey: "friends")
        try context.save()
        expected += 1
      }
    }
    for (store, _) in others { try store.close() }
    try world.reopen()

    for name in names {
      #expect(try world.names("friends", of: name) == names.filter { $0 != name }.sorted())
    }
    let rows = try world.friendships()
    #expect(Set(rows).count == rows.count)
    #expect(rows.count == 2 * expected + (isOwn ? 5 : 4))
  }

  @Test(
    "A store with half of the rows is read, and a vacuum or a change of the model adds the rest")
  func half() throws {
    for changesModel in [false, true] {
      let world = try World(isOwn: true)
      try world.store.close()
      try RawDatabase(world.path).run("DELETE FROM Z_1FRIENDS WHERE REFLEXIVE > Z_1FRIENDS")
      try world.reopen()
      #expect(try world.friendships() == ["1-2", "1-3", "4-4"])
      #expect(try world.names("friends", of: "Bob") == ["Ada"])

      if changesModel {
        let next = try Self.model(.attribute(Attribute("colour", .string)))
        _ = try world.store.commit(
          CommitRequest(Layer(), basedOn: world.store.snapshot(), model: next))
      } else {
        try world.store.features.history?.keepCommits { _ in true }
      }

      #expect(try world.friendships() == ["1-2", "1-3", "2-1", "3-1", "4-4"])
    }
  }

  @Test("Earlier commits show symmetric links as they were")
  func earlierFriends() throws {
    let world = try World(isOwn: true)
    let number = try world.store.snapshot().commit
    try world.add("Bob", of: "Person", to: "friends", of: "Cid")
    try world.remove("Ada", of: "Person", from: "friends", of: "Bob")
    try world.context.save()

    let before = try world.store.snapshot(ofCommit: number)
    let links = try #require(before.schema.links(of: "Person", "friends")).table.layout
    #expect(try before.view.keys(ofEntity: links.entityNumber).count == 3)
    let now = try world.store.snapshot()
    #expect(try now.view.keys(ofEntity: links.entityNumber).count == 3)
    #expect(try now.changes(since: before).entities.map(\.entityNumber) == [links.entityNumber])
  }

  @Test("Deleting an object removes its links", arguments: [false, true])
  func deleting(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    world.context.delete(try world.object("two", of: "Tag"))
    world.context.delete(try world.object("Ada", of: "Person"))
    try world.context.save()
    try world.reopen()

    #expect(try world.names("tags", of: "Bob") == [])
    #expect(try world.names("friends", of: "Bob") == [])
    #expect(try world.rows(Self.tagRows) == [])
    #expect(try world.context.fetch(FetchRequest("Tag")).count == 4)
  }

  @Test(
    "A second owner of an object is refused, and nothing is saved",
    arguments: [false, true])
  func shared(isOwn: Bool) throws {
    let world = try World(isOwn: isOwn)
    try world.add("one", of: "Tag", to: "tags", of: "Dee")

    let error = try #require(throws: (any Error).self) { try world.context.save() }

    #expect("\(error)".contains("'Person.tags' has no inverse"), "\(error)")
    #expect("\(error)".contains("the object 1 of ZTAG belongs to the object 1 already"))
    #expect(try world.rows(Self.tagRows).first == [.text("one Ada")])
  }

  @Test("Links survive a change of the model, and snapshots of two commits show their changes")
  func modelChange() throws {
    let world = try World(isOwn: true)
    let next = try Self.model(.attribute(Attribute("colour", .string)))
    try world.add("four", of: "Tag", to: "tags", of: "Dee")
    try world.context.save()
    let before = try world.store.snapshot()
    try world.remove("four", of: "Tag", from: "tags", of: "Dee")
    try world.context.save()
    let after = try world.store.snapshot()
    let links = try #require(before.schema.linkTables.first { $0.backward == nil }).layout
    #expect(try before.view.keys(ofEntity: links.entityNumber).count == 4)
    #expect(try after.view.keys(ofEntity: links.entityNumber).count == 3)
    #expect(try before.changes(since: after).entities.map(\.entityNumber) == [links.entityNumber])

    var request = CommitRequest(Layer(), basedOn: after, model: next)
    request.author = "test"
    _ = try world.store.commit(request)
    try world.reopen(next)

    #expect(try world.names("tags", of: "Ada") == ["one", "three"])
    #expect(try world.names("friends", of: "Ada") == ["Bob", "Cid"])
    try world.object("one", of: "Tag")["colour"] = .string("red")
    try world.context.save()
    #expect(try world.names("tags", of: "Ada") == ["one", "three"])
  }

  @Test("A row that is replaced as a whole keeps the links that lead to it")
  func wholeRows() throws {
    let world = try World(isOwn: true)
    let base = try world.store.snapshot()
    let layout = try #require(base.schema["Tag"])
    let key = ObjectKey(entity: layout.entityNumber, number: 1)
    let builder = LayerBuilder(base.schema)
    builder.remove(key, basis: try base.view.row(of: key)!.version)
    builder.insert(key)
    builder.set(.string("anew"), "name", of: key, base.schema)

    _ = try world.store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try world.reopen()

    #expect(try world.names("tags", of: "Ada") == ["anew", "three"])
  }

  @Test("A link that another program wrote into a store of ours can be read and removed")
  func foreignLink() throws {
    let world = try World(isOwn: true)
    try world.store.close()
    try RawDatabase(world.path).run(
      "UPDATE ZTAG SET Z1TAGS = (SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'Cid') WHERE ZNAME = 'four'"
    )
    try world.reopen()
    #expect(try world.names("tags", of: "Cid") == ["four"])

    try world.remove("four", of: "Tag", from: "tags", of: "Cid")
    try world.context.save()

    #expect(try world.rows("SELECT Z1TAGS FROM ZTAG WHERE ZNAME = 'four'") == [[.null]])
  }
}

extension ManagedObject {
  /// The object's name as text.
  fileprivate var text: String? {
    if case .string(let text) = self["name"] { text } else { nil }
  }
}
