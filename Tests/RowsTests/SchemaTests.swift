import Foundation
import ObjectModel
import Rows
import SeededRandom
import Testing

@Suite("Schemas number the entities and properties of a model")
struct SchemaTests {
  private func model(_ attributes: [Attribute]) throws -> Model {
    try Model(entities: [Entity("Thing", properties: attributes.map { .attribute($0) })])
  }

  @Test("Entities are numbered depth first, siblings by name regardless of case")
  func order() throws {
    let model = try Model(entities: [
      Entity("zebra", superentity: "Animal"), Entity("Ant", superentity: "Animal"),
      Entity("Animal", isAbstract: true), Entity("City"),
    ])
    let schema = try Schema(model)
    #expect(schema.layouts.map(\.entity) == ["Animal", "Ant", "zebra", "City"])
    #expect(schema.layouts.map(\.entityNumber) == [1, 2, 3, 4])
  }

  @Test("An inherited property has one number in the whole family")
  func inheritance() throws {
    let model = try Model(entities: [
      Entity("Base", properties: [.attribute(Attribute("name", .string))]),
      Entity("A", superentity: "Base", properties: [.attribute(Attribute("size", .int16))]),
      Entity("B", superentity: "Base", properties: [.attribute(Attribute("size", .int32))]),
    ])
    let schema = try Schema(model)
    let numbers = schema.layouts.map { layout in layout.columns.map(\.number) }
    #expect(numbers == [[1], [1, 2], [1, 3]])
    #expect(schema["B"]?.columns.map(\.name) == ["name", "size"])
  }

  @Test("A to-one has a column, an ordered inverse a position, a to-many only a number")
  func relationships() throws {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .relationship(
            Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true))
        ]),
      Entity(
        "Stop", properties: [.relationship(Relationship("trip", to: "Trip", inverse: "stops"))]),
    ])
    let schema = try Schema(model)
    #expect(schema["Stop"]?.columns.map(\.name) == ["trip", "trip#order"])
    #expect(schema["Stop"]?.columns.map(\.kind) == [.reference, .int64])
    #expect(schema["Trip"]?.columns.isEmpty == true)
    #expect(schema.relationshipNumbers["Trip"] == ["stops": 1])
  }

  @Test(
    "Columns are found by name and by number in any order, and duplicates are refused",
    arguments: [["a", "b", "c", "d"], ["d", "a", "c", "b"]], [[1, 2, 3, 9], [9, 2, 3, 1]])
  func positions(_ names: [String], _ numbers: [UInt16]) throws {
    func columns(_ names: [String], _ numbers: [UInt16]) -> [LayoutColumn] {
      zip(names, numbers).map { LayoutColumn(number: $1, name: $0, kind: .int64) }
    }
    let layout = try #require(
      Layout(checking: "Thing", entityNumber: 1, columns: columns(names, numbers)))

    #expect(names.map { layout.index(of: $0) } == [0, 1, 2, 3])
    #expect(numbers.map { layout.index(ofNumber: $0) } == [0, 1, 2, 3])
    #expect(["", "aa", "e"].allSatisfy { layout.index(of: $0) == nil })
    #expect([0, 4, 10].allSatisfy { layout.index(ofNumber: $0) == nil })
    let twice = [columns(["a"] + names, [0] + numbers), columns(["x"] + names, [9] + numbers)]
    #expect(
      twice.allSatisfy { Layout(checking: "Thing", entityNumber: 1, columns: $0) == nil })
  }

  @Test("A part of composites has a path of at most 65535 bytes", arguments: [64, 66])
  func deepComposites(_ depth: Int) throws {
    let name = String(repeating: "n", count: 1000)
    func part(_ level: Int) -> Attribute {
      level == depth
        ? Attribute(name, .string) : Attribute(name, .composite, compositeName: "C\(level)")
    }
    let model = try Model(
      Model.Description(
        entities: [Entity("Thing", properties: [.attribute(part(0))])],
        composites: (0..<depth).map { CompositeType("C\($0)", attributes: [part($0 + 1)]) }))

    if depth == 64 {
      let schema = try Schema(model)
      #expect(schema["Thing"]?.columns.map(\.name.utf8.count) == [65 * 1001 - 1])
      #expect(try SchemaCoding.read(SchemaCoding.bytes(schema), at: 0) == schema)
    } else {
      #expect(throws: SchemaError.self) { try Schema(model) }
    }
  }

  @Test("Composite attributes have a column for each part")
  func composites() throws {
    let model = try Model(
      Model.Description(
        entities: [
          Entity(
            "Person",
            properties: [
              .attribute(Attribute("home", .composite, compositeName: "Address"))
            ])
        ],
        composites: [
          CompositeType(
            "Address", attributes: [Attribute("street", .string), Attribute("zip", .int32)])
        ]))
    #expect(try Schema(model)["Person"]?.columns.map(\.name) == ["home.street", "home.zip"])
  }

  @Test("Blocks are read through newer layouts: added, dropped, renamed, widened")
  func evolution() throws {
    let old = try Schema(
      model([
        Attribute("age", .int16), Attribute("gone", .string), Attribute("nick", .string),
        Attribute("share", .float),
      ]))
    let draft = Draft(old["Thing"]!, role: .insertions)
    for row in 0..<5 {
      draft.append(key: UInt64(row + 1))
      draft.set(.integer(Int64(row)), column: 0, row: row)
      draft.set(.string("gone"), column: 1, row: row)
      draft.set(row == 2 ? .null : .string("n\(row)"), column: 2, row: row)
      draft.set(.float(0.1), column: 3, row: row)
    }
    let block = try #require(draft.freeze().first)

    let new = try Schema(
      model([
        Attribute("age", .int64), Attribute("alias", .string, renamingIdentifier: "nick"),
        Attribute("share", .double),
        Attribute("state", .string, isOptional: false, defaultValue: .string("new")),
      ]), evolving: old)

    let layout = new["Thing"]!
    #expect(layout.entityNumber == old["Thing"]!.entityNumber)
    let columns = try layout.columns.map { try #require(try block.column($0)) }
    #expect(columns.map(\.kind) == [.int64, .string, .double, .string])
    #expect((0..<5).map { columns[0].value(at: $0) } == (0..<5).map { .integer($0) })
    #expect(columns[1].value(at: 2) == .null && columns[1].string(at: 4) == "n4")
    #expect(columns[2].double(at: 0) == Double(Float(0.1)))
    #expect((0..<5).allSatisfy { columns[3].string(at: $0) == "new" })
    let numbers = Set(old["Thing"]!.columns.map(\.number))
    #expect(!numbers.contains(layout.columns[3].number), "A number is never used again.")
    let later = try Schema(model([Attribute("gone", .string)]), evolving: new)
    #expect(!numbers.contains(later["Thing"]!.columns[0].number))
  }

  @Test("A property that changes to a kind that can't hold its values gets a new number")
  func incompatible() throws {
    let old = try Schema(model([Attribute("it", .string)]))
    let new = try Schema(model([Attribute("it", .int32)]), evolving: old)
    #expect(old["Thing"]!.columns[0].number == 1)
    #expect(new["Thing"]!.columns[0].number == 2)
  }

  @Test(
    "A kind that widens in two steps widens in one, since rows stay as they are while a model changes twice"
  )
  func wideningTwice() {
    for one in ColumnKind.allCases {
      for two in ColumnKind.allCases where one.widens(to: two) {
        for three in ColumnKind.allCases where two.widens(to: three) {
          #expect(one.widens(to: three), "\(one), \(two), \(three)")
        }
      }
    }
  }

  @Test(
    "Every widening keeps every value",
    arguments: ColumnKind.allCases.flatMap { from in
      ColumnKind.allCases.filter { from != $0 && from.widens(to: $0) }.map { (from, $0) }
    })
  func widening(_ from: ColumnKind, _ to: ColumnKind) throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let layout = Layout(
      entity: "One", entityNumber: 1, columns: [LayoutColumn(number: 1, name: "it", kind: from)])
    let (draft, rows) = Sample.insertions(100, layout: layout, using: &generator)

    let block = try #require(draft.freeze().first)
    let column = try #require(try block.column(1, as: to))

    #expect(column.kind == to)
    for (row, given) in rows.enumerated() {
      #expect(
        (given.values[0] == .null) == (column.value(at: row) == .null), "row \(row), seed \(seed)")
      switch (given.values[0], column.value(at: row)) {
      case (.integer(let a), .integer(let b)): #expect(a == b)
      case (.boolean(let a), .integer(let b)): #expect((a ? 1 : 0) == b)
      case (.boolean(let a), .float(let b)): #expect((a ? 1 : 0) == b)
      case (.boolean(let a), .double(let b)): #expect((a ? 1 : 0) == b)
      case (.boolean(let a), .decimal(let b)): #expect((a ? 1 : 0) == b)
      case (.integer(let a), .float(let b)): #expect(Float(a) == b)
      case (.integer(let a), .double(let b)): #expect(Double(a) == b)
      case (.float(let a), .double(let b)): #expect(Double(a).bitPattern == b.bitPattern)
      case (.integer(let a), .decimal(let b)): #expect(Decimal(a) == b)
      case (.uri(let a), .string(let b)): #expect(a == b)
      case (.string(let a), .binary(let b)), (.uri(let a), .binary(let b)):
        #expect(Data(a.utf8) == b)
      case (.uuid(let a), .binary(let b)): #expect(withUnsafeBytes(of: a.uuid) { Data($0) } == b)
      case (.null, .null): break
      default: Issue.record("\(given.values[0]) became \(column.value(at: row)).")
      }
    }
  }
}
