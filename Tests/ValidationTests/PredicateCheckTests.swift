import Foundation
import ObjectModel
import Rows
import Testing
import Validation

@Suite("Validation predicates of stores")
struct PredicateCheckTests {
  private static func stores(_ predicate: String) throws -> [UInt8] {
    let trip = entity(
      "Trip", [Attribute("place", .composite, compositeName: "Place")],
      relationships: [
        Relationship(
          "stops", to: "Stop", inverse: "trip", count: .toMany,
          validationPredicates: [ValidationPredicate(predicate, message: "Too dear.")])
      ])
    let stop = entity(
      "Stop", [Attribute("cost", .int32)],
      relationships: [Relationship("trip", to: "Trip", inverse: "stops")])
    let place = CompositeType(
      "Place", attributes: [Attribute("latitude", .double), Attribute("longitude", .double)])
    return try storeBytes([trip, stop], composites: [place]) { saving in
      for number in 1...3 { saving.insert("Trip", UInt64(number)) }
      for (number, (trip, cost)) in [(1, 4), (1, 5), (2, 6), (2, 7)].enumerated() {
        saving.insert(
          "Stop", UInt64(number + 1),
          [
            "trip": .object(saving.key("Trip", UInt64(trip))), "cost": .integer(Int64(cost)),
          ])
      }
    }
  }

  @Test("A relationship's predicate is evaluated on the related objects")
  func relationship() throws {
    let report = try BrokenFile.report(Self.stores("SELF.@sum.cost <= 10"))

    #expect(report.findings.map(\.rule.id) == ["GRAF-030"], "\(report.text)")
    #expect(report.text.contains("Trip 2, stops: Too dear. (spec §6.3.9)"), "\(report.text)")
    #expect(report.verdict == .invalid)
    let sound = try BrokenFile.report(Self.stores("SELF.@count < 3 AND ALL SELF.cost > 3"))
    #expect(sound.verdict == .valid && sound.findings.isEmpty, "\(sound.text)")
  }

  @Test(
    "A slow predicate is skipped, and an unusable predicate is a warning",
    arguments: [
      ("SUBQUERY(SELF, $s, $s.cost > 3).@count == 0", ValidationReport.Verdict.incomplete, []),
      ("SELF.trip.stops.trip.stops.@count == 0", .incomplete, []),
      ("SELF.colour == 'red'", .valid, ["GRAF-031"]),
      ("SELF >", .valid, ["GRAF-031"]),
    ])
  func undecided(_ predicate: String, _ verdict: ValidationReport.Verdict, _ rules: [String]) throws
  {
    let report = try BrokenFile.report(Self.stores(predicate))

    #expect(report.verdict == verdict, "\(report.text)")
    #expect(report.findings.map(\.rule.id) == rules, "\(report.text)")
  }

  @Test("A composite attribute's predicate is evaluated if a part has a value")
  func composite() throws {
    let condition = ValidationPredicate("latitude > 0 OR longitude > 0")
    let trip = entity(
      "Trip",
      [
        Attribute(
          "place", .composite, validation: .init(predicates: [condition]), compositeName: "Place")
      ])
    let place = CompositeType(
      "Place", attributes: [Attribute("latitude", .double), Attribute("longitude", .double)])
    let report = try BrokenFile.report(
      storeBytes([trip], composites: [place]) { saving in
        saving.insert("Trip", 1)
        saving.insert("Trip", 2, ["place.latitude": .double(-1)])
        saving.insert("Trip", 3, ["place.latitude": .double(-1), "place.longitude": .double(2)])
      })

    #expect(report.findings.map(\.rule.id) == ["GRAF-030"], "\(report.text)")
    #expect(report.text.contains("Trip 2, place: The object does not meet"), "\(report.text)")
  }
}
