import Foundation
import Quire
import Testing

@Entity class Tour: ManagedObject {
  var name: String
  var start: Date?
  var end: Date?
  var days: Int16 = 1
  var price: Double?
  var kind: TourKind = .leisure
  @Attribute("shortCode") var code: String?
  var isOpen: Bool = true
  @Relationship(inverse: \Stay.tour) var stays: RelatedObjects<Stay>
}

@Entity final class BoatTour: Tour {
  var ship: String = ""
}

@Entity final class Stay: ManagedObject {
  var place: String
  var nights: Int?
  var tour: Tour?
  @Relationship(inverse: \Guest.stay) var guests: RelatedObjects<Guest>
}

@Entity final class Guest: ManagedObject {
  var name: String
  var stay: Stay?
}

enum TourKind: String, AttributeValue { case leisure, work }

@Suite("Predicates of classes")
struct EntityPredicateTests {
  private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private func check<Object>(
    _ request: FetchRequest<Object>, _ text: String, _ arguments: (any QueryArgument)?...,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let written = try QueryPredicate(text, arguments: arguments)
    let predicate = try #require(request.predicate)
    #expect(predicate == written, sourceLocation: location)
    #expect(try QueryPredicate(predicate.description) == predicate, sourceLocation: location)
  }

  @Test("A predicate of fields equals the predicate of the same text")
  func texts() throws {
    let now = Self.now
    try check(
      Tour.where { $0.start > now && $0.name.begins(with: "L", .caseInsensitive) },
      "start > %@ AND name BEGINSWITH[c] 'L'", now)
    try check(Tour.where { $0.start == nil }, "start == nil")
    try check(
      Tour.where { $0.start != nil || !($0.name == "x") }, "start != nil OR NOT name == 'x'")
    try check(Tour.where { $0.isOpen }, "isOpen == true")
    try check(Tour.where { !$0.isOpen }, "isOpen == false")
    try check(
      Tour.where { $0.isOpen && $0.days > 3 || !$0.isOpen },
      "isOpen == true AND days > 3 OR isOpen == false")
    try check(
      Tour.where { $0.days > 3 && $0.isOpen || $0.isOpen },
      "days > 3 AND isOpen == true OR isOpen == true")
    try check(
      Tour.where { $0.isOpen && $0.isOpen || $0.isOpen || $0.days > 3 },
      "isOpen == true AND isOpen == true OR isOpen == true OR days > 3")
    try check(Tour.where { $0.start < $0.end }, "start < end")
    try check(Tour.where { $0.start >= $0.end }, "start >= end")
    try check(Tour.where { $0.days <= 3 }, "days <= 3")
    try check(Tour.where { $0.name != $0.code }, "name != shortCode")
    try check(Tour.where { $0.days.isBetween(2...5) }, "days BETWEEN {2, 5}")
    try check(Tour.where { $0.kind == .work }, "kind == 'work'")
    try check(Tour.where { $0.kind.isIn([.work, .leisure]) }, "kind IN {'work', 'leisure'}")
    try check(Tour.where { $0.code.isIn(["A", "B"]) }, "shortCode IN {'A', 'B'}")
    try check(Tour.where { $0.isOpen == false }, "isOpen == NO")
    try check(
      Tour.where { $0.name.equals("l", [.caseInsensitive, .diacriticInsensitive]) },
      "name ==[cd] 'l'")
    try check(Tour.where { $0.code.contains("x") }, "shortCode CONTAINS 'x'")
    try check(Tour.where { $0.code.ends(with: "x") }, "shortCode ENDSWITH 'x'")
    try check(Tour.where { $0.code.isLike("x*", .caseInsensitive) }, "shortCode LIKE[c] 'x*'")
    try check(Tour.where { $0.name.matches("[a-z]+") }, "name MATCHES '[a-z]+'")
    try check(Tour.where { $0.name.uppercased() == "X" }, "uppercase(name) == 'X'")
    try check(Tour.where { $0.name.length > 3 }, "length(name) > 3")
    try check(Tour.where { $0.price * 1.2 > 100 }, "price * 1.2 > 100.0")
    try check(Tour.where { $0.days + $0.days - 1 == 7 }, "days + days - 1 == 7")
    try check(Tour.where { $0.price / $0.price == 1 }, "price / price == 1.0")
  }

  @Test("Functions of dates, texts and numbers are members of fields")
  func functions() throws {
    let now = Self.now
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    try check(Tour.where { $0.start.year == 2026 }, "year(start) == 2026")
    try check(Tour.where { $0.start.month(in: berlin) < 5 }, "month(start, 'Europe/Berlin') < 5")
    try check(Tour.where { $0.start.weekday > 5 }, "weekday(start) > 5")
    try check(
      Tour.where { $0.start.truncated(to: .month) == now }, "trunc(start, 'month') == %@", now)
    try check(
      Tour.where { $0.start.truncated(to: .day, in: berlin) < $0.end },
      "trunc(start, 'day', 'Europe/Berlin') < end")
    try check(Tour.where { $0.start + 3600 > now }, "start + 3600.0 > %@", now)
    try check(Tour.where { $0.end - $0.start > 60 }, "end - start > 60.0")
    try check(
      Tour.where { $0.name.trimmed().lowercased() == "x" }, "lowercase(trim(name)) == 'x'")
    try check(
      Tour.where { $0.name.characters(from: 1, count: 3) == "Lis" },
      "substring(name, 1, 3) == 'Lis'")
    try check(
      Tour.where { $0.code.replacing("-", with: "") == "x" }, "replace(shortCode, '-', '') == 'x'")
    try check(Tour.where { $0.name + "!" == "x!" }, "name + '!' == 'x!'")
    try check(Tour.where { $0.price.rounded(toPlaces: 2) > 1 }, "round(price, 2) > 1.0")
    try check(Tour.where { $0.days.magnitude == 3 }, "abs(days) == 3")

    let sorted = Tour.all.sorted(ascending: false, by: { $0.name.length })
    #expect(
      sorted.query.sortKeys == [SortKey(try QueryExpression("length(name)"), ascending: false)])
    let grouped = Tour.all.grouped(
      by: { $0.start.truncated(to: .month) }, as: "month", fetching: .count)
    #expect(grouped.query.propertiesToGroupBy == ["month"])
    #expect(
      grouped.query.propertiesToFetch.first
        == FetchedValue("month", try QueryExpression("trunc(start, 'month')")))
  }

  @Test("Fields lead to the fields of related objects")
  func related() throws {
    let now = Self.now
    try check(Stay.where { $0.tour.name == "x" }, "tour.name == 'x'")
    try check(Guest.where { $0.stay.tour.start > now }, "stay.tour.start > %@", now)
    try check(Stay.where { $0.tour == nil }, "tour == nil")
    try check(Stay.where { $0.tour != nil }, "tour != nil")
    try check(Stay.where { $0.tour.stays.count > 3 }, "tour.stays.@count > 3")
    try check(Tour.where { $0.stays.isEmpty }, "stays.@count == 0")
    try check(Tour.where { $0.stays.sum(of: \.nights) >= 7 }, "stays.@sum.nights >= 7")
    try check(Tour.where { $0.stays.average(of: \.nights) >= 1.5 }, "stays.@avg.nights >= 1.5")
    try check(Tour.where { $0.stays.max(of: \.nights) == 2 }, "stays.@max.nights == 2")
    try check(Tour.where { $0.stays.min(of: \.place) == "A" }, "stays.@min.place == 'A'")
    try check(
      Tour.where { $0.stays.any { $0.place == "x" && $0.nights > 2 } },
      "SUBQUERY(stays, $x, $x.place == 'x' AND $x.nights > 2).@count > 0")
    try check(
      Tour.where { $0.stays.all { $0.nights > 1 } },
      "SUBQUERY(stays, $x, NOT $x.nights > 1).@count == 0")
    try check(
      Tour.where { $0.stays.count { $0.guests.any { $0.name == "Ada" } } == 2 },
      "SUBQUERY(stays, $x1, SUBQUERY($x1.guests, $x, $x.name == 'Ada').@count > 0).@count == 2")
  }

  @Test("A subclass has the fields that it inherits")
  func inheritance() throws {
    try check(BoatTour.where { $0.ship == "x" && $0.name == "y" }, "ship == 'x' AND name == 'y'")
    #expect(BoatTour.where { $0.stays.isEmpty }.entity == "BoatTour")
  }

  @Test("A request has sort keys and a limit")
  func request() throws {
    let request = Stay.where { $0.nights > 1 }
      .sorted(by: \.place, options: .caseInsensitive).sorted(by: \.nights, ascending: false)
      .limited(to: 5)
    var written = QueryRequest("Stay", where: try QueryPredicate("nights > 1"))
    written.sortKeys = [
      SortKey("place", options: .caseInsensitive), SortKey("nights", ascending: false),
    ]
    written.fetchLimit = 5
    #expect(request.query == written)
  }

  @Test("A request sorts by properties of related objects, and prefetches them")
  func steps() throws {
    let request = Guest.all.sorted { $0.stay.tour.code }
      .sorted(ascending: false, options: .caseInsensitive) { $0.stay.place }
      .prefetching { $0.stay.tour }.prefetching(\.stay)
    #expect(
      request.query.sortKeys == [
        SortKey("stay.tour.shortCode"),
        SortKey("stay.place", ascending: false, options: .caseInsensitive),
      ])
    #expect(request.query.relationshipKeyPathsForPrefetching == ["stay.tour", "stay"])

    let context = try ManagedObjectContext.inMemory([
      Tour.self, BoatTour.self, Stay.self, Guest.self,
    ])
    for (name, place) in [("Ada", "Porto"), ("Bob", "Faro")] {
      let stay = try context.insert(Stay.self) { $0.place = place }
      try context.insert(Guest.self) { ($0.name, $0.stay) = (name, stay) }
    }
    #expect(try context.fetch(Guest.all.sorted { $0.stay.place }).map(\.name) == ["Bob", "Ada"])
  }

  @Test("The values of groups have the types of the properties")
  func groups() throws {
    let context = try ManagedObjectContext.inMemory([
      Tour.self, BoatTour.self, Stay.self, Guest.self,
    ])
    for (name, days, price) in [("A", 1, 2.5), ("B", 2, nil), ("A", 4, 1)]
      as [(String, Int16, Double?)]
    {
      try context.insert(Tour.self) { ($0.name, $0.days, $0.price) = (name, days, price) }
    }
    let table = try context.fetchTable(
      Tour.all.grouped(
        by: \.name, \.price, fetching: FetchedValue("all", .function(.sum, [.path("days")]))
      ).sorted(by: \.name).sorted(by: \.price))
    #expect(table.values(of: \Tour.name) == ["A", "A", "B"])
    #expect(table.values(of: \Tour.price) == [1, 2.5, nil])
    #expect(table.values(named: "all", as: Int.self) == [4, 1, 2])
  }

  @Test("The variable of a subquery has a name that its condition does not use")
  func names() throws {
    let other = TypedPredicate<Stay>(try QueryPredicate("place == $x AND nights == $x1"))
    try check(
      Tour.where { $0.stays.any { _ in other } },
      "SUBQUERY(stays, $x2, $x2.place == $x AND $x2.nights == $x1).@count > 0")
  }

  @Test("The name in the model may differ from the name in Swift")
  func modelNames() throws {
    let context = try ManagedObjectContext.inMemory([
      Tour.self, BoatTour.self, Stay.self, Guest.self,
    ])
    let tour = try context.insert(BoatTour.self) {
      $0.name = "Rhine"
      $0.code = "RH"
    }
    #expect(tour["shortCode"] == .string("RH") && tour.code == "RH")
    #expect(try context.fetch(#Predicate<BoatTour> { $0.code == "RH" }) == [tour])
    #expect(try context.fetch(Tour.all.sorted(by: \.code)) == [tour])
  }
}
