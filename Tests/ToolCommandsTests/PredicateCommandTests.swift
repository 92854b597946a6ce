import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire predicate")
struct PredicateCommandTests {
  private static let reader = ModelReader { _ in
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int16)),
    ]
    return ModelVersions([.init("Small", model: try Model(entities: [trip]))], currentName: "Small")
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(
      ["predicate"] + words, tool: Tool(commands: [PredicateCommand.command(Self.reader)]))
  }

  @Test("quire predicate prints the predicate in Quire's spelling, and its tree below")
  func tree() {
    #expect(
      run("name contains[DC] 'x' && NONE stops.cost > 2*3").output == """
        name CONTAINS[cd] "x" AND NOT ANY stops.cost > 2 * 3

        AND
          CONTAINS[cd]
            name
            "x"
          NOT
            ANY >
              stops.cost
              multiply:by:
                2
                3

        """)
  }

  @Test("JSON output contains the same tree as objects")
  func json() {
    let output = run("a == 1", "--format", "json").output
    #expect(
      output == """
        {
          "text": "a == 1",
          "tree": {
            "kind": "comparison",
            "text": "==",
            "parts": [
              {
                "kind": "path",
                "text": "a"
              },
              {
                "kind": "value",
                "text": "1"
              }
            ]
          }
        }

        """)
  }

  @Test("A syntax error is shown at its place")
  func caret() {
    let run = run("name == 'x' AND days BETWEN {1, 2}")
    #expect(run.exitCode == .wrongUsage)
    #expect(
      run.messages == """
        error: The operator "BETWEN" is unknown. Did you mean "BETWEEN"?
        name == 'x' AND days BETWEN {1, 2}
                             ^

        """)
  }

  @Test("Names and types are checked against a model")
  func model() {
    #expect(run("days > $N", "--model", "m", "--entity", "Trip").exitCode == .done)
    let wrong = run("days > 1 AND nme == 'x'", "--model", "m", "--entity", "Trip")
    #expect(wrong.exitCode == .wrongUsage)
    #expect(
      wrong.messages == """
        error: "Trip" has no property "nme". Did you mean "name"?
        days > 1 AND nme == 'x'
                     ^

        """)
    #expect(
      run("name == 'a' AND days == 'x'", "--model", "m", "--entity", "Trip").messages == """
        error: == can't compare a number with text.
        name == 'a' AND days == 'x'
                             ^

        """)
    #expect(
      run("days == 3 OR days > 1/0", "--model", "m", "--entity", "Trip").messages == """
        error: This constant part has no value: it divides by zero. To find objects without a \
        value, compare with NULL.
        days == 3 OR days > 1/0
                            ^

        """)
    // A variable may have a value of any type.
    #expect(
      run("days > $N + 1 AND $X.name == name", "--model", "m", "--entity", "Trip").exitCode
        == .done)
    #expect(
      run("days > 1", "--model", "m", "--entity", "Tripp").messages.contains(
        "Did you mean \"Trip\""))
    #expect(run("a == 1", "--entity", "Trip").exitCode == .wrongUsage)
    #expect(run("a == 1", "--model", "m").exitCode == .wrongUsage)
  }
}
