import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import SpecVectors
import Testing

/// The functions of predicates, evaluated for the cases of spec §17.
@Suite("Functions of the specification")
struct FunctionVectorTests {
  static let page = "17-functions.md"

  @Test("The chapter has cases for every function that it defines")
  func names() throws {
    let names = Set(
      try SpecVector.all("function", on: Self.page).flatMap { $0[all: "case"] }.map {
        String($0.prefix { $0 != ";" })
      })
    let wanted: Set = [
      "year", "quarter", "month", "week", "day", "weekday", "hour", "minute", "second", "trunc",
      "round", "abs", "floor", "ceiling", "length", "substring", "replace", "trim", "upper",
      "lower", "concat", "coalesce",
    ]
    #expect(names == wanted)
  }

  @Test(
    "Each case has the result of the specification",
    arguments: try SpecVector.all("function", on: FunctionVectorTests.page))
  func cases(_ vector: SpecVector) throws {
    let world = try World()
    for text in vector[all: "case"] {
      let ends = text.components(separatedBy: " -> ")
      let parts = ends[0].components(separatedBy: "; ")
      var arguments: [QueryExpression] = []
      for part in parts.dropFirst() { arguments.append(.constant(try Self.value(part))) }
      let wanted = try Self.value(ends[1])
      // The names of the cases are those of texts.
      let places = arguments.map { _ in "%@" }.joined(separator: ", ")
      let call = try QueryExpression("\(parts[0])(\(places))", arguments: arguments)
      let found = try? CompiledExpression(
        call, entity: "Sample", model: world.model, schema: world.schema)
      guard let found else {
        // A wrong name of a zone or a unit is refused, and a value of a wrong type too.
        #expect(wanted.isNull, "\(text) is refused")
        continue
      }
      let key = ObjectKey(entity: world.schema["Sample"]!.entityNumber, number: 1)
      let row = try #require(try world.source.row(of: key))
      let result = try found.value(for: key, row, in: world.source)
      #expect(result == .value(wanted), "\(text)")
    }
  }

  private static func value(_ text: String) throws -> Value {
    if text == "nothing" { return .null }
    let kind = text.prefix { $0 != " " }
    let rest = String(text.dropFirst(kind.count + 1))
    switch kind {
    case "integer": return .integer(try #require(Int64(rest)))
    case "real": return .double(try #require(Double(rest)))
    case "date":
      return .date(Date(timeIntervalSinceReferenceDate: try #require(Double(rest))))
    case "decimal": return .decimal(try #require(Decimal(string: rest)))
    default:
      return .string(try JSONDecoder().decode(String.self, from: Data(rest.utf8)))
    }
  }
}
