import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import Testing

@Suite("Requests that an index answers")
struct IndexedQueryTests {
  /// A source that is only scanned, or never.
  private struct LimitedSource: QuerySource {
    struct Scan: Error {}
    let source: ViewSource
    let isScanned: Bool
    var model: Model { source.model }
    var schema: Schema { source.schema }
    var indexed: IndexedView? { isScanned ? nil : source.indexed }
    func batches(of layout: Layout) throws -> [RowBatch] {
      guard isScanned else { throw Scan() }
      return try source.batches(of: layout)
    }
    func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }
    func objects(
      relatedTo key: ObjectKey, through relationship: ToManyRelationship
    ) throws -> [ObjectKey] { try source.objects(relatedTo: key, through: relationship) }
  }

  /// A table as of a database, which reads its rows when they are asked for.
  private struct OnDemand: RowTable {
    let table: any RowTable
    var readsOnDemand: Bool { true }
    func entry(of key: ObjectKey) throws -> RowEntry { try table.entry(of: key) }
    func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
      try table.changes(ofEntity: number)
    }
    func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
      try table.keyRanges(ofEntity: number)
    }
  }

  @Test("Rows of a database are scanned for words, and no index is made of all of them")
  func onDemand() throws {
    let known = try Self.world(5)
    let source = ViewSource(
      View(known.view.tables.map { OnDemand(table: $0) }), model: Self.model, schema: known.schema)
    let plan = try QueryPlan(
      QueryRequest("Item", where: try QueryPredicate("note TEXT 'word7'")), model: Self.model,
      schema: known.schema)

    #expect(throws: LimitedSource.Scan.self) {
      try plan.keys(in: LimitedSource(source: source, isScanned: false))
    }
    #expect(try plan.keys(in: source) == plan.keys(in: known))
    #expect(try !plan.keys(in: known).isEmpty)
  }

  @Test("Objects that a predicate names are found without a scan")
  func named() throws {
    let source = try Self.world(1)
    let numbers: [UInt64] = [3, 900, 4, 5, 1499, 3, 1_000_000]
    let (item, special) = (source.schema["Item"]!, source.schema["Special"]!)
    let ids = [item, special].flatMap { layout in
      numbers.map {
        ObjectID(
          store: StoreTag(rawValue: 0), key: ObjectKey(entity: layout.entityNumber, number: $0))
      }
    }
    var request = QueryRequest("Item")
    for predicate in try [
      QueryPredicate("SELF IN %@", ids), QueryPredicate("SELF IN %@ AND size > 0", ids),
      QueryPredicate("SELF == %@ AND SELF IN %@", ids[0], ids),
      QueryPredicate("%@ == SELF", ids[1]),
      QueryPredicate("SELF IN %@", [ObjectID]()),
      QueryPredicate("size > 0 AND NOT (size > 0) AND SELF IN %@", ids),
    ] {
      request.predicate = predicate
      for keys in [[], [SortKey("size", ascending: false)]] {
        request.sortKeys = keys
        let plan = try QueryPlan(request, model: Self.model, schema: source.schema)
        let wanted = try plan.keys(in: LimitedSource(source: source, isScanned: true))
        #expect(
          try plan.keys(in: LimitedSource(source: source, isScanned: false)) == wanted,
          "\(predicate)")
        #expect(
          try plan.count(in: LimitedSource(source: source, isScanned: false)) == wanted.count,
          "\(predicate)")
      }
    }
    // These predicates name no objects that all results are among.
    for predicate in try [
      QueryPredicate("NOT (SELF IN %@)", ids), QueryPredicate("SELF == %@ OR size > 0", ids[0]),
      QueryPredicate("SELF != %@", ids[0]),
    ] {
      request.predicate = predicate
      let plan = try QueryPlan(request, model: Self.model, schema: source.schema)
      #expect(throws: LimitedSource.Scan.self) {
        try plan.keys(in: LimitedSource(source: source, isScanned: false))
      }
      #expect(
        try plan.keys(in: source) == plan.keys(in: LimitedSource(source: source, isScanned: true)),
        "\(predicate)")
    }
  }

  private static let model: Model = {
    var item = Entity("Item")
    item.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("size", .int32)),
      .attribute(Attribute("real", .double)), .attribute(Attribute("price", .decimal)),
      .attribute(Attribute("when", .date)), .attribute(Attribute("note", .string)),
      .relationship(Relationship("box", to: "Box", inverse: "items")),
    ]
    item.fetchIndexes = [
      FetchIndex("byName", elements: [.init("name"), .init("size")]),
      FetchIndex("byReal", elements: [.init("real")]),
      FetchIndex("byPrice", elements: [.init("price")]),
      FetchIndex("byWhen", elements: [.init("when")]),
      FetchIndex("bySize", elements: [.init("size"), .init("name")]),
      FetchIndex("byWords", elements: [.init("note", kind: .fullText)]),
    ]
    var box = Entity("Box")
    box.declaredProperties = [
      .relationship(Relationship("items", to: "Item", inverse: "box", count: .toMany))
    ]
    return try! Model(entities: [item, Entity("Special", superentity: "Item"), box])
  }()

  /// Returns two thousand items in three layers. Many values are equal and some are missing.
  private static func world(_ seed: UInt64) throws -> ViewSource {
    var generator = SeededGenerator(seed: seed)
    let schema = try Schema(model)
    var view = View()
    for count in [1800, 300, 40] {
      let builder = LayerBuilder(schema)
      var touched: Set<ObjectKey> = []
      for _ in 0..<count {
        let layout = schema[Bool.random(using: &generator) ? "Item" : "Special"]!
        let key = ObjectKey(
          entity: layout.entityNumber, number: .random(in: 1...1500, using: &generator))
        guard touched.insert(key).inserted else { continue }
        let isThere = try view.contains(key)
        if isThere, Int.random(in: 0..<5, using: &generator) == 0 {
          builder.remove(key)
          continue
        }
        if !isThere { builder.insert(key) }
        for (position, column) in layout.columns.enumerated()
        where !isThere || Int.random(in: 0..<4, using: &generator) == 0 {
          let value =
            column.name == "note" ? note(&generator) : value(column.kind, &generator)
          builder.set(value, column: position, of: key)
        }
      }
      view = view.pushing(builder.freeze())
    }
    return ViewSource(view, model: model, schema: schema)
  }

  private static let words = [
    "quick", "Quickly", "QUIET", "brown", "fox", "lazy", "l\u{E1}zy", "dog", "don't", "3.14",
    "naïve",
    "東京都", "ไทย", "—", "👋",
  ]

  /// Returns a text of a few words, the empty text, one long text, or null.
  private static func note(_ generator: inout SeededGenerator) -> Value {
    let count = [0, 1, 2, 5, 9, 200].randomElement(using: &generator)!
    if count == 9, Bool.random(using: &generator) { return .null }
    // One word of each text is rare.
    let rare = "word\(Int.random(in: 0..<400, using: &generator))"
    let all = (0..<count).map { _ in words.randomElement(using: &generator)! }
    return .string((all + (count == 1 ? [] : [rare])).joined(separator: " "))
  }

  private static func value(_ kind: ColumnKind, _ generator: inout SeededGenerator) -> Value {
    let number = Int64.random(in: -90...90, using: &generator)
    if number == 90 { return .null }
    switch kind {
    case .string:
      return .string(["", "a", "ab", "é", "zz"].randomElement(using: &generator)! + "\(number)")
    case .int32: return .integer(number)
    case .double: return .double(number == 7 ? .nan : number == 8 ? -.infinity : Double(number) / 4)
    case .decimal: return .decimal(Decimal(number) / 8)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    default: return .object(ObjectKey(entity: 1, number: UInt64(number + 100)))
    }
  }

  private static let predicates = [
    "name == 'a5'", "name BEGINSWITH 'zz1'", "name BEGINSWITH[c] 'ZZ1'", "name == nil", "size == 3",
    "size == 3.5", "3 < size AND size < 6", "size BETWEEN {80, 95}", "size IN {1, 2, nil, 300}",
    "size != 3", "real == 2.25", "real > 21.9", "real < -1000", "real >= -0.0 AND real <= 0",
    "price == 1.25", "price > 11", "name == 'a5' AND size > 2", "name == 'ab-4' OR size == 5",
    "NOT size == 4", "when > CAST(80, 'NSDate')", "size == 5 AND name BEGINSWITH 'a'",
    "size > 88 AND price < 0", "box.items.@count > 12 AND size == 9", "TRUEPREDICATE",
    "note TEXT 'quick'", "note TEXT 'LAZY -dog'", "note TEXT 'qui* fox'", "note TEXT 'word1*'",
    "note TEXT 'word7'", "note TEXT 'word7 word8'", "note TEXT '\"brown fox\" -word1*'",
    "note TEXT 'naive 東京'", "note TEXT 'ไ -quiet'", "note TEXT 'unheard'", "NOT note TEXT 'fox'",
    "note TEXT 'fox' AND size > 80", "note TEXT 'fox' OR size == 5",
    "note TEXT 'word33' AND size == 3",
    "name TEXT 'a5'", "note TEXT 'dog' AND note TEXT 'word5*'",
    "ANY box.items.note TEXT 'word77'", "size > 10 AND size > 85", "name >= 'zz8'", "name < '-9'",
    "real == 1 AND real == 2",
  ]

  @Test(
    "An index gives the objects of a scan, in the same order", arguments: [1, 2, 3] as [UInt64])
  func sameAnswers(_ seed: UInt64) throws {
    let source = try Self.world(seed)
    let scanned = LimitedSource(source: source, isScanned: true)
    var generator = SeededGenerator(seed: seed)
    let orders: [[SortKey]] = [
      [], [SortKey("size")], [SortKey("size", ascending: false)],
      [SortKey("name"), SortKey("size")],
      [SortKey("name", ascending: false), SortKey("size", ascending: false)],
      [SortKey("real", ascending: false)], [SortKey("when"), SortKey("name")], [SortKey("when")],
    ]
    for text in Self.predicates {
      for entity in ["Item", "Special"] {
        for order in orders.shuffled(using: &generator).prefix(2) {
          for (limit, offset) in [(0, 0), (3, 0), (20, 5)] {
            var request = QueryRequest(entity, where: try QueryPredicate(text))
            request.sortKeys = order
            request.fetchLimit = limit
            request.fetchOffset = offset
            let plan = try QueryPlan(request, model: Self.model, schema: source.schema)
            let found = try plan.keys(in: source)
            #expect(
              try found == plan.keys(in: scanned),
              "seed \(seed): \(entity) where \(text), by \(order.map(\.path)), \(limit) from \(offset)"
            )
            #expect(try plan.count(in: source) == found.count)
          }
        }
      }
    }
  }

  @Test("An index that contains all sort keys except the first does not give the order")
  func laterKeys() throws {
    let world = try NoteWorld(3)
    var request = QueryRequest(
      "Note", where: try QueryPredicate("title BEGINSWITH 'lazy'"),
      sortedBy: [SortKey("author.name"), SortKey("title"), SortKey("size")])
    request.includesSubentities = false
    let plan = try QueryPlan(request, model: NoteWorld.model, schema: world.schema)

    let keys = try plan.keys(in: world.source)

    let names = keys.map { key -> String in
      guard case .string(let name)? = world.notes[key]?["author.name"] else { return "" }
      return name
    }
    #expect(names == names.sorted() && Set(names).count > 2)
  }

  /// A source that can't be scanned.
  private struct Unscannable: QuerySource {
    struct Scan: Error {}
    let source: ViewSource
    var model: Model { source.model }
    var schema: Schema { source.schema }
    var indexed: IndexedView? { source.indexed }
    func batches(of layout: Layout) throws -> [RowBatch] { throw Scan() }
    func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }
    func objects(
      relatedTo key: ObjectKey, through relationship: ToManyRelationship
    ) throws -> [ObjectKey] { try source.objects(relatedTo: key, through: relationship) }
  }

  @Test(
    "An index is used only if it excludes most objects",
    arguments: [
      ("name == 'a5'", "", true), ("size == 3", "", true), ("price > 11", "", true),
      ("size > -50", "", false), ("name CONTAINS 'zz1'", "", false), ("", "name", false),
      ("", "real", true),
      ("size > -50", "real", true), ("", "price", true), ("size == 400 AND price > 0", "", true),
      ("NOT size == 4", "", false), ("note TEXT 'word7'", "", true),
      ("note TEXT 'word7 -fox' AND size > -50", "", true), ("NOT note TEXT 'word7'", "", false),
      ("name TEXT 'a5'", "", false),
    ])
  func used(_ text: String, _ order: String, _ isUsed: Bool) throws {
    let source = Unscannable(source: try Self.world(4))
    var request = QueryRequest("Item")
    if !text.isEmpty { request.predicate = try QueryPredicate(text) }
    if !order.isEmpty {
      request.sortKeys = [SortKey(order)]
      request.fetchLimit = 5
    }
    let plan = try QueryPlan(request, model: Self.model, schema: source.schema)
    if isUsed {
      #expect(try plan.keys(in: source).count < 200)
    } else {
      #expect(throws: Unscannable.Scan.self) { try plan.keys(in: source) }
    }
  }
}
