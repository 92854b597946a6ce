import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import TestEffort
import Testing

@Suite("Sorting by relevance")
struct RelevanceOrderTests {
  /// The same objects without their indexes.
  private struct Unindexed: QuerySource {
    let source: ViewSource
    var model: Model { source.model }
    var schema: Schema { source.schema }
    func batches(of layout: Layout) throws -> [RowBatch] { try source.batches(of: layout) }
    func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }
    func objects(
      relatedTo key: ObjectKey, through relationship: ToManyRelationship
    ) throws -> [ObjectKey] { try source.objects(relatedTo: key, through: relationship) }
  }

  /// A predicate, and its comparisons that count, with the words of each as the naive computation takes them.
  struct Query: Sendable, CustomTestStringConvertible {
    let predicate: String
    let parts: [(field: String, terms: [String])]
    var testDescription: String { predicate }

    init(_ predicate: String, _ parts: KeyValuePairs<String, String>) {
      self.predicate = predicate
      self.parts = parts.map { ($0, $1.split(separator: " ").map(String.init)) }
    }
  }

  static let queries = [
    Query("body TEXT 'quick fox'", ["body": "quick fox"]),
    Query("body TEXT 'qui* fox -dog'", ["body": "qui* fox"]),
    Query("body TEXT '\"brown fox\" brown'", ["body": "brown fox"]),
    Query("body TEXT 'lazy' OR title TEXT 'lazy dog'", ["body": "lazy", "title": "lazy dog"]),
    Query("title TEXT 'fox' AND body TEXT 'fox dog'", ["title": "fox", "body": "fox dog"]),
    Query(
      "author.name TEXT 'ada' OR body TEXT 'brown'", ["author.name": "ada", "body": "brown"]),
    Query("body TEXT 'fox' AND NOT title TEXT 'quick' AND size > 3", ["body": "fox"]),
    Query("body TEXT 'word3*' OR size == 3", ["body": "word3*"]),
    Query("body TEXT 'word7'", ["body": "word7"]),
    Query("body TEXT 'unheard'", ["body": "unheard"]),
    // An index of titles contains all values of this predicate, but not the order.
    Query("title BEGINSWITH 'lazy' AND title TEXT 'quick'", ["title": "quick"]),
    Query("body TEXT 'fox' AND body TEXT 'fox'", ["body": "fox", "body": "fox"]),
  ]

  @Test(
    "The order is that of scores computed naively, with an index and without", arguments: queries)
  func naive(_ query: Query) throws {
    for seed in Effort.seeds(12) {
      let world = try NoteWorld(seed)
      var random = SeededGenerator(seed: seed)
      for more in [[], [SortKey("title"), SortKey("size")], [SortKey("size", ascending: false)]] {
        let isAscending = Bool.random(using: &random)
        let name = Bool.random(using: &random) ? "relevance" : SortKey.relevance.path
        var request = QueryRequest(
          Bool.random(using: &random) ? "Note" : "Letter",
          where: try QueryPredicate(query.predicate),
          sortedBy: [SortKey(name, ascending: isAscending)] + more)
        request.includesSubentities = Bool.random(using: &random)
        let all = try world.sorted(request, query.parts)
        for (limit, offset) in [(0, 0), (3, 0), (20, 5), (1, 2)] {
          (request.fetchLimit, request.fetchOffset) = (limit, offset)
          let plan = try QueryPlan(request, model: NoteWorld.model, schema: world.schema)

          let found = try plan.keys(in: world.source)

          let comment: Comment =
            "seed \(seed): \(request.entity), \(request.sortKeys), \(limit) from \(offset)"
          #expect(found == Array(all[request.window(of: all.count)]), comment)
          #expect(try plan.keys(in: Unindexed(source: world.source)) == found, comment)
          #expect(try plan.count(in: world.source) == found.count, comment)
        }
      }
    }
  }

  @Test("Dictionaries, and parts of them, come in the same order")
  func dictionaries() throws {
    let world = try NoteWorld(1)
    var request = QueryRequest(
      "Note", where: try QueryPredicate("body TEXT 'fox dog'"),
      sortedBy: [.relevance, SortKey("size")])
    let keys = try QueryPlan(request, model: NoteWorld.model, schema: world.schema)
      .keys(in: world.source)
    request.resultType = .dictionaries
    request.propertiesToFetch = [FetchedValue("self", .evaluatedObject)]
    let plan = try QueryPlan(request, model: NoteWorld.model, schema: world.schema)

    let rows = try plan.table(in: world.source).rows

    var parts: [[Value]] = []
    try plan.forEachPart(in: world.source, rowCount: 7) { parts += $0.rows }
    #expect(rows == keys.map { [.object($0)] } && rows.count > 7)
    #expect(parts == rows)
  }

  @Test("Single objects have the order of a search with the same sums")
  func places() throws {
    let world = try NoteWorld(2)
    let request = QueryRequest(
      "Note", where: try QueryPredicate("body TEXT 'qui* fox'"),
      sortedBy: [.relevance, SortKey("size")])
    var plan = try QueryPlan(request, model: NoteWorld.model, schema: world.schema)
    var order = try CompiledOrder(request, model: NoteWorld.model, schema: world.schema)
    // As if a second store had the same texts.
    let statistics = try #require(
      try QueryPlan.statistics([(plan, world.source), (plan, world.source)]))
    (plan.statistics, order.statistics) = (statistics, statistics)

    let keys = try plan.keys(in: world.source)
    let places = try keys.map { try #require(try order.place(of: $0, in: world.source)) }

    #expect(keys.count > 20)
    for (one, next) in zip(places, places.dropFirst()) {
      #expect(order.precedes(one, next) && !order.precedes(next, one))
    }
  }

  @Test("A property named relevance is sorted by its values")
  func ownProperty() throws {
    let model = try Model(entities: [
      Entity(
        "Page",
        properties: [
          .attribute(Attribute("text", .string)), .attribute(Attribute("relevance", .int32)),
        ])
    ])
    let schema = try Schema(model)
    let layout = schema["Page"]!
    let builder = LayerBuilder(schema)
    for (number, text) in [(1, "fox"), (2, "a fox"), (3, "fox fox")] {
      let key = ObjectKey(entity: layout.entityNumber, number: UInt64(number))
      builder.insert(key)
      builder.set(.string(text), column: layout.index(of: "text")!, of: key)
      builder.set(.integer(Int64(number)), column: layout.index(of: "relevance")!, of: key)
    }
    let source = ViewSource(View([builder.freeze()]), model: model, schema: schema)
    func numbers(_ key: SortKey) throws -> [UInt64] {
      let request = QueryRequest(
        "Page", where: try QueryPredicate("text TEXT 'fox'"), sortedBy: [key])
      return try QueryPlan(request, model: model, schema: schema).keys(in: source).map(\.number)
    }

    #expect(try numbers(SortKey("relevance")) == [1, 2, 3])
    #expect(try numbers(.relevance) == [3, 1, 2])
    #expect(try numbers(SortKey("@relevance", ascending: false)) == [2, 1, 3])
  }

  @Test(
    "Without a condition that counts, the order by relevance is an error",
    arguments: [
      ("Note", nil), ("Note", "size > 3"), ("Note", "NOT body TEXT 'fox'"),
      ("Note", "body CONTAINS 'fox'"), ("Person", "ANY notes.body TEXT 'fox'"),
      ("Person", "SUBQUERY(notes, $n, $n.body TEXT 'fox').@count > 0"),
      ("Note", "'fox' TEXT 'fox'"),
    ] as [(String, String?)])
  func refused(_ entity: String, _ predicate: String?) throws {
    let world = try NoteWorld(1)
    let request = QueryRequest(
      entity, where: try predicate.map { try QueryPredicate($0) }, sortedBy: [.relevance])

    let attempts: [() throws -> Void] = [
      { _ = try QueryPlan(request, model: NoteWorld.model, schema: world.schema) },
      { _ = try CompiledOrder(request, model: NoteWorld.model, schema: world.schema) },
    ]
    for attempt in attempts {
      let error = #expect(throws: QueryError.self) { try attempt() }
      #expect(error?.code == .notSupported)
      #expect(error?.message.contains("the predicate looks for no words") == true)
    }
  }

  @Test("Groups can't be sorted by relevance")
  func groups() throws {
    let world = try NoteWorld(1)
    var request = QueryRequest(
      "Note", where: try QueryPredicate("body TEXT 'fox'"), sortedBy: [.relevance])
    request.resultType = .dictionaries
    request.propertiesToGroupBy = ["size"]

    let error = #expect(throws: QueryError.self) {
      try QueryPlan(request, model: NoteWorld.model, schema: world.schema)
    }

    #expect(error?.message.contains("\"@relevance\" is not fetched") == true)
  }

  @Test("The place of an object by relevance depends on the texts of all objects")
  func scope() throws {
    let predicate = try QueryPredicate("body TEXT 'fox'")
    let plain = QueryRequest("Note", where: predicate, sortedBy: [SortKey("size")])
    let ranked = QueryRequest("Note", where: predicate, sortedBy: [SortKey("relevance")])

    #expect(RequestScope(plain, model: NoteWorld.model).isLocal)
    let scope = RequestScope(ranked, model: NoteWorld.model)
    #expect(!scope.isLocal)
    #expect(scope.entities == ["Note", "Letter"])
  }
}
