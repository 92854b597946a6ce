import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import Testing

@Suite("Fetch requests")
struct RequestTests {
  @Test(
    "Results are sorted by each property, in both directions, with each text option",
    arguments: Crowd.paths)
  func oneKey(_ path: String) throws {
    let crowd = try Crowd()
    for isAscending in [true, false] {
      for options: TextOptions in [
        [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ] {
        let key = SortKey(path, ascending: isAscending, options: options)
        let found = try crowd.plan(QueryRequest("Person", sortedBy: [key])).keys(in: crowd.source)
        #expect(found == crowd.sorted([key]), "seed \(crowd.seed), \(key)")
      }
    }
  }

  @Test(
    "Results are sorted and grouped by columns without values, and of empty, equal and large ones",
    arguments: ValuePattern.allCases)
  func patterns(_ pattern: ValuePattern) throws {
    for count in [1, 2, 40] {
      let crowd = try Crowd(count, seed: UInt64(count), pattern: pattern)
      for path in Crowd.paths {
        let key = SortKey(path, ascending: false)
        let found = try crowd.plan(QueryRequest("Person", sortedBy: [key])).keys(in: crowd.source)
        #expect(found == crowd.sorted([key]), "\(count) people, \(path)")

        var groups = QueryRequest("Person")
        groups.resultType = .dictionaries
        groups.propertiesToGroupBy = [path]
        groups.propertiesToFetch = [FetchedValue(path)]
        // No two values that are not numbers are equal, and zeros of both signs are.
        func text(_ value: Value) -> String {
          if case .double(let number) = value, number == 0 { return "0" }
          return "\(value)"
        }
        let wanted = Set(crowd.people.map { text($0.values[path] ?? .null) })
        let table = try crowd.plan(groups).table(in: crowd.source)
        #expect(Set(table.rows.map { text($0[0]) }) == wanted, "\(count) people, \(path)")
      }
    }
  }

  @Test("With several keys, an offset and a limit select a range of the sorted rows")
  func severalKeys() throws {
    let crowd = try Crowd()
    var generator = SeededGenerator(seed: crowd.seed)
    for _ in 0..<60 {
      let keys = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        SortKey(
          Crowd.paths.randomElement(using: &generator)!,
          ascending: Bool.random(using: &generator))
      }
      var request = QueryRequest("Person", sortedBy: keys)
      request.fetchLimit = Int.random(in: 0...50, using: &generator)
      request.fetchOffset = Int.random(in: 0...450, using: &generator)
      let all = crowd.sorted(keys).dropFirst(request.fetchOffset)
      let wanted = request.fetchLimit == 0 ? all : all.prefix(request.fetchLimit)

      let plan = try crowd.plan(request)

      #expect(try plan.keys(in: crowd.source) == Array(wanted), "seed \(crowd.seed), \(request)")
      #expect(try plan.count(in: crowd.source) == wanted.count)
    }
  }

  @Test("Limits and offsets beyond the results, and negative ones, are accepted")
  func extremes() throws {
    let crowd = try Crowd(20)
    for (offset, limit, count) in [
      (0, .max, 20), (.max, .max, 0), (5, .max, 15), (-3, 4, 4), (.min, -1, 20), (19, 9, 1),
    ] {
      var request = QueryRequest("Person", sortedBy: [SortKey("age")], limit: limit)
      request.fetchOffset = offset
      let plan = try crowd.plan(request)
      #expect(try plan.keys(in: crowd.source).count == count, "\(offset), \(limit)")
      #expect(try plan.count(in: crowd.source) == count, "\(offset), \(limit)")
    }
  }

  @Test("Subentities are included or excluded")
  func subentities() throws {
    let crowd = try Crowd(70)
    var request = QueryRequest("Person")
    #expect(try crowd.plan(request).count(in: crowd.source) == 70)
    request.includesSubentities = false
    #expect(try crowd.plan(request).keys(in: crowd.source).count == 60)
    #expect(try crowd.plan(QueryRequest("Pilot")).count(in: crowd.source) == 10)
  }

  @Test("Dictionaries contain the requested values, without duplicates on request")
  func dictionaries() throws {
    let crowd = try Crowd()
    var request = QueryRequest("Person", sortedBy: [SortKey("age"), SortKey("name")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      FetchedValue("name"), FetchedValue("where", .path("city.title")),
      FetchedValue("older", try QueryExpression("age + 1")),
    ]
    let order = crowd.sorted(request.sortKeys)
    let people = Dictionary(uniqueKeysWithValues: crowd.people.map { ($0.key, $0.values) })
    let wanted = order.map { key -> [Value] in
      let values = people[key]!
      var older = values["age"]!
      if case .integer(let age) = older { older = .integer(age + 1) }
      return [values["name"]!, values["city.title"] ?? .null, older]
    }

    let table = try crowd.plan(request).table(in: crowd.source)
    #expect(table.names == ["name", "where", "older"])
    #expect(table.rows == wanted, "seed \(crowd.seed)")
    #expect(
      table.dictionaries.map(\.count) == wanted.map { $0.count { !$0.isNull } })

    request.returnsDistinctResults = true
    request.fetchOffset = 3
    request.fetchLimit = 11
    var seen: Set<[Value]> = []
    let distinct = wanted.filter { seen.insert($0).inserted }
    let plan = try crowd.plan(request)
    #expect(try plan.table(in: crowd.source).rows == Array(distinct.dropFirst(3).prefix(11)))
    #expect(try plan.count(in: crowd.source) == min(11, max(distinct.count - 3, 0)))
  }

  @Test("Without names, dictionaries contain all properties, and no internal columns")
  func allProperties() throws {
    let crowd = try Crowd(8)
    var request = QueryRequest("Person")
    request.resultType = .dictionaries
    let table = try crowd.plan(request).table(in: crowd.source)
    let names = Crowd.paths.filter { $0 != "city.title" } + ["city"]
    #expect(table.names == names.sorted())
    #expect(table.rows.count == 8)
  }

  @Test(
    "Groups have the computed values of their members",
    arguments: [
      ["name"], ["age"], ["flag", "name"], ["city.title"], ["score"], ["city", "age"], [],
    ])
  func groups(_ paths: [String]) throws {
    let crowd = try Crowd()
    var request = QueryRequest("Person")
    request.resultType = .dictionaries
    request.propertiesToGroupBy = paths
    request.propertiesToFetch =
      paths.map { FetchedValue($0) } + [
        FetchedValue("n", try QueryExpression("count:(SELF)")),
        FetchedValue("ages", try QueryExpression("count:(age)")),
        FetchedValue("sum", try QueryExpression("sum:(age)")),
        FetchedValue("mean", try QueryExpression("average:(age)")),
        FetchedValue("least", try QueryExpression("min:(age)")),
        FetchedValue("greatest", try QueryExpression("max:(money)")),
      ]

    let table = try crowd.plan(request).table(in: crowd.source)

    // A slow and simple way: the groups are in the order of their first members.
    var order: [[Value]] = []
    var groups: [[Value]: [[String: Value]]] = [:]
    for person in crowd.people {
      let key = paths.map { person.values[$0] ?? .null }
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(person.values)
    }
    let wanted = order.map { key -> [Value] in
      let members = groups[key]!
      let ages = members.compactMap { member -> Int64? in
        if case .integer(let age)? = member["age"] { age } else { nil }
      }
      let money = members.compactMap { member -> Decimal? in
        if case .decimal(let money)? = member["money"] { money } else { nil }
      }
      let sum = ages.reduce(0, +)
      var row: [Value] = key
      row.append(.integer(Int64(members.count)))
      row.append(.integer(Int64(ages.count)))
      row.append(.integer(sum))
      row.append(ages.isEmpty ? .null : .double(Double(sum) / Double(ages.count)))
      row.append(ages.min().map { .integer($0) } ?? .null)
      row.append(money.max().map { .decimal($0) } ?? .null)
      return row
    }
    #expect(table.rows.count == wanted.count)
    for (found, wanted) in zip(table.rows, wanted) {
      #expect(
        zip(found, wanted).allSatisfy { Self.isSame($0, $1) },
        "seed \(crowd.seed): \(found), wanted \(wanted)")
    }
  }

  @Test("Groups are filtered by a condition, sorted and limited")
  func having() throws {
    let crowd = try Crowd()
    var request = QueryRequest("Person", where: try QueryPredicate("age != nil"))
    request.resultType = .dictionaries
    request.propertiesToGroupBy = ["age"]
    request.propertiesToFetch = [
      FetchedValue("age"), FetchedValue("n", try QueryExpression("count:(SELF)")),
    ]
    request.havingPredicate = try QueryPredicate("n > 10 AND age < 18 AND sum:(age) > 0")
    request.sortKeys = [SortKey("n", ascending: false), SortKey("age")]
    request.fetchOffset = 1
    request.fetchLimit = 6

    var counts: [Int64: Int64] = [:]
    for person in crowd.people {
      if case .integer(let age)? = person.values["age"] { counts[age, default: 0] += 1 }
    }
    let kept = counts.filter { age, count in count > 10 && age < 18 && age * count > 0 }
    let sorted = kept.sorted { left, right in
      left.value == right.value ? left.key < right.key : left.value > right.value
    }
    let wanted: [[Value]] = sorted.map { [.integer($0.key), .integer($0.value)] }
    let table = try crowd.plan(request).table(in: crowd.source)
    #expect(table.rows == Array(wanted.dropFirst(1).prefix(6)), "seed \(crowd.seed)")
  }

  @Test("A request for a single object returns it, nil, or an error if there are several")
  func single() throws {
    let crowd = try Crowd(30, pattern: .ordinary)
    func single(_ text: String) throws -> ObjectKey? {
      try crowd.plan(QueryRequest("Person", where: QueryPredicate(text))).single(in: crowd.source)
    }
    let id = ObjectID(store: StoreTag(rawValue: 0), key: crowd.people[4].key)
    #expect(
      try crowd.plan(QueryRequest("Person", where: QueryPredicate("SELF == %@", id)))
        .single(in: crowd.source) == id.key)
    #expect(try single("age == 1000") == nil)
    let error = #expect(throws: QueryError.self) { try single("age < 1000") }
    #expect(error?.code == .notUnique)
    #expect(error?.message.contains("\"age < 1000\"") == true)
  }

  @Test("A request can match all or any of the given values")
  func matching() throws {
    let crowd = try Crowd()
    let both = QueryRequest("Person", matching: ["name": .string("Ada"), "age": .integer(3)])
    let either = QueryRequest(
      "Person", matching: ["name": .string("Ada"), "age": .integer(3)], all: false)
    func count(_ test: (Bool, Bool) -> Bool) -> Int {
      crowd.people.count {
        test($0.values["name"] == .string("Ada"), $0.values["age"] == .integer(3))
      }
    }
    #expect(try crowd.plan(both).count(in: crowd.source) == count { $0 && $1 })
    #expect(try crowd.plan(either).count(in: crowd.source) == count { $0 || $1 })
  }

  private static func isSame(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN || abs(a - b) < 1e-9
    default: left == right
    }
  }
}
