import ObjectModel
import ObjectQuery
import Rows
import Testing

@Suite("Relationships that are stored in link tables")
struct LinkTests {
  private let model: Model
  private let schema: Schema
  private let view: View

  init() throws {
    var author = Entity("Author")
    author.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(Relationship("books", to: "Book", inverse: "authors", count: .toMany)),
    ]
    var book = Entity("Book")
    book.declaredProperties = [
      .attribute(Attribute("title", .string)), .attribute(Attribute("pages", .int32)),
      .relationship(Relationship("authors", to: "Author", inverse: "books", count: .toMany)),
    ]
    model = try Model(entities: [author, book])
    schema = try Schema(model)
    let builder = LayerBuilder(schema)
    for (number, name) in ["Ada", "Grace", "Nobody"].enumerated() {
      let key = Self.key(schema, "Author", number + 1)
      builder.insert(key)
      builder.set(.string(name), column: schema["Author"]!.index(of: "name")!, of: key)
    }
    for (number, pages) in [120, 80, 300].enumerated() {
      let key = Self.key(schema, "Book", number + 1)
      builder.insert(key)
      builder.set(
        .integer(Int64(pages)), column: schema["Book"]!.index(of: "pages")!, of: key)
    }
    view = View([builder.freeze()])
  }

  private static func key(_ schema: Schema, _ entity: String, _ number: Int) -> ObjectKey {
    ObjectKey(entity: schema[entity]!.entityNumber, number: UInt64(number))
  }

  /// Returns a source in which Ada wrote the first and second book, and Grace the second and third.
  private func linked() -> ViewSource {
    let builder = LayerBuilder(schema)
    for (number, pair) in [(1, 1), (1, 2), (2, 2), (2, 3)].enumerated() {
      link(
        Self.key(schema, "Author", pair.0), Self.key(schema, "Book", pair.1), number + 1, builder)
    }
    return ViewSource(view.pushing(builder.freeze()), model: model, schema: schema)
  }

  private func link(
    _ author: ObjectKey, _ book: ObjectKey, _ number: Int, _ builder: LayerBuilder
  ) {
    let side = schema.links(of: "Author", "books")!
    let layout = side.table.layout
    let key = ObjectKey(entity: layout.entityNumber, number: UInt64(number))
    builder.insert(key)
    builder.set(.object(author), column: layout.index(ofNumber: side.owner.number)!, of: key)
    builder.set(.object(book), column: layout.index(ofNumber: side.destination.number)!, of: key)
  }

  private func find(_ entity: String, _ text: String, in source: ViewSource) throws -> [UInt64] {
    let plan = try QueryPlan(
      QueryRequest(entity, where: QueryPredicate(text)), model: model, schema: schema)
    return try plan.keys(in: source).map(\.number)
  }

  @Test(
    "Links are followed in both directions, and counted",
    arguments: [
      ("Author", "ANY books.pages > 200", [2]), ("Author", "books.@count == 2", [1, 2]),
      ("Author", "ALL books.pages < 200", [1, 3]), ("Author", "books.@sum.pages == 200", [1]),
      (
        "Author", "SUBQUERY(books, $b, $b.pages < 100 AND $b.authors.@count == 2).@count == 1",
        [1, 2]
      ),
      ("Book", "ANY authors.name == 'Ada'", [1, 2]), ("Book", "NONE authors.name == 'Ada'", [3]),
      ("Book", "authors.books.@count > 0", [1, 2, 3]),
      ("Book", "ANY authors.books.pages > 200", [2, 3]),
      ("Book", "ALL authors.books.pages < 200", [1]),
      ("Author", "NONE books.authors.name == 'Grace'", [3]),
      ("Author", "ANY books.pages == nil", []),
      ("Author", "ALL books.pages != 300", [1, 3]),
    ] as [(String, String, [UInt64])])
  func both(_ entity: String, _ text: String, _ wanted: [UInt64]) throws {
    #expect(try find(entity, text, in: linked()) == wanted)
  }

  @Test("Links to a removed object lead to no value, and to no further object")
  func dangling() throws {
    let below = linked()
    let builder = LayerBuilder(schema)
    builder.remove(Self.key(schema, "Book", 3))
    let source = ViewSource(below.view.pushing(builder.freeze()), model: model, schema: schema)
    for (text, wanted) in [
      ("ANY books.pages == nil", [2]), ("ALL books.pages > 10", [1, 3]),
      ("ANY books.pages > 10", [1, 2]), ("ALL books.pages != nil", [1, 3]),
      ("ANY books.authors.name == nil", []), ("ALL books.authors.name BEGINSWITH 'G'", [3]),
      ("books.authors.@count == 3", [1]), ("books.authors.@count == 2", [2]),
    ] as [(String, [UInt64])] {
      let predicate = try QueryPredicate(text)
      let found = try find("Author", text, in: source)
      let compiled = try CompiledPredicate(
        predicate, entity: "Author", model: model, schema: schema)
      let asked = try (1...3).filter {
        try compiled.holds(for: Self.key(schema, "Author", $0), in: source)
      }
      #expect(asked.map { UInt64($0) } == wanted, "one by one: \(text)")
      #expect(found == wanted, "scan: \(text)")
    }
  }

  @Test("A scan sees links that an upper layer inserts and removes")
  func changed() throws {
    let below = linked()
    let builder = LayerBuilder(schema)
    let table = try #require(schema.links(of: "Book", "authors")).table
    // In this layer Ada did not write the second book, and the author Nobody wrote the third.
    builder.remove(ObjectKey(entity: table.layout.entityNumber, number: 2))
    link(Self.key(schema, "Author", 3), Self.key(schema, "Book", 3), 9, builder)
    // A link that two writers inserted counts once.
    link(Self.key(schema, "Author", 3), Self.key(schema, "Book", 3), 10, builder)

    let source = ViewSource(
      below.view.pushing(builder.freeze()), model: model, schema: schema)

    #expect(try find("Author", "books.@count == 1", in: source) == [1, 3])
    #expect(try find("Book", "ANY authors.name == 'Ada'", in: source) == [1])
    #expect(try find("Book", "ANY authors.name == 'Nobody'", in: source) == [3])
  }
}

@Suite("Links within one entity, ordered links, and links without an inverse")
struct SpecialLinkTests {
  private let model: Model
  private let schema: Schema

  init() throws {
    var person = Entity("Person")
    person.declaredProperties = [
      .relationship(Relationship("friends", to: "Person", inverse: "friends", count: .toMany)),
      .relationship(
        Relationship(
          "heroes", to: "Person", inverse: "admirers", count: .toMany, isOrdered: true)),
      .relationship(Relationship("admirers", to: "Person", inverse: "heroes", count: .toMany)),
      .relationship(Relationship("visited", to: "City", count: .toMany, isOrdered: true)),
    ]
    model = try Model(entities: [
      person, Entity("Hermit", superentity: "Person"), Entity("City"),
    ])
    schema = try Schema(model)
  }

  private func key(_ entity: String, _ number: UInt64) -> ObjectKey {
    ObjectKey(entity: schema[entity]!.entityNumber, number: number)
  }

  @Test("Each relationship has a link table, which subentities share")
  func tables() throws {
    // The first relationship by name gives the table its direction.
    #expect(
      schema.linkTables.map(\.layout.entity)
        == ["Person.admirers", "Person.friends", "Person.visited"])
    #expect(schema.linkTables.map(\.isSymmetric) == [false, true, false])
    #expect(schema.links(of: "Hermit", "friends") == schema.links(of: "Person", "friends"))
    #expect(schema.links(of: "Person", "heroes")?.isForward == false)
    #expect(schema.links(of: "City", "friends") == nil)
    #expect(schema.links(of: "Person", "visited")?.order?.name == "target#order")
  }

  @Test("Links are read in order, and in both directions if a relationship is its own inverse")
  func reading() throws {
    let builder = LayerBuilder(schema)
    for number in 1...4 as ClosedRange<UInt64> { builder.insert(key("Person", number)) }
    builder.insert(key("Hermit", 1))
    for number in 1...3 as ClosedRange<UInt64> { builder.insert(key("City", number)) }
    var next: [UInt16: UInt64] = [:]
    func link(_ name: String, _ from: ObjectKey, _ to: ObjectKey, place: Int64 = 0) {
      let side = schema.links(of: "Person", name)!
      let layout = side.table.layout
      next[layout.entityNumber, default: 0] += 1
      let key = ObjectKey(entity: layout.entityNumber, number: next[layout.entityNumber]!)
      builder.insert(key)
      builder.set(.object(from), column: layout.index(ofNumber: side.owner.number)!, of: key)
      builder.set(.object(to), column: layout.index(ofNumber: side.destination.number)!, of: key)
      if let order = side.order {
        builder.set(.integer(place), column: layout.index(ofNumber: order.number)!, of: key)
      }
    }
    link("friends", key("Person", 1), key("Person", 2))
    link("friends", key("Hermit", 1), key("Person", 1))
    link("friends", key("Person", 3), key("Person", 3))
    link("heroes", key("Person", 1), key("Person", 4), place: 1)
    link("heroes", key("Person", 1), key("Person", 2), place: 2)
    link("heroes", key("Person", 1), key("Person", 3), place: 0)
    link("visited", key("Person", 2), key("City", 3), place: 5)
    link("visited", key("Person", 2), key("City", 1), place: 7)
    link("visited", key("Person", 2), key("City", 2), place: 6)
    let source = ViewSource(View([builder.freeze()]), model: model, schema: schema)

    func related(_ object: ObjectKey, _ name: String) throws -> [ObjectKey] {
      try source.objects(
        relatedTo: object, through: #require(ToManyRelationship(name, of: "Person", model, schema)))
    }

    #expect(try related(key("Person", 1), "friends") == [key("Person", 2), key("Hermit", 1)])
    #expect(try related(key("Hermit", 1), "friends") == [key("Person", 1)])
    #expect(try related(key("Person", 3), "friends") == [key("Person", 3)])
    #expect(
      try related(key("Person", 1), "heroes")
        == [key("Person", 3), key("Person", 4), key("Person", 2)])
    #expect(try related(key("Person", 4), "admirers") == [key("Person", 1)])
    #expect(
      try related(key("Person", 2), "visited") == [key("City", 3), key("City", 2), key("City", 1)])
    #expect(try related(key("Person", 1), "visited").isEmpty)
  }

  @Test("A table keeps its number and direction when relationships are renamed")
  func evolving() throws {
    var person = Entity("Person")
    var friends = Relationship("aFriends", to: "Person", inverse: "aFriends", count: .toMany)
    friends.renamingIdentifier = "friends"
    var heroes = Relationship(
      "aHeroes", to: "Person", inverse: "admirers", count: .toMany, isOrdered: true)
    heroes.renamingIdentifier = "heroes"
    person.declaredProperties = [
      .relationship(friends), .relationship(heroes),
      .relationship(Relationship("admirers", to: "Person", inverse: "aHeroes", count: .toMany)),
    ]
    let next = try Schema(
      Model(entities: [person, Entity("Hermit", superentity: "Person"), Entity("City")]),
      evolving: schema)

    let before = try #require(schema.links(of: "Person", "heroes"))
    let after = try #require(next.links(of: "Person", "aHeroes"))
    #expect(after.table.layout.entityNumber == before.table.layout.entityNumber)
    #expect(after.isForward == before.isForward)
    #expect(after.order == before.order)
    #expect(next.linkTables.count == 2)
    #expect(
      next.highestEntityNumber == schema.highestEntityNumber,
      "What stayed has its numbers, indexes too.")
  }
}
