import BinaryStore
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import QueryWorld
import Rows
import StoreInterface
import Testing

@Suite(
  "A PostgreSQL store with other stores, models and containers",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct StoreTests {
  private let places = StorePlaces(
    StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend()]), on: RealDisk())

  @Test("A copy into a binary store and back has the same objects")
  func copies() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let world = try World()
    let binary = try places.create("\(folder)/a.store", type: .binary, model: world.model)
    for case let layer as Layer in world.view.tables {
      try binary.commit(CommitRequest(layer, basedOn: try binary.snapshot()))
    }
    let site = try StoreSite()
    let server = try places.create(site.address, type: .postgreSQL, model: world.model)

    let there = try StoreCopy(from: binary.snapshot(), to: server).run()
    let again = try places.create("\(folder)/b.store", type: .binary, model: world.model)
    let back = try StoreCopy(from: server.snapshot(), to: again).run()

    #expect(there.objectCount > 5)
    #expect(there == back)
    // The database numbers the objects of a family together, so objects are compared in the order of their numbers.
    let (copied, other) = (try again.snapshot().rows(), try server.snapshot().rows())
    #expect(copied.mapValues(\.count) == other.mapValues(\.count))
    for (entity, rows) in copied {
      for (one, two) in zip(rows, other[entity] ?? []) {
        for (property, value) in one {
          if case .object = value { continue }
          let isIdentical = two[property]?.isIdentical(to: value) ?? false
          #expect(isIdentical, "\(entity) \(property)")
        }
      }
    }
    for store in [binary, server, again] { try store.close() }
  }

  @Test("An address is recognised, found, and destroyed without the other tables of its schema")
  func addresses() throws {
    let site = try StoreSite()
    #expect(places.isAddress(site.address))
    #expect(try !places.exists(site.address))
    try places.create(site.address, type: .postgreSQL, model: World().model).close()
    #expect(try places.exists(site.address))
    #expect(try places.open(site.address).type == .postgreSQL)
    try site.connection().execute("CREATE TABLE other (id int)")

    try places.destroy(site.address)

    #expect(try !places.exists(site.address))
    #expect(
      try site.connection().texts(
        "SELECT tablename FROM pg_tables WHERE schemaname = '\(site.schema)'")
        == [["other"]])
  }

  @Test("A password in an address is refused, and no message shows it")
  func passwords() throws {
    for address in [
      "postgresql://app:secret@db/trips", "postgresql://db/trips?user=app&password=secret",
      "postgres://a:secret@h1,h2/x",
    ] {
      let error = #expect(throws: StoreError.self) { try places.open(address) }
      #expect(!"\(error!)".contains("secret"))
      #expect("\(error!)".contains(".pgpass"))
      // The caller may add the address to the error.
      #expect(!"\(StoreError(.failed, "x", path: address))".contains("secret"))
    }
  }

  @Test("A server that can't be reached is reported with the next step")
  func unreachable() throws {
    let error = #expect(throws: StoreError.self) {
      try places.open("postgresql:///trips?host=/nowhere&connect_timeout=1")
    }
    #expect(error?.code == .inputOutput)
    #expect("\(error!)".contains("can't be reached"))
  }

  private func model(_ change: (inout [Entity]) -> Void) throws -> Model {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int16)),
      .attribute(Attribute("old", .string)),
      .relationship(
        Relationship(
          "guides", to: "Guide", inverse: "trips", inverseEntity: "Guide", count: .toMany)),
    ]
    var guide = Entity("Guide")
    guide.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(
        Relationship("trips", to: "Trip", inverse: "guides", inverseEntity: "Trip", count: .toMany)),
    ]
    var entities = [trip, guide]
    change(&entities)
    return try Model(entities: entities)
  }

  @Test("A migration alters the tables in their place, in one transaction")
  func migrations() throws {
    let site = try StoreSite()
    let first = try model { _ in }
    let store = try site.create(first)
    let trip = ObjectKey(entity: try store.snapshot().schema["Trip"]!.entityNumber, number: 1)
    try store.save { builder, base in
      builder.insert(trip)
      builder.set(.string("Rome"), "name", of: trip, base.schema)
      builder.set(.integer(4), "days", of: trip, base.schema)
    }
    let before = try site.connection().texts("SELECT 'trip'::regclass::oid")
    let second = try model { entities in
      var days = Attribute("dayCount", .int64)
      days.renamingIdentifier = "days"
      var stars = Attribute("stars", .int32)
      stars.defaultValue = .integer(3)
      entities[0].declaredProperties = [
        .attribute(Attribute("name", .string)), .attribute(days), .attribute(stars),
        entities[0].declaredProperties.last!,
      ]
      var special = Entity("SpecialTrip")
      special.superentity = "Trip"
      special.declaredProperties = [.attribute(Attribute("grade", .string))]
      entities.append(special)
    }
    var request = CommitRequest(Layer(), basedOn: try store.snapshot(), model: second)
    request.author = "migration"
    let after = try store.commit(request)

    let values = try #require(try after.values()["Trip 1"])
    #expect(values["name"] == .string("Rome"))
    #expect(values["dayCount"] == .integer(4))
    #expect(values["stars"] == .integer(3))
    // The table is the same: only its columns changed.
    #expect(try site.connection().texts("SELECT 'trip'::regclass::oid") == before)
    var columns: [String] = []
    try site.connection().forEachRow(
      "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'trip' ORDER BY 1",
      [PostgreSQLParameter(site.schema)]
    ) { columns.append($0[0].text) }
    #expect(columns == ["day_count", "entity", "grade", "id", "name", "stars", "version"])
    try store.close()
    #expect(try site.open().snapshot().values() == after.values())
  }

  /// The entities of the model, with a common abstract superentity.
  private func modelWithRoot() throws -> Model {
    try model { entities in
      var thing = Entity("Thing")
      thing.isAbstract = true
      thing.declaredProperties = [.attribute(Attribute("note", .string))]
      for index in entities.indices { entities[index].superentity = "Thing" }
      entities.append(thing)
    }
  }

  /// Makes a store with trip 1 and a guide with the given number.
  private func makeStore(_ site: StoreSite, guide number: UInt64) throws -> any Store {
    let store = try site.create(try model { _ in })
    try store.save { builder, base in
      for (entity, number, name) in [("Trip", 1, "Rome"), ("Guide", number, "Ada")] {
        let key = ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
        builder.insert(key)
        builder.set(.string(name), "name", of: key, base.schema)
      }
    }
    return store
  }

  @Test("Entities that get a common superentity keep their objects, in a table made anew")
  func hierarchy() throws {
    let site = try StoreSite()
    let store = try makeStore(site, guide: 7)
    let before = try store.snapshot().values()

    let after = try store.commit(
      CommitRequest(Layer(), basedOn: try store.snapshot(), model: try modelWithRoot()))

    let values = try after.values()
    #expect(values.count == before.count)
    for (object, known) in before {
      let now = try #require(values[object])
      #expect(now["note"] == .null)
      for (property, value) in known { #expect(now[property] == value) }
    }
    try store.close()
    let again = try site.open()
    #expect(try again.snapshot().values() == values)
    // No key of the former tables is given again.
    let trip = try again.snapshot().schema["Trip"]!.entityNumber
    #expect(try again.leaseKeys(ofEntity: trip, count: 1).lowerBound > 7)
    try again.close()
  }

  @Test("Entities whose objects share numbers can't get a common superentity, and nothing changes")
  func sharedNumbers() throws {
    let site = try StoreSite()
    let store = try makeStore(site, guide: 1)
    let before = try store.snapshot()

    let error = #expect(throws: StoreError.self) {
      try store.commit(CommitRequest(Layer(), basedOn: before, model: try modelWithRoot()))
    }

    #expect(error?.code == .incompatibleModel)
    #expect(error?.message.contains("the common superentity 'Thing'") == true, "\(error!)")
    #expect(try store.snapshot().commit == before.commit)
    #expect(try store.snapshot().values() == before.values())
    try store.close()
  }

  @Test("Containers over one server follow each other's saves by the history")
  func containers() async throws {
    let site = try StoreSite()
    let model = try model { _ in }
    try site.create(model).close()
    let one = try PersistentContainer(model, at: site.address, places: places)
    let other = try PersistentContainer(model, at: site.address, places: places)
    let observer = try HistoryObserver(other.coordinator)
    let updates = observer.updates()
    // The listener connects within its interval.
    try await Task.sleep(for: .seconds(1.5))
    let context = one.newBackgroundContext()
    try await context.perform {
      let trip = try context.insert("Trip")
      trip["name"] = .string("Rome")
      try context.save()
    }
    var iterator = updates.makeAsyncIterator()

    let transactions = try #require(try await iterator.next())

    #expect(transactions.count == 1)
    let names = try await other.performBackgroundTask { context in
      try context.fetch(FetchRequest<ManagedObject>("Trip")).map { $0["name"] }
    }
    #expect(names == [.string("Rome")])
  }
}
