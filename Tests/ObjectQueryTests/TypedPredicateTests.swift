import Foundation
import ObjectModel
import ObjectQuery
import Rows
import Testing

private struct Trip: EntityType {
  let name = Attribute<String>("name")
  let start = Attribute<Date?>("start")
  let end = Attribute<Date?>("end")
  let days = Attribute<Int16>("days", default: 1)
  let price = Attribute<Double?>("price")
  let kind = Attribute<Kind>("kind", default: .leisure)
  let code = Attribute<String?>("shortCode")
  let isOpen = Attribute<Bool>("isOpen", default: true)
  let stops = ToMany<Stop>("stops", inverse: \.trip)
}

private struct Cruise: SubentityType {
  typealias Superentity = Trip
  let ship = Attribute<String>("ship", default: "")
}

private struct Stop: EntityType {
  let place = Attribute<String>("place")
  let nights = Attribute<Int?>("nights")
  let trip = ToOne<Trip>("trip")
  let guests = ToMany<Guest>("guests", inverse: \.stop)
}

private struct Guest: EntityType {
  let name = Attribute<String>("name")
  let stop = ToOne<Stop>("stop")
}

private enum Kind: String, AttributeValue {
  case leisure
  case work
}

@Suite("Typed predicates")
struct TypedPredicateTests {
  static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
  private static let id = ObjectID(
    store: StoreTag(rawValue: 0xABCD), key: ObjectKey(entity: 1, number: 7))

  @Test("Each says what its text says")
  func texts() throws {
    func check<Root>(
      _ typed: TypedPredicate<Root>, _ text: String, _ arguments: (any QueryArgument)?...,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      let written = try QueryPredicate(text, arguments: arguments)
      #expect(typed.predicate == written, sourceLocation: location)
      #expect(try QueryPredicate(typed.description) == typed.predicate, sourceLocation: location)
    }

    try check(
      Trip.start > Self.now && Trip.name.begins(with: "L", .caseInsensitive),
      "start > %@ AND name BEGINSWITH[c] 'L'", Self.now)
    try check(Trip.start == nil, "start == nil")
    try check(Trip.start != nil || !(Trip.name == "x"), "start != nil OR NOT name == 'x'")
    try check(Trip.start < Trip.end, "start < end")
    try check(Trip.start >= Trip.end, "start >= end")
    try check(Trip.days <= 3, "days <= 3")
    try check(Trip.name != Trip.code, "name != shortCode")
    try check(Trip.days.isBetween(2...5), "days BETWEEN {2, 5}")
    try check(Trip.kind == .work, "kind == 'work'")
    try check(Trip.kind.isIn([.work, .leisure]), "kind IN {'work', 'leisure'}")
    try check(Trip.code.isIn(["A", "B"]), "shortCode IN {'A', 'B'}")
    try check(Trip.isOpen == false, "isOpen == NO")
    try check(Trip.name.equals("l", [.caseInsensitive, .diacriticInsensitive]), "name ==[cd] 'l'")
    try check(Trip.code.contains("x"), "shortCode CONTAINS 'x'")
    try check(Trip.code.ends(with: "x"), "shortCode ENDSWITH 'x'")
    try check(Trip.code.isLike("x*", .caseInsensitive), "shortCode LIKE[c] 'x*'")
    try check(Trip.name.matches("[a-z]+"), "name MATCHES '[a-z]+'")
    try check(Trip.name.uppercased() == "X", "uppercase(name) == 'X'")
    try check(Trip.name.length > 3, "length(name) > 3")
    try check(Trip.price * 1.2 > 100, "price * 1.2 > 100.0")
    try check(Trip.days + Trip.days - 1 == 7, "days + days - 1 == 7")
    try check(Trip.price / Trip.price == 1, "price / price == 1.0")
  }

  @Test("Related objects")
  func related() throws {
    func check<Root>(
      _ typed: TypedPredicate<Root>, _ text: String, _ arguments: (any QueryArgument)?...,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      #expect(
        try typed.predicate == QueryPredicate(text, arguments: arguments),
        sourceLocation: location)
    }

    try check(Stop.trip.name == "x", "trip.name == 'x'")
    try check(Guest.stop.trip.start > Self.now, "stop.trip.start > %@", Self.now)
    try check(Stop.trip == nil, "trip == nil")
    try check(Stop.trip != Self.id, "trip != %@", Self.id)
    try check(Stop.trip.stops.count > 3, "trip.stops.@count > 3")
    try check(Trip.stops.isEmpty, "stops.@count == 0")
    try check(Trip.stops.any.place == "x", "ANY stops.place == 'x'")
    try check(Trip.stops.all.nights > 1, "ALL stops.nights > 1")
    try check(Stop.guests.any.stop.trip == Self.id, "ANY guests.stop.trip == %@", Self.id)
    try check(Trip.stops.sum(of: \.nights) >= 7, "stops.@sum.nights >= 7")
    try check(Trip.stops.average(of: \.nights) >= 1.5, "stops.@avg.nights >= 1.5")
    try check(Trip.stops.max(of: \.nights) == 2, "stops.@max.nights == 2")
    try check(Trip.stops.min(of: \.place) == "A", "stops.@min.place == 'A'")
    try check(
      Trip.stops.contains { $0.place == "x" && $0.nights > 2 },
      "SUBQUERY(stops, $x, $x.place == 'x' AND $x.nights > 2).@count > 0")
    try check(
      Trip.stops.count { $0.guests.contains { $0.name == "Ada" } } == 2,
      "SUBQUERY(stops, $x1, SUBQUERY($x1.guests, $x, $x.name == 'Ada').@count > 0).@count == 2")
  }

  @Test("Inherited properties belong to the entity they are asked of")
  func inheritance() throws {
    let typed: TypedPredicate<Cruise> = Cruise.ship == "x" && Cruise.name == "y"
    #expect(try typed.predicate == QueryPredicate("ship == 'x' AND name == 'y'"))
    #expect(Cruise.stops.isEmpty.description == "stops.@count == 0")
  }

  @Test("A request with its sort keys")
  func request() throws {
    let request = QueryRequest(
      Stop.self, where: Stop.nights > 1,
      sortedBy: Stop.trip.name.ascending(.caseInsensitive), Stop.nights.descending(), limit: 5)
    var written = QueryRequest("Stop", where: try QueryPredicate("nights > 1"))
    written.sortKeys = [
      SortKey("trip.name", options: .caseInsensitive), SortKey("nights", ascending: false),
    ]
    written.fetchLimit = 5
    #expect(request == written)
  }

  @Test("A subquery's name is one that its condition does not use")
  func names() throws {
    let other = TypedPredicate<Stop>(try QueryPredicate("place == $x AND nights == $x1"))
    #expect(
      try Trip.stops.contains { _ in other }.predicate
        == QueryPredicate("SUBQUERY(stops, $x2, $x2.place == $x AND $x2.nights == $x1).@count > 0"))
  }

  @Test("All of it is understood by a model of the same types")
  func binding() throws {
    let model = try Model {
      Trip.self
      Cruise.self
      Stop.self
      Guest.self
    }
    let schema = try Schema(model)
    let conditions: [QueryPredicate] = [
      (Trip.start > Self.now && Trip.kind == .work).predicate,
      (Trip.price * 1.2 > 100 && Trip.name.length > 3).predicate,
      Trip.stops.contains { $0.guests.contains { $0.name == "Ada" } }.predicate,
      (Trip.stops.any.place == "x" && Trip.stops.max(of: \.nights) == 2).predicate,
    ]
    for condition in conditions {
      _ = try QueryPlan(QueryRequest("Trip", where: condition), model: model, schema: schema)
    }
  }
}
