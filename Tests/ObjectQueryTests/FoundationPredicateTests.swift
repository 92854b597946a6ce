import Foundation
import ObjectModel
import ObjectQuery
import Testing

private class Trip: EntityMapped {
  var name = ""
  var code: String?
  var start: Date?
  var days = 1
  var price = 0.0
  var isOpen = true
  var stops: [Stop] = []
  // Only the path of a final property has a name that can be found.
  final var notMapped = 0

  static var propertyNames: [AnyKeyPath: String] {
    [
      \Trip.name: "name", \Trip.code: "shortCode", \Trip.start: "start", \Trip.days: "days",
      \Trip.price: "price", \Trip.isOpen: "isOpen", \Trip.stops: "stops",
    ]
  }
}

private final class PersonalTrip: Trip {}

private final class Stop: EntityMapped {
  var place = ""
  var nights: Int?
  var trip: Trip?

  static let entityName = "Halt"
  static var propertyNames: [AnyKeyPath: String] {
    [\Stop.place: "place", \Stop.nights: "nights", \Stop.trip: "trip"]
  }
}

@Suite("Foundation's predicates and sort descriptors")
struct FoundationPredicateTests {
  private func check<T: EntityMapped>(
    _ predicate: Predicate<T>, _ text: String, _ arguments: (any QueryArgument)?...,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let walked = try QueryPredicate(predicate)
    #expect(
      try walked == QueryPredicate(text, arguments: arguments), "\(walked)",
      sourceLocation: location)
  }

  @Test("Comparisons, logic and arithmetic are translated")
  func comparing() throws {
    let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let least = 3
    try check(#Predicate<Trip> { $0.days >= least && $0.name == "x" }, "days >= 3 AND name == 'x'")
    try check(#Predicate<Trip> { !($0.days < 2) || $0.isOpen }, "NOT days < 2 OR isOpen == YES")
    try check(#Predicate<Trip> { $0.name != "x" }, "name != 'x'")
    try check(#Predicate<Trip> { $0.days * 2 + 1 > 7 }, "days * 2 + 1 > 7")
    try check(#Predicate<Trip> { $0.days % 2 == 1 }, "modulus:by:(days, 2) == 1")
    try check(#Predicate<Trip> { $0.days / 2 == 1 }, "days / 2 == 1")
    try check(#Predicate<Trip> { $0.price / 2 > 1.5 }, "price / 2.0 > 1.5")
    try check(#Predicate<Trip> { -$0.days < 0 }, "0 - days < 0")
    try check(
      #Predicate<Trip> { $0.start ?? now > now }, "TERNARY(start != nil, start, %@) > %@", now, now)
    try check(#Predicate<Trip> { (1...5).contains($0.days) }, "days BETWEEN {1, 5}")
    try check(#Predicate<Trip> { ($0.days..<9).contains(3) }, "3 >= days AND 3 < 9")
    let range = 1..<5
    try check(#Predicate<Trip> { range.contains($0.days) }, "days >= 1 AND days < 5")
    try check(#Predicate<Trip> { ($0.isOpen ? 1 : 2) == 2 }, "TERNARY(isOpen == YES, 1, 2) == 2")
    try check(#Predicate<Trip> { _ in true }, "TRUEPREDICATE")
  }

  @Test("A conversion to a subclass is an error that names it")
  func casts() throws {
    let error = #expect(throws: QueryError.self) {
      try QueryPredicate(#Predicate<Trip> { ($0 as? PersonalTrip)?.days == 3 })
    }
    #expect(error?.code == .notSupported && error?.message.contains("as?") == true)
  }

  @Test("A question for a subclass asks for the objects of its entity")
  func subclasses() throws {
    let personal = "FETCH('PersonalTrip', TRUEPREDICATE, NO)"
    try check(#Predicate<Trip> { $0 is PersonalTrip }, "SELF IN \(personal)")
    try check(#Predicate<Trip> { !($0 is PersonalTrip) }, "NOT SELF IN \(personal)")
    try check(#Predicate<Stop> { $0.trip! is PersonalTrip }, "trip IN \(personal)")
  }

  @Test("A missing value differs from every other value, as in Swift")
  func missing() throws {
    try check(#Predicate<Trip> { $0.code == nil }, "shortCode == nil")
    try check(#Predicate<Trip> { $0.code != nil }, "shortCode != nil")
    try check(#Predicate<Trip> { $0.code == "x" }, "shortCode == 'x'")
    try check(#Predicate<Trip> { $0.code != "x" }, "shortCode != 'x' OR shortCode == nil")
    try check(#Predicate<Stop> { $0.trip?.name == "x" }, "trip.name == 'x'")
    try check(
      #Predicate<Stop> { $0.trip?.code != "x" }, "trip.shortCode != 'x' OR trip.shortCode == nil")
    try check(#Predicate<Stop> { $0.trip!.days == 3 }, "trip.days == 3")
    try check(
      #Predicate<Stop> { $0.trip?.name.contains("x") ?? false }, "trip.name CONTAINS 'x'")
    try check(
      #Predicate<Stop> { $0.trip?.code == $0.trip?.code },
      "trip.shortCode == trip.shortCode OR (trip.shortCode == nil AND trip.shortCode == nil)")
  }

  @Test("Text and collection operations are translated")
  func collections() throws {
    let names = ["a", "b"]
    try check(#Predicate<Trip> { $0.name.contains("x") }, "name CONTAINS 'x'")
    try check(#Predicate<Trip> { $0.name.starts(with: "x") }, "name BEGINSWITH 'x'")
    try check(#Predicate<Trip> { $0.name.isEmpty }, "name == ''")
    try check(#Predicate<Trip> { $0.name.count > 3 }, "length(name) > 3")
    try check(#Predicate<Trip> { names.contains($0.name) }, "name IN {'a', 'b'}")
    try check(#Predicate<Trip> { $0.stops.count > 2 }, "stops.@count > 2")
    try check(#Predicate<Trip> { $0.stops.isEmpty }, "stops.@count == 0")
    try check(
      #Predicate<Trip> { $0.stops.contains { $0.place == "x" } },
      "SUBQUERY(stops, $e0, $e0.place == 'x').@count > 0")
    try check(
      #Predicate<Trip> { $0.stops.allSatisfy { $0.place == "x" } },
      "SUBQUERY(stops, $e0, NOT $e0.place == 'x').@count == 0")
    try check(
      #Predicate<Trip> { trip in
        trip.stops.filter { $0.place == trip.name && $0.nights != nil }.count == 1
      },
      "SUBQUERY(stops, $e0, $e0.place == name AND $e0.nights != nil).@count == 1")
    try check(#Predicate<Trip> { $0.stops[0].place == "x" }, "stops[0].place == 'x'")
    try check(#Predicate<Trip> { $0.stops.first?.place == "x" }, "stops[FIRST].place == 'x'")
  }

  @Test("An expression without a counterpart is refused by name")
  func refusing() throws {
    func refuse<T: EntityMapped>(_ predicate: Predicate<T>, _ words: String) {
      let error = #expect(throws: QueryError.self) { try QueryPredicate(predicate) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    refuse(#Predicate<Trip> { $0.notMapped == 1 }, "notMapped")
    refuse(#Predicate<Trip> { $0.stops[0..<1].isEmpty }, "CollectionRangeSubscript")
    let thing = CocoaLike(x: 1)
    refuse(#Predicate<Trip> { _ in thing == thing }, "CocoaLike")
    refuse(#Predicate<Stop> { $0.trip?.name.contains("x") ?? true }, "?? false")
  }

  @Test("Sort descriptors are translated")
  func sorting() throws {
    #expect(
      try SortKey(SortDescriptor(\Trip.days, order: .reverse))
        == SortKey("days", ascending: false))
    #expect(try SortKey(SortDescriptor(\Trip.name)) == SortKey("name"))
    #expect(try SortKey(SortDescriptor(\Trip.name, comparator: .lexical)) == SortKey("name"))
    let error = #expect(throws: QueryError.self) { try SortKey(SortDescriptor(\Trip.notMapped)) }
    #expect(error?.code == .unknownProperty)

    let request = try QueryRequest(
      #Predicate<Stop> { $0.place == "x" }, sortedBy: [SortDescriptor(\.nights)], limit: 3)
    #expect(request.entity == "Halt")
    #expect(request.sortKeys == [SortKey("nights")])
    #expect(request.fetchLimit == 3)
  }
}

private struct CocoaLike: Codable, Equatable, Sendable { var x: Int }
