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
  "The values in PostgreSQL tables",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct ValueTests {
  private static let types: [(name: String, type: AttributeType, values: [Value])] = [
    ("flag", .boolean, [.boolean(true), .boolean(false)]),
    ("small", .int16, [.integer(-32768), .integer(32767)]),
    ("medium", .int32, [.integer(.init(Int32.min)), .integer(.init(Int32.max))]),
    ("large", .int64, [.integer(.min), .integer(.max)]),
    (
      "ratio", .float,
      [.float(.leastNonzeroMagnitude), .float(-0.0), .float(-.infinity), .float(0.1)]
    ),
    (
      "real", .double,
      ([-0.0, .nan, .infinity, 0.1 + 0.2, .leastNonzeroMagnitude] as [Double]).map { .double($0) }
    ),
    (
      "money", .decimal,
      [
        "-12345678901234567890123456789.0123456789", "0", "1e127", "1e-128", "100", "-0.5",
        "99999999999999999999999999999999999999", "10000", "12340000", "0.00010203",
      ].map { .decimal(Decimal(string: $0)!) } + [.decimal(.nan)]
    ),
    (
      "name", .string,
      [
        "", "\0", "\u{1}", "\u{1}\u{1}", "\u{1}\u{2}", "a\0b", "e\u{301}", "\u{10FFFF}", "'\"\\",
        "$1; DROP TABLE quire_store; --",
      ].map { .string($0) }
    ),
    ("link", .uri, [.uri("urn:x:1"), .uri("\0\u{1}")]),
    ("bytes", .binary, [.binary(Data()), .binary(Data([0, 255, 10]))]),
    ("token", .uuid, [.uuid(UUID())]),
    (
      "when", .date,
      [-1e10, 0.1, 0, .greatestFiniteMagnitude].map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    ),
  ]

  static func model() throws -> Model {
    var thing = Entity("Thing")
    thing.declaredProperties = types.map { .attribute(Attribute($0.name, $0.type)) }
    return try Model(entities: [thing])
  }

  @Test("Every value comes back to the last bit, written by arrays, by COPY and by an update")
  func values() throws {
    let site = try StoreSite()
    var store = try site.create(Self.model())
    let count = Self.types.map(\.values.count).max()!
    // More rows than a statement with arrays takes.
    let copies: [UInt64] = [0, 1000, 2000, 3000]
    let schema = try store.snapshot().schema
    func set(_ builder: LayerBuilder, _ key: ObjectKey, _ index: Int, _ basis: Int64 = 0) {
      for (name, _, values) in Self.types where index < values.count {
        builder.set(values[index], name, of: key, schema, basis: basis)
      }
    }
    let entity = try #require(try store.snapshot().schema["Thing"]).entityNumber
    func key(_ index: Int, _ copy: UInt64) -> ObjectKey {
      ObjectKey(entity: entity, number: copy + UInt64(index) + 1)
    }
    try store.save { builder, _ in
      for index in 0..<count {
        builder.insert(key(index, 0))
        set(builder, key(index, 0), index)
      }
    }
    try store.save { builder, _ in
      for copy in copies.dropFirst() {
        for index in 0..<count {
          builder.insert(key(index, copy))
          if copy != 3000 { set(builder, key(index, copy), index) }
        }
      }
    }
    try store.save { builder, base in
      for index in 0..<count { set(builder, key(index, 3000), index, base.commit) }
    }
    try store.close()
    store = try site.open()

    let snapshot = try store.snapshot()
    for copy in copies {
      for index in 0..<count {
        let row = try #require(try snapshot.view.row(of: key(index, copy)))
        for (name, _, values) in Self.types where index < values.count {
          let layout = snapshot.schema["Thing"]!
          let found = try row.value(layout.columns[layout.index(of: name)!])
          let isIdentical = found.isIdentical(to: values[index])
          #expect(isIdentical, "\(name) \(index) in copy \(copy)")
        }
      }
    }
    try store.close()
  }

  @Test("Columns have native types, comments, and a view shows dates as timestamps")
  func nativeTypes() throws {
    let site = try StoreSite()
    let store = try site.create(Self.model())
    try store.save { builder, base in
      let key = ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: 1)
      builder.insert(key)
      builder.set(
        .date(Date(timeIntervalSinceReferenceDate: 86_400.5)), "when", of: key, base.schema)
    }
    let connection = try site.connection()
    var types: [String: String] = [:]
    try connection.forEachRow(
      "SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'thing'",
      [PostgreSQLParameter(site.schema)]
    ) { types[$0[0].text] = $0[1].text }

    #expect(
      types == [
        "id": "bigint", "entity": "integer", "version": "bigint", "flag": "boolean",
        "small": "smallint", "medium": "integer", "large": "bigint", "ratio": "real",
        "real": "double precision", "money": "numeric", "name": "text", "link": "text",
        "bytes": "bytea", "token": "uuid", "when": "double precision",
      ])
    try connection.execute("SET timezone TO 'UTC'")
    #expect(
      try connection.texts("SELECT \"when\" FROM thing_with_dates")
        == [["2001-01-02 00:00:00.5+00"]])
    #expect(
      try connection.texts("SELECT obj_description('thing'::regclass)")
        == [["Objects of Thing"]])
    try store.close()
  }

  @Test("Names that need quoting are only names")
  func hostileNames() throws {
    let names = [
      "Robert'); DROP TABLE quire_store; --", "select", "a\"b", "a.b", "Ünïcode",
      String(repeating: "long", count: 40), String(repeating: "long", count: 40) + "er", "id",
      "version", "entity", "quireStore", "$1", "camelCase", "camel_case",
    ]
    // The names of a model consist of letters, digits and underscores.
    func plain(_ name: String) -> String {
      "n" + name.filter { $0.isLetter || $0 == "_" || $0.isNumber }
    }
    var entities: [Entity] = []
    for name in names {
      var entity = Entity("E" + plain(name) + "\(entities.count)")
      if ["select", "quireStore"].contains(name) { entity.name = name.capitalized }
      entity.declaredProperties = names.enumerated().map {
        let isWord = ["id", "version", "entity", "select"].contains($1)
        return .attribute(Attribute(isWord ? $1 : "\(plain($1))\($0)", .string))
      }
      entities.append(entity)
    }
    let model = try Model(entities: entities)
    let site = try StoreSite(schema: "x'\"; DROP SCHEMA public; -- ü")
    let store = try site.create(model)
    try store.save { builder, base in
      for layout in base.schema.layouts {
        let key = ObjectKey(entity: layout.entityNumber, number: 1)
        builder.insert(key)
        for column in layout.columns {
          builder.set(.string(column.name), column.name, of: key, base.schema)
        }
      }
    }
    let values = try store.snapshot().values()
    try store.close()
    #expect(values.count == names.count)
    #expect(try site.open().snapshot().values() == values)
    #expect(values.values.allSatisfy { $0.allSatisfy { $1 == .string($0) } })
  }

  @Test("Entities with the names of types and functions of the server are only tables")
  func namesOfTypes() throws {
    var entities: [Entity] = []
    for name in [
      "Text", "Uuid", "Bytea", "Int8", "Numeric", "Bool", "Regclass", "Float8", "Unnest", "Oid",
    ] {
      var entity = Entity(name)
      entity.declaredProperties =
        Self.types.map { .attribute(Attribute($0.name, $0.type)) } + [
          .relationship(Relationship("others", to: "Text", count: .toMany))
        ]
      entities.append(entity)
    }
    let site = try StoreSite()
    let store = try site.create(Model(entities: entities))
    for _ in 0..<2 {
      try store.save { builder, base in
        for layout in base.schema.layouts {
          let lease = try store.leaseKeys(ofEntity: layout.entityNumber, count: 40)
          for number in lease {
            let key = ObjectKey(entity: layout.entityNumber, number: number)
            builder.insert(key)
            for (name, _, values) in Self.types {
              builder.set(values[0], name, of: key, base.schema)
            }
          }
        }
      }
    }
    let values = try store.snapshot().values()
    try store.close()
    #expect(values.count == 80 * entities.count)
    #expect(try site.open().snapshot().values().count == values.count)
    #expect(
      values.values.allSatisfy { $0["name"] == .string("") && $0["small"] == .integer(-32768) })
  }

  @Test("A row that can't be read does not hide the rows beside it")
  func damageIsLocal() throws {
    let site = try StoreSite()
    let store = try site.create(Self.model())
    let entity = try #require(try store.snapshot().schema["Thing"]).entityNumber
    try store.save { builder, _ in
      for number in [7, 100, 5000] as [UInt64] {
        builder.insert(ObjectKey(entity: entity, number: number))
      }
    }
    try store.close()
    try site.connection().execute("UPDATE thing SET name = chr(1) WHERE id = 7")
    let again = try site.open()
    let snapshot = try again.snapshot()

    #expect(throws: StoreError.self) {
      _ = try snapshot.view.row(of: ObjectKey(entity: entity, number: 7))
    }
    for number in [100, 5000] as [UInt64] {
      let row = try snapshot.view.row(of: ObjectKey(entity: entity, number: number))
      #expect(row != nil)
    }
    try again.close()
  }

  @Test("A row that was changed by hand to something impossible is reported with its place")
  func damagedRows() throws {
    let site = try StoreSite()
    let store = try site.create(Self.model())
    try store.save { builder, base in
      builder.insert(ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: 7))
    }
    try store.close()
    let connection = try site.connection()
    for (change, words) in [
      ("UPDATE thing SET name = chr(1) || 'x'", "thing, row 7, column name"),
      ("UPDATE thing SET name = NULL, money = 'Infinity'", "thing, row 7, column money"),
      ("UPDATE thing SET money = ('1' || repeat('7', 60))::numeric", "thing, row 7, column money"),
      ("UPDATE thing SET money = NULL, version = -3", "thing, row 7, column version"),
      (
        """
        DROP VIEW thing_with_dates; ALTER TABLE thing ALTER COLUMN flag TYPE text; \
        UPDATE thing SET version = 1, flag = 'yes'
        """, "column flag"
      ),
      ("ALTER TABLE thing DROP COLUMN flag", "thing, column flag"),
      (
        "ALTER TABLE thing ADD flag boolean, ALTER COLUMN large TYPE double precision",
        "thing, column large"
      ),
      ("DROP TABLE thing", "thing: The table does not exist"),
    ] {
      try connection.execute(change)
      let error = #expect(throws: StoreError.self) {
        let store = try site.open()
        defer { try? store.close() }
        _ = try store.snapshot().values()
      }
      #expect("\(error!)".contains(words), "\(error!)")
    }
  }
}
