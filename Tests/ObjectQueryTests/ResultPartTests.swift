import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import Synchronization
import Testing

@Suite("Results in parts")
struct ResultPartTests {
  @Test(
    "The parts of a result together are the whole table",
    arguments: [
      nil, "age > 3", "city.title == 'Porto'", "name MATCHES 'A.*' OR flag == YES",
      "FALSEPREDICATE",
    ])
  func parts(_ predicate: String?) throws {
    let crowd = try Crowd()
    var generator = SeededGenerator(seed: crowd.seed)
    for entity in ["Person", "Pilot"] {
      for sortKeys in [[], [SortKey("age"), SortKey("name", ascending: false)]] {
        for isDistinct in [false, true] {
          var request = QueryRequest(
            entity, where: try predicate.map { try QueryPredicate($0) }, sortedBy: sortKeys)
          request.resultType = .dictionaries
          request.returnsDistinctResults = isDistinct
          request.propertiesToFetch =
            (isDistinct ? [] : [FetchedValue("@id", .evaluatedObject)])
            + ["name", "age", "city", "city.title", "money"].map { FetchedValue($0) }
          request.fetchLimit = Int.random(in: 0...200, using: &generator)
          request.fetchOffset = Int.random(in: 0...100, using: &generator)
          let plan = try crowd.plan(request)
          let rowCount = Int.random(in: 1...90, using: &generator)
          var rows: [[Value]] = []

          try plan.forEachPart(in: crowd.source, rowCount: rowCount) { part in
            #expect(part.rows.count <= rowCount && !part.rows.isEmpty)
            rows += part.rows
          }

          #expect(try rows == plan.table(in: crowd.source).rows, "seed \(crowd.seed), \(request)")
        }
      }
    }
  }

  @Test("Groups are delivered in parts too")
  func groups() throws {
    let crowd = try Crowd(pattern: .ordinary)
    var request = QueryRequest("Person")
    request.resultType = .dictionaries
    request.propertiesToGroupBy = ["age"]
    request.propertiesToFetch = [
      FetchedValue("age"), FetchedValue("n", .function(.count, [.path("name")])),
    ]
    let plan = try crowd.plan(request)
    var rows: [[Value]] = []

    try plan.forEachPart(in: crowd.source, rowCount: 4) { rows += $0.rows }

    #expect(try rows == plan.table(in: crowd.source).rows && rows.count > 4)
  }

  @Test("The first part is delivered before the later rows are read")
  func firstPart() throws {
    let model = try Model(entities: [
      Entity("Thing", properties: [.attribute(Attribute("name", .string))])
    ])
    let schema = try Schema(model)
    let layout = schema["Thing"]!
    let layers = (0..<5).map { layer in
      let builder = LayerBuilder(schema)
      for number in 1...10 {
        let key = ObjectKey(
          entity: layout.entityNumber, number: UInt64(layer * 10 + number))
        builder.insert(key)
        builder.set(.string("\(number)"), column: 0, of: key)
      }
      return builder.freeze(version: Int64(layer + 1))
    }
    let source = ViewSource(View(layers), model: model, schema: schema)
    var request = QueryRequest("Thing")
    request.resultType = .dictionaries
    request.propertiesToFetch = [FetchedValue("name")]
    let passed = Mutex(0)
    var plan = try QueryPlan(request, model: model, schema: schema)
    plan.watch = SearchWatch { rows, _ in
      passed.withLock { $0 = rows }
      return true
    }
    var seen: [Int] = []

    try plan.forEachPart(in: source, rowCount: 10) { _ in seen.append(passed.withLock { $0 }) }

    #expect(seen == [10, 20, 30, 40, 50])
  }
}
