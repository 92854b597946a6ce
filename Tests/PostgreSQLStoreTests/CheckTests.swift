import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

@Suite(
  "The rules of PostgreSQL stores",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct CheckTests {
  private func site() throws -> StoreSite {
    var animal = Entity("Animal")
    animal.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(
        Relationship("friend", to: "Animal", inverse: "friendOf", inverseEntity: "Animal")),
      .relationship(
        Relationship(
          "friendOf", to: "Animal", inverse: "friend", inverseEntity: "Animal", count: .toMany)),
    ]
    var cat = Entity("Cat")
    cat.superentity = "Animal"
    let site = try StoreSite()
    let store = try site.create(Model(entities: [animal, cat]))
    let schema = try store.snapshot().schema
    let one = ObjectKey(entity: schema["Animal"]!.entityNumber, number: 1)
    let two = ObjectKey(entity: schema["Cat"]!.entityNumber, number: 2)
    try store.save { builder, _ in
      builder.insert(one)
      builder.insert(two)
      builder.set(.object(two), "friend", of: one, schema)
      builder.set(.string("\u{1}\0"), "name", of: one, schema)
    }
    try store.save { builder, _ in
      builder.set(.string("Tom"), "name", of: two, schema, basis: 1)
    }
    try store.close()
    return site
  }

  private func findings(_ site: StoreSite) throws -> [Finding] {
    let check = try site.backend.check(site.address, on: RealDisk(), model: nil) { _ in }
    return try #require(check).findings.kept
  }

  @Test("A store that was not changed by hand follows all rules")
  func whole() throws {
    let site = try site()
    let check = try site.backend.check(site.address, on: RealDisk(), model: nil) { _ in }

    #expect(check?.findings.kept.map(\.description) == [])
    #expect(check?.rowCount == 2)
    #expect(check?.hasReadableObjects == true)
  }

  @Test(
    "Each rule is broken by one change",
    arguments: [
      ("PGSQ-001", "UPDATE quire_model SET model = '\\x00'"),
      ("PGSQ-002", "DROP TABLE animal CASCADE"),
      ("PGSQ-003", "ALTER TABLE animal ALTER COLUMN friend_entity TYPE bigint"),
      (
        "PGSQ-004",
        """
        UPDATE quire_key SET last = 1 << 30; ALTER TABLE animal DROP CONSTRAINT animal_id_check; \
        INSERT INTO animal (id, entity, version) SELECT -1, entity, 1 FROM animal WHERE id = 1
        """
      ),
      ("PGSQ-005", "UPDATE animal SET entity = 77 WHERE id = 1"),
      ("PGSQ-006", "UPDATE animal SET version = 3 WHERE id = 1"),
      ("PGSQ-007", "UPDATE quire_key SET last = 1"),
      ("PGSQ-008", "UPDATE animal SET friend_entity = entity WHERE id = 1"),
      ("PGSQ-009", "UPDATE animal SET name = chr(1) || 'x' WHERE id = 1"),
      ("PGSQ-010", "DELETE FROM quire_commit WHERE number = 2"),
      ("PGSQ-011", "UPDATE quire_before SET bytes = '\\x1234' WHERE commit = 2"),
      ("PGSQ-012", "DELETE FROM quire_table"),
    ])
  func broken(rule: String, change: String) throws {
    let site = try site()
    try site.connection().execute(change)

    let found = Set(try findings(site).map(\.rule.id))

    #expect(found.contains(rule), "\(found)")
    #expect(found.count <= 2, "\(found)")
    #expect(try site.backend.rules().contains { $0.id == rule })
  }
}
