import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import Testing

@Suite("Dates that are not a number")
struct OddDateTests {
  @Test("Nothing is between bounds if one of them is not a number", arguments: [0, 1])
  func bounds(place: Int) throws {
    let world = try World()
    let odd = QueryExpression.constant(.date(Date(timeIntervalSinceReferenceDate: .nan)))
    let bounds =
      place == 0 ? [odd, .constant(.date(World.now))] : [.constant(.date(.distantPast)), odd]
    let between = QueryPredicate.comparison(.init(.path("when"), .between, .aggregate(bounds)))

    #expect(try world.scan(between).isEmpty)
    #expect(try world.ask(between).isEmpty)
  }
}
