import DurableFiles
import ObjectModel
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

@Suite(
  "Copies of large stores to a server",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct CopyingTests {
  @Test("An early object may refer to a later table, although the tables have foreign keys")
  func foreignKeys() throws {
    let model = try Model(entities: [
      Entity(
        "Person",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("team", to: "Team", inverse: "people")),
          .relationship(Relationship("leads", to: "Team", inverse: "captain")),
        ]),
      Entity(
        "Team",
        properties: [
          .relationship(Relationship("people", to: "Person", inverse: "team", count: .toMany)),
          .relationship(Relationship("captain", to: "Person", inverse: "leads")),
        ]),
    ])
    let source = try MemoryStore(model)
    try source.save { builder, base in
      func key(_ entity: String, _ number: UInt64) -> ObjectKey {
        ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
      }
      let person = base.schema["Person"]!
      for number in 1...70_000 as ClosedRange<UInt64> { builder.insert(key("Person", number)) }
      builder.insert(key("Team", 1))
      for (number, name) in [(1, "team"), (70_000, "leads")] as [(UInt64, String)] {
        builder.set(
          .object(key("Team", 1)), column: person.index(of: name)!, of: key("Person", number))
      }
      builder.set(
        .object(key("Person", 70_000)), column: base.schema["Team"]!.index(of: "captain")!,
        of: key("Team", 1))
    }
    let site = try StoreSite()
    let store = try site.create(model)

    let report = try StoreCopy(from: source.snapshot(), to: store).run()

    #expect(report.objectCount == 70_001 && report.lostReferenceCount == 0)
    let copy = try store.snapshot()
    let person = copy.schema["Person"]!
    for (number, name) in [(1, "team"), (70_000, "leads")] as [(UInt64, String)] {
      let value = try copy.view.value(
        of: ObjectKey(entity: person.entityNumber, number: number),
        column: person.columns[person.index(of: name)!])
      #expect(
        value == .object(ObjectKey(entity: copy.schema["Team"]!.entityNumber, number: 1)), "\(name)"
      )
    }
    try store.close()
  }
}
