import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

@Suite(
  "Rows that are read again after the saves of other programs",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct ReadingAgainTests {
  private static let count = 20_000
  private static let model = try! Model(entities: [
    Entity(
      "Person",
      properties: [
        .attribute(Attribute("name", .string, isOptional: false)),
        .attribute(Attribute("age", .int64, isOptional: false)),
      ])
  ])

  private func person(_ number: UInt64, in snapshot: any StoreSnapshot) -> ObjectKey {
    ObjectKey(entity: snapshot.schema["Person"]!.entityNumber, number: number)
  }

  /// Makes a store of many people.
  private func make(_ site: StoreSite) throws -> any Store {
    let store = try site.create(Self.model)
    try store.save { builder, base in
      for number in 1...UInt64(Self.count) {
        let person = person(number, in: base)
        builder.insert(person)
        builder.set(.string("person \(number)"), "name", of: person, base.schema)
        builder.set(.integer(0), "age", of: person, base.schema)
      }
    }
    return store
  }

  private func change(_ number: UInt64, to age: Int64, in store: any Store) throws {
    try store.save { builder, base in
      let person = person(number, in: base)
      let version = try base.view.row(of: person)!.version
      builder.set(.integer(age), "age", of: person, base.schema, basis: version)
    }
  }

  /// Returns a context over the store, and reads a person in it.
  private func context(
    at address: String, readingPerson number: UInt64, options: PostgreSQLStoreOptions
  ) throws -> (ManagedObjectContext, ManagedObject) {
    let places = StorePlaces(
      StoreBackends([PostgreSQLStoreBackend(options: options)]), on: RealDisk())
    let coordinator = PersistentStoreCoordinator(model: Self.model, places: places)
    try coordinator.addStore(at: address, type: .postgreSQL)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let found = try context.fetch(
      FetchRequest<ManagedObject>(
        "Person", where: try QueryPredicate("name == %@", arguments: ["person \(number)"])))
    #expect(found.count == 1)
    return (context, try #require(found.first))
  }

  @Test("A context follows another program's save without reading all rows again")
  func following() throws {
    let site = try StoreSite()
    let other = try make(site)
    let relay = try Relay(to: "\(site.server.folder)/.s.PGSQL.5432")
    defer { relay.stop() }
    let (context, person) = try context(
      at: site.address(through: relay), readingPerson: 7, options: PostgreSQLStoreOptions())
    let before = relay.byteCount

    for age in 1...5 as ClosedRange<Int64> {
      try change(7, to: age, in: other)
      try change(UInt64(1000 * age), to: age, in: other)
      context.refreshAllObjects()
      #expect(person.value(forKey: "age").map { "\($0)" } == "\(age)")
      person.setValue("person \(age)", forKey: "name")
      try context.save()
    }

    // All rows have more than a megabyte.
    #expect(relay.byteCount - before < 200_000)
    try other.close()
  }

  @Test("A snapshot without a connection reads a few rows, and takes later commits back")
  func takingBack() throws {
    let site = try StoreSite()
    var options = PostgreSQLStoreOptions()
    options.mostSnapshotConnections = 1
    let other = try make(site)
    let relay = try Relay(to: "\(site.server.folder)/.s.PGSQL.5432")
    defer { relay.stop() }
    let backend = PostgreSQLStoreBackend(options: options)
    let store = try backend.open(site.address(through: relay), on: RealDisk(), StoreOpening())
    let first = try store.snapshot()
    try change(9, to: 1, in: other)
    // The next snapshots take the connection of the first one.
    let second = try store.snapshot()
    _ = try second.view.row(of: person(1, in: second))
    try change(9, to: 2, in: other)
    let third = try store.snapshot()
    _ = try third.view.row(of: person(1, in: third))
    let before = relay.byteCount

    let ages = try [first, second, third].map {
      try $0.view.row(of: person(9, in: $0))?.value("age", in: $0)
    }

    #expect(ages == [.integer(0), .integer(1), .integer(2)])
    #expect(relay.byteCount - before < 200_000)
    try store.close()
    try other.close()
  }
}

extension ViewRow {
  fileprivate func value(_ name: String, in snapshot: any StoreSnapshot) throws -> Value {
    try value(snapshot.schema["Person"]!.columns.first { $0.name == name }!)
  }
}
