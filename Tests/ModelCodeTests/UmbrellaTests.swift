import Testing

/// A program that imports Quire together with a toolkit for user interfaces.
@Suite("The umbrella together with other modules")
struct UmbrellaTests {
  private static let words = [
    "View", "Layout", "Column", "Block", "Layer", "Schema", "Value", "Property", "Section", "Table",
    "Text", "State", "Binding", "Form", "Path", "Color", "Image", "Label", "Store", "Window",
  ]

  @Test("Names that a toolkit declares mean the toolkit's types", arguments: [[], Compiler.strict])
  func toolkit(_ flags: [String]) throws {
    let toolkit = Self.words.map { "public struct \($0) { public init() {} }" }
    let uses = Self.words.map { "let value\($0) = \($0)()" }
    let program = """
      import Foundation
      import Quire
      import Toolkit

      @Entity final class Trip: ManagedObject {
        var name: String = ""
        var start: Date?
        @Relationship(.cascade, inverse: \\Stop.trip) var stops: RelatedObjects<Stop>
      }

      @Entity final class Stop: ManagedObject {
        var nights: Int = 1
        var trip: Trip?
      }

      func look(in context: ManagedObjectContext) throws {
        let trips = try context.fetch(Trip.where { $0.name == "x" && $0.stops.any { $0.nights > 2 } })
        let late = try context.fetch(
          Trip.self, where: QueryPredicate("start > %@", Date.now) && QueryPredicate("name != ''"))
        for trip in trips + late { trip["name"] = .string("y") }
      \(uses.map { "  " + $0 }.joined(separator: "\n"))
        print(\(Self.words.map { "value\($0)" }.joined(separator: ", ")))
      }
      """

    #expect(
      try Compiler().check(
        ["A.swift": program], flags: flags,
        beside: ["Toolkit": toolkit.joined(separator: "\n")]) == "")
  }
}
