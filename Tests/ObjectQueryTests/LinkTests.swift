import ObjectModel
import ObjectQuery
import Rows
import Testing

@Suite("Relationships that follow from no column")
struct LinkTests {
  private let model: Model
  private let schema: Schema
  private let view: View

  init() throws {
    var author = Entity("Author")
    author.properties = [
      .attribute(Attribute("name", .string)),
      .relationship(Relationship("books", to: "Book", inverse: "authors", count: .toMany)),
    ]
    var book = Entity("Book")
    book.properties = [
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

  /// Ada wrote the first and the second book, Grace the second and the third.
  private func linked() -> ViewSource {
    let pairs = [(1, 1), (1, 2), (2, 2), (2, 3)]
    let schema = schema
    return ViewSource(view, model: model, schema: schema) { key, relationship in
      relationship.name == "books"
        ? pairs.filter { $0.0 == key.number }.map { Self.key(schema, "Book", $0.1) }
        : pairs.filter { $0.1 == key.number }.map { Self.key(schema, "Author", $0.0) }
    }
  }

  private func find(_ entity: String, _ text: String, in source: ViewSource) throws -> [UInt64] {
    let plan = try QueryPlan(
      FetchRequest(entity, where: QueryPredicate(text)), model: model, schema: schema)
    return try plan.keys(in: source).map(\.number)
  }

  @Test(
    "Both ways, and counted",
    arguments: [
      ("Author", "ANY books.pages > 200", [2]), ("Author", "books.@count == 2", [1, 2]),
      ("Author", "ALL books.pages < 200", [1, 3]), ("Author", "books.@sum.pages == 200", [1]),
      (
        "Author", "SUBQUERY(books, $b, $b.pages < 100 AND $b.authors.@count == 2).@count == 1",
        [1, 2]
      ),
      ("Book", "ANY authors.name == 'Ada'", [1, 2]), ("Book", "NONE authors.name == 'Ada'", [3]),
      ("Book", "authors.books.@count > 0", [1, 2, 3]),
    ] as [(String, String, [UInt64])])
  func both(_ entity: String, _ text: String, _ wanted: [UInt64]) throws {
    #expect(try find(entity, text, in: linked()) == wanted)
  }

  @Test("Without anybody to ask, an error and no wrong answer")
  func nobody() throws {
    let source = ViewSource(view, model: model, schema: schema)
    let error = #expect(throws: QueryError.self) {
      try find("Author", "ANY books.pages > 200", in: source)
    }
    #expect(error?.code == .notSupported)
    #expect(error?.message.contains("Author.books") == true)
  }
}
