import Foundation
import ObjectModel
package import ObjectQuery
import SeededRandom

/// Generates random, meaningful requests for a ``QueryingCrowd``.
package struct QueryingRequests {
  var random: SeededGenerator

  /// Creates the requests of a seed.
  package init(_ seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }
  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private static let numbers = [
    "Thing": [
      "flag", "small", "large", "real", "ratio", "money", "keeper.rank", "keeper.best.small",
      "keeper.best.large", "keeper.things.@count", "bestOf.@count", "tags.@count",
      "tags.@sum.weight", "tags.@max.weight", "keeper.things.@sum.small", "keeper.best.real",
      "keeper.things.@avg.small", "keeper.things.@max.real", "keeper.friends.@count",
      "keeper.things.@sum.large",
    ],
    "Keeper": [
      "rank", "best.small", "best.real", "things.@count", "things.@sum.small", "things.@min.large",
      "things.@avg.flag", "things.@count", "friends.@count", "friends.@sum.rank",
      "best.tags.@count", "best.keeper.rank", "best.money", "things.@max.money",
    ],
    "Tag": ["weight", "things.@count", "things.@sum.small", "things.@max.large"],
  ]
  private static let texts = [
    "Thing": ["name", "link", "keeper.name", "keeper.best.name", "keeper.things.@max.name"],
    "Keeper": ["name", "best.name", "best.link", "things.@min.name"], "Tag": ["things.@max.link"],
  ]
  private static let many = [
    "Thing": [("keeper.things", "Thing"), ("tags", "Tag"), ("bestOf", "Keeper")],
    "Keeper": [("things", "Thing"), ("friends", "Keeper"), ("best.bestOf", "Keeper")],
    "Tag": [("things", "Thing")],
  ]

  private mutating func number() -> QueryExpression {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .constant(.integer(pick(QueryingCrowd.integers)))
    case 1: .constant(.double(pick(QueryingCrowd.reals)))
    case 2: .constant(.decimal(Decimal(string: pick(QueryingCrowd.decimals))!))
    default: .constant(.integer(pick([0, 1, 2, 3])))
    }
  }
  private mutating func text() -> QueryExpression {
    chance(80)
      ? .constant(.string(pick(QueryingCrowd.texts))) : .constant(.uri(pick(QueryingCrowd.texts)))
  }
  private mutating func date() -> QueryExpression {
    .constant(.date(Date(timeIntervalSinceReferenceDate: pick(QueryingCrowd.reals))))
  }
  private mutating func token() -> QueryExpression {
    .constant(.uuid(QueryingCrowd.token(pick([0, 1, 2, 254, 255]))))
  }
  private mutating func path(_ paths: [String], _ of: QueryExpression) -> QueryExpression {
    .keyPath(of: of, pick(paths).split(separator: ".").map(String.init))
  }

  private mutating func numeric(
    _ entity: String, _ of: QueryExpression, _ depth: Int
  ) -> QueryExpression {
    if depth > 0, chance(25) {
      return .function(
        pick([.add, .subtract, .multiply, .divide, .modulus, .bitwiseAnd, .bitwiseXor, .leftShift]),
        [numeric(entity, of, depth - 1), chance(50) ? number() : numeric(entity, of, depth - 1)])
    }
    if entity == "Thing", chance(10) { return datePart(of) }
    if depth > 0, chance(10) {
      return .function(
        pick([.round, .coalesce]),
        [numeric(entity, of, depth - 1), .constant(.integer(pick([0, 1, -1])))])
    }
    if depth > 0, chance(10) {
      return .conditional(
        comparison(entity, of, 0), numeric(entity, of, 0), chance(20) ? .null : number())
    }
    if depth > 0, chance(5) {
      return .fetch(
        entity: "Keeper", comparison("Keeper", .evaluatedObject, 0), countOnly: true)
    }
    if depth > 0, chance(10) {
      let (path, inner) = pick(Self.many[entity]!)
      return .function(
        .count,
        [
          .subquery(
            .keyPath(of: of, path.split(separator: ".").map(String.init)), variable: "v\(depth)",
            predicate(inner, .variable("v\(depth)"), depth - 1))
        ])
    }
    return path(Self.numbers[entity]!, of)
  }

  private static let parts: [QueryExpression.Function] = [
    .year, .quarter, .month, .week, .day, .weekday, .hour, .minute, .second,
  ]
  private static let zones = ["Europe/Berlin", "America/St_Johns", "+05:30"]

  /// Returns a part of the date of a thing.
  private mutating func datePart(_ of: QueryExpression) -> QueryExpression {
    let date = chance(20) ? start(of) : .keyPath(of: of, ["when"])
    return .function(
      pick(Self.parts), [date] + (chance(20) ? [.constant(.string(pick(Self.zones)))] : []))
  }

  /// Returns the start of a unit of the calendar with the date of a thing.
  private mutating func start(_ of: QueryExpression) -> QueryExpression {
    let unit = pick(QueryExpression.CalendarUnit.allCases).rawValue
    return .function(
      .trunc,
      [.keyPath(of: of, ["when"]), .constant(.string(unit))]
        + (chance(20) ? [.constant(.string(pick(Self.zones)))] : []))
  }

  /// Returns a text that is computed from a text.
  private mutating func changed(_ text: QueryExpression) -> QueryExpression {
    let part = QueryExpression.constant(.string(pick(QueryingCrowd.texts)))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return .function(.trim, [text])
    case 1: return .function(.replace, [text, part, .constant(.string(pick(["", "ab"])))])
    case 2: return .function(.concat, [text, part])
    case 3: return .function(.coalesce, [text, part])
    case 4: return .function(.substring, [text, .constant(.integer(pick([0, 1, 2])))])
    case 5: return .function(pick([.uppercase, .lowercase]), [text])
    default: return .function(.concat, [part, text, .constant(.integer(7))])
    }
  }

  private mutating func comparison(
    _ entity: String, _ of: QueryExpression, _ depth: Int
  ) -> QueryPredicate {
    let orders: [QueryPredicate.Operator] = [
      .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
    ]
    func make(
      _ left: QueryExpression, _ operation: QueryPredicate.Operator, _ right: QueryExpression,
      _ modifier: QueryPredicate.Modifier = .direct
    ) -> QueryPredicate {
      .comparison(.init(left, operation, right, modifier: modifier))
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2:
      let left = numeric(entity, of, depth)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return make(left, .between, .aggregate([number(), number()]))
      case 1: return make(left, .in, .aggregate([number(), number(), .null]))
      case 2: return make(left, pick([.equal, .notEqual]), .null)
      case 3: return make(left, pick(orders), numeric(entity, of, 0))
      case 4: return make(number(), pick(orders), left)
      default: return make(left, pick(orders), number())
      }
    case 3...5:
      let plain = path(Self.texts[entity]!, of)
      let left = chance(30) ? changed(plain) : plain
      let right = chance(70) ? text() : path(Self.texts[entity]!, of)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return make(left, pick([.equal, .notEqual]), .null)
      case 1: return make(left, .in, .aggregate([text(), text(), .null]))
      case 2: return make(left, pick(orders), right)
      case 3:
        let pattern = pick(["", "*"]) + pick(["", "a", "ab", "\u{301}", "a*b"]) + pick(["", "*"])
        return make(left, .like, .constant(.string(pattern)))
      default:
        return make(left, pick([.beginsWith, .endsWith, .contains, .in]), right)
      }
    case 6 where entity == "Thing":
      let left = chance(30) ? start(of) : QueryExpression.keyPath(of: of, ["when"])
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return make(left, pick(orders), date())
      case 1: return make(left, .between, .aggregate([date(), date()]))
      case 2: return make(.function(.add, [left, number()]), pick(orders), date())
      default: return make(.function(.subtract, [left, date()]), pick(orders), number())
      }
    case 7 where entity == "Thing":
      let left = QueryExpression.keyPath(of: of, ["token"])
      return chance(50)
        ? make(left, pick(orders), token()) : make(left, .in, .aggregate([token(), token()]))
    case 8 where entity == "Thing":
      return make(
        .keyPath(of: of, ["bytes"]), pick([.equal, .notEqual]),
        chance(30) ? .null : .constant(.binary(Data(pick([[], [0], [1, 2]])))))
    case 9:
      let lefts = [
        "Thing": ["keeper", "keeper.best"], "Keeper": ["best", "best.keeper"], "Tag": [],
      ]
      let left = lefts[entity]!.isEmpty || chance(20) ? of : path(lefts[entity]!, of)
      if chance(20) { return make(left, pick([.equal, .notEqual]), .null) }
      if chance(20) {
        let other = pick(["Thing", "Keeper", "Odd"])
        let inner = comparison(other == "Odd" ? "Thing" : other, .evaluatedObject, 0)
        return make(left, .in, .fetch(entity: other, inner, countOnly: false))
      }
      if chance(20) {
        let (path, _) = pick(Self.many[entity]!)
        return make(
          left, .in, .keyPath(of: of, path.split(separator: ".").map(String.init)))
      }
      let others = lefts[entity]! + lefts[entity]!
      return others.isEmpty || chance(30)
        ? make(left, pick([.equal, .notEqual]), of)
        : make(left, pick([.equal, .notEqual]), path(others, of))
    default:
      let (collection, inner) = pick(Self.many[entity]!)
      let ends = [
        "Thing": ["small", "name", "when"], "Keeper": ["rank", "name"], "Tag": ["weight"],
      ]
      let end = pick(ends[inner]!)
      let left = QueryExpression.keyPath(
        of: of, (collection + "." + end).split(separator: ".").map(String.init))
      let right =
        chance(20)
        ? QueryExpression.null : end == "name" ? text() : end == "when" ? date() : number()
      return make(
        left, right == .null ? pick([.equal, .notEqual]) : pick(orders), right, pick([.any, .all]))
    }
  }

  mutating func predicate(
    _ entity: String, _ of: QueryExpression, _ depth: Int
  ) -> QueryPredicate {
    guard depth > 0 else { return comparison(entity, of, 0) }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      return .and(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, of, depth - 1) })
    case 1:
      return .or(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, of, depth - 1) })
    case 2: return .not(predicate(entity, of, depth - 1))
    default: return comparison(entity, of, depth)
    }
  }

  package mutating func objects() -> QueryRequest {
    let entity = pick(["Thing", "Thing", "Odd", "Keeper", "Tag"])
    let known = entity == "Odd" ? "Thing" : entity
    var request = QueryRequest(entity)
    if chance(90) { request.predicate = predicate(known, .evaluatedObject, 2) }
    let paths =
      Self.numbers[known]! + Self.texts[known]!
      + (known == "Thing" ? ["when", "token", "bytes"] : [])
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let key = SortKey(pick(paths), ascending: chance(50))
      request.sortKeys.append(chance(30) ? computed(known, ascending: chance(50)) : key)
    }
    if chance(30) { request.fetchLimit = Int.random(in: 1...6, using: &random) }
    if chance(30) { request.fetchOffset = Int.random(in: 0...8, using: &random) }
    request.includesSubentities = chance(70)
    return request
  }

  /// Returns a sort key of a computed value.
  private mutating func computed(_ entity: String, ascending: Bool) -> SortKey {
    let text = changed(path(Self.texts[entity]!, .evaluatedObject))
    let number = numeric(entity, .evaluatedObject, 1)
    guard entity == "Thing" else {
      return SortKey(chance(50) ? text : number, ascending: ascending)
    }
    let date = chance(50) ? start(.evaluatedObject) : datePart(.evaluatedObject)
    return SortKey(pick([text, number, date]), ascending: ascending)
  }

  package mutating func table() -> QueryRequest {
    var request = objects()
    request.resultType = .dictionaries
    request.returnsDistinctResults = chance(30)
    let known = request.entity == "Odd" ? "Thing" : request.entity
    let ends = [
      "Thing": [
        "flag", "small", "large", "name", "when", "real", "keeper", "money", "token", "link",
      ],
      "Keeper": ["name", "rank", "best"], "Tag": ["weight"],
    ][known]!
    if chance(40) {
      for path in Set((0..<3).map { _ in pick(ends + Self.numbers[known]!) }).sorted() {
        request.propertiesToFetch.append(FetchedValue(path))
      }
      if chance(50) {
        request.propertiesToFetch.append(FetchedValue("it", .evaluatedObject))
      }
      return request
    }
    request.sortKeys = []
    request.propertiesToGroupBy = Set(
      (0..<Int.random(in: 0...2, using: &random)).map { _ in pick(ends) }
    )
    .sorted()
    for path in request.propertiesToGroupBy where chance(80) {
      request.propertiesToFetch.append(FetchedValue(path))
    }
    if chance(30) {
      request.propertiesToGroupBy.append("computed")
      let key: QueryExpression =
        known == "Thing" && chance(70)
        ? (chance(50) ? datePart(.evaluatedObject) : start(.evaluatedObject))
        : changed(path(Self.texts[known]!, .evaluatedObject))
      request.propertiesToFetch.append(FetchedValue("computed", key))
    }
    let functions: [QueryExpression.Function] = [.count, .sum, .average, .min, .max]
    for index in 0..<Int.random(in: 1...3, using: &random) {
      let function = pick(functions)
      let paths =
        function == .sum || function == .average
        ? Self.numbers[known]! : ends + Self.numbers[known]!
      let argument: QueryExpression =
        function == .count && chance(50) ? .evaluatedObject : .path(pick(paths))
      request.propertiesToFetch.append(FetchedValue("f\(index)", .function(function, [argument])))
    }
    if chance(30), !request.propertiesToGroupBy.isEmpty {
      request.havingPredicate = .comparison(
        .init(
          .function(.count, [.evaluatedObject]), pick([.greaterThan, .lessThan]),
          .constant(.integer(pick([1, 2, 3])))))
    }
    if chance(50) { request.sortKeys = [SortKey("f0", ascending: chance(50))] }
    if chance(20) {
      request.sortKeys.append(
        SortKey(
          .function(.subtract, [.constant(.integer(0)), .function(.count, [.evaluatedObject])])))
    }
    return request
  }
}

extension QueryRequest {
  /// The text of the request, for failure messages.
  package var words: String {
    """
    \(entity) \(includesSubentities) \(predicate.map { "\($0)" } ?? "") by \(sortKeys.map(\.path)) \
    \(fetchLimit) \(fetchOffset) \(propertiesToFetch.map { "\($0.name) \($0.expression)" }) \
    \(propertiesToGroupBy) \(havingPredicate.map { "\($0)" } ?? "")
    """
  }
}

extension QueryingRequests {
  /// The predicates of the table of expressions, about the objects of ``World``, with the entities that they are about.
  package static let expressions: [(entity: String, text: String)] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../ObjectQueryTests/Expressions/expressions.table")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
  }()
}
