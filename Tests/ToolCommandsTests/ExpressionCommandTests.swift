import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// Expressions in `quire fetch` and `quire set`: computed columns, groups and values, and edits that change nothing.
@Suite("Expressions of the tool")
struct ExpressionCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity(
        "Order",
        properties: [
          .attribute(Attribute("name", .string)),
          .attribute(Attribute("price", .decimal)),
          .attribute(Attribute("count", .int16, validation: .init(maximum: .integer(99)))),
          .attribute(Attribute("rate", .double)),
          .attribute(Attribute("total", .decimal)),
          .attribute(Attribute("placed", .date)),
          .attribute(Attribute("due", .date)),
          .attribute(Attribute("open", .boolean)),
          .relationship(Relationship("lines", to: "Line", inverse: "order", count: .toMany)),
        ]),
      Entity(
        "Line",
        properties: [
          .attribute(Attribute("amount", .decimal)),
          .relationship(Relationship("order", to: "Order", inverse: "lines")),
        ]),
    ])
    try BinaryStoreBackend().create(
      at: "/Shop.store", model: model, on: disk, StoreCreation()
    ).close()
    for words in [
      ["name= Ada ", "price=19.99", "count=3", "placed=2026-04-30T23:30:00Z", "open=yes"],
      ["name=Bea", "price=5", "count=10", "placed=2026-05-01T00:00:00Z"],
      ["name=Cy", "count=4", "placed=2026-05-31T12:00:00Z"],
    ] {
      let run = RecordedRun(
        ["insert", "/Shop.store", "Order"] + words, tool: .editing(.files(on: disk)))
      try #require(run.exitCode == .done, "\(run.messages)")
    }
    for amount in ["1.10", "2.20"] {
      let words = ["insert", "/Shop.store", "Line", "amount=\(amount)", "order={name == 'Bea'}"]
      try #require(
        RecordedRun(words, tool: .editing(.files(on: disk))).exitCode == .done)
    }
  }

  private func run(_ words: String..., more: [String] = []) -> RecordedRun {
    RecordedRun(words + more, tool: .editing(.files(on: disk)))
  }

  private func set(_ words: String...) -> RecordedRun {
    RecordedRun(
      ["set", "/Shop.store", "Order", "--where", "TRUEPREDICATE"] + words,
      tool: .editing(.files(on: disk)))
  }

  /// The values of a column in the order of the names, without the identifiers.
  private func column(_ expression: String) -> [String] {
    let output = run(
      "fetch", "/Shop.store", "Order", "--columns", expression, "--sort", "TRIM(name)",
      "--ids", "--format", "csv"
    ).output
    return output.split(separator: "\n").dropFirst().map {
      String($0.drop { $0 != "," }.dropFirst())
    }
  }

  /// The size of the store, to which each save adds.
  private var byteCount: Int {
    get throws { try disk.open("/Shop.store", for: .read).byteCount() }
  }

  // MARK: - Set

  @Test("A value may be an expression of the object, and decimals stay exact")
  func computedValues() {
    let result = set(
      "price=ROUND(price * 1.1, 2)", "name=TRIM(name)", "total=SUM(lines.amount)",
      "due=placed+30d", "rate=count / 4.0")

    #expect(result.output == "3 objects changed.\n", "\(result.messages)")
    #expect(column("price") == ["21.99", "5.5", ""])
    #expect(column("name") == ["Ada", "Bea", "Cy"])
    #expect(column("total") == ["0", "3.3", "0"])
    #expect(
      column("due") == ["2026-05-30T23:30:00Z", "2026-05-31T00:00:00Z", "2026-06-30T12:00:00Z"])
    #expect(column("rate") == ["0.75", "2.5", "1.0"])
  }

  @Test("Expressions read the objects as they were")
  func oldValues() {
    #expect(set("due=placed", "placed=due").exitCode == .done)

    #expect(column("placed") == ["", "", ""])
    #expect(column("MONTH(due)") == ["4", "5", "5"])
  }

  @Test("A text is an expression only if it computes a text from a property, or after :=")
  func texts() {
    for (word, wanted) in [
      ("name=count", "count"), ("name=UPPER(x)", "UPPER(x)"), ("name=count*2", "count*2"),
      ("name=Length (m)", "Length (m)"), ("name=UPPER(name)", "UPPER(X)"), ("name=a + b", "a + b"),
      ("name:=UPPER(name) + '!'", "A + B!"), ("name:='TRIM(name)'", "TRIM(name)"),
    ] {
      // The last text is the object's, which the next expressions read.
      if word == "name=UPPER(name)" { #expect(set("name=x").exitCode == .done) }
      #expect(set(word).exitCode == .done, "\(word)")
      let found = Set(column("name"))
      #expect(found == [word == "name=UPPER(name)" ? "X" : wanted], "\(word)")
    }
  }

  @Test("If one value does not fit, nothing is saved")
  func allOrNothing() throws {
    let before = try byteCount
    let result = set("count=count / 2.0")

    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains("1.5"), "\(result.messages)")
    #expect(result.messages.contains("ROUND"), "\(result.messages)")
    #expect(try byteCount == before)
    #expect(set("count=count * 50").exitCode == .no)
    #expect(set("count=count * 32000").messages.contains("needs a whole number"))
    #expect(try byteCount == before)
  }

  @Test(
    "A wrong expression is refused with its place",
    arguments: [
      ("price=prize * 1.1", "Did you mean \"price\"?", "^"),
      ("price=price * (1", "to close the bracket", "^"),
      ("price=SUM(lines", "\",\" or \")\"", "^"),
      ("price=ROUNDED(price)", "Did you mean \"round\"?", "^"),
      ("price=name + name", "needs a decimal number", ""),
      ("price=lines.amount", "has one value", ""),
      ("price=AVG(price)", "of one value is that value", "^"),
      ("due=TRUNC(placed, 'moth')", "Did you mean \"month\"?", "^"),
      ("due=TRUNC(placed, 'month', 'Berlin')", "time zone \"Berlin\" is unknown", "^"),
      ("price=abc", "needs a decimal number, not 'abc'", ""),
      ("due=31.12.2026", "Write a date as 2026-01-31", ""),
    ])
  func wrongExpressions(word: String, message: String, caret: String) {
    let result = set(word)

    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains(message), "\(result.messages)")
    #expect(caret.isEmpty || result.messages.contains(caret), "\(result.messages)")
  }

  @Test("An insertion takes no expressions, because it has no object to read")
  func insertion() {
    let result = run("insert", "/Shop.store", "Order", "price:=count * 2")
    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains("an object that exists"), "\(result.messages)")
  }

  @Test("A value that is lost to an expression without one is told")
  func emptied() {
    #expect(set("rate=1").exitCode == .done)
    let result = set("rate=price / (count - 4)")
    #expect(result.output == "3 objects changed.\n")
    #expect(result.messages.contains("note: 1 object had a value"), "\(result.messages)")
  }

  // MARK: - No change

  @Test("Values that the objects have already are not saved")
  func unchanged() throws {
    let before = try byteCount
    #expect(
      run("set", "/Shop.store", "Order", "--where", "name == 'Bea'", "price=5").output
        == "0 objects changed, 1 unchanged. Nothing was saved.\n")
    #expect(set("count=count", "name:=name").output.hasPrefix("0 objects changed, 3 unchanged."))
    #expect(
      run("set", "/Shop.store", "Line", "--where", "TRUEPREDICATE", "order={name == 'Bea'}").output
        == "0 objects changed, 2 unchanged. Nothing was saved.\n")
    #expect(try byteCount == before)

    #expect(set("count=4").output == "2 objects changed, 1 unchanged.\n")
    #expect(try byteCount > before)
    let json = set("count=4", "--format", "json").output
    #expect(json.contains("\"unchanged\": 3") || json.contains("\"unchanged\":3"), "\(json)")
    #expect(json.contains("false"), "\(json)")
  }

  @Test("An import of the values that the store has changes nothing")
  func unchangedImport() throws {
    let rows = run(
      "fetch", "/Shop.store", "Order", "--columns", "name,price,count", "--ids", "--format", "csv"
    ).output
    let file = try disk.open("/orders.csv", for: .create)
    try file.write(Array(rows.utf8), at: 0)
    let before = try byteCount
    func imported() -> RecordedRun {
      RecordedRun(
        ["import", "/Shop.store", "/orders.csv", "--entity", "Order", "--same-store"],
        tool: Tool(commands: [ImportCommand.command(.files(on: disk))]))
    }

    #expect(
      imported().output == "0 objects inserted, 0 changed, 3 unchanged. Nothing was saved.\n")
    #expect(try byteCount == before)
    #expect(
      run("set", "/Shop.store", "Order", "--where", "name == 'Cy'", "price=7").exitCode == .done)
    #expect(imported().output == "0 objects inserted, 1 changed, 2 unchanged.\n")
  }

  // MARK: - Fetch

  @Test("Groups, columns and sort keys are expressions with names")
  func groups() {
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--group-by", "TRUNC(placed, \"month\") AS month",
        "--aggregate", "count, SUM(count * 2) AS pieces", "--sort", "-month", "--ids", "--format",
        "csv"
      ).output == "month,count,pieces\n2026-05-01T00:00:00Z,2,28\n2026-04-01T00:00:00Z,1,6\n")
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--group-by", "MONTH(placed)", "--having",
        "MONTH(placed) > 4", "--ids", "--format", "csv"
      ).output == "MONTH(placed),count\n5,2\n")
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--group-by", "MONTH(placed) AS m", "--sort",
        "-sum(count) / count()", "--ids", "--format", "csv"
      ).output == "m,count\n5,2\n4,1\n")
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--columns", "price * count AS worth, TRIM(name) AS who",
        "--sort", "-worth", "--ids", "--format", "csv", "--limit", "2"
      ).output.split(separator: "\n").map { $0.drop { $0 != "," } } == [
        ",worth,who", ",59.97,Ada", ",50,Bea",
      ])
  }

  @Test("The option --zone is the zone of functions without one")
  func zones() {
    #expect(
      run("count", "/Shop.store", "Order", "--where", "MONTH(placed) == 5").output == "2\n")
    #expect(
      run(
        "count", "/Shop.store", "Order", "--where", "MONTH(placed) == 5", "--zone",
        "Europe/Berlin"
      ).output == "3\n")
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--group-by", "DAY(placed), DAY(placed, 'UTC')", "--zone",
        "+02:00", "--ids", "--format", "csv"
      ).output.hasPrefix("DAY(placed),\"DAY(placed, 'UTC')\",count\n1,30,1\n"))
    let wrong = run(
      "count", "/Shop.store", "Order", "--where", "DAY(placed) == 1", "--zone", "CET5")
    #expect(wrong.messages.contains("The time zone \"CET5\" is unknown."), "\(wrong.messages)")
  }

  @Test(
    "A fetch writes dates in the zone of --zone, with the difference of their season, in every form"
  )
  func writtenZones() {
    func placed(_ words: String...) -> String {
      run("fetch", "/Shop.store", "Order", "--columns", "placed", "--sort", "placed", more: words)
        .output
    }
    let csv = placed("--format", "csv", "--zone", "Europe/Berlin")
    #expect(
      csv == """
        placed
        2026-05-01T01:30:00+02:00
        2026-05-01T02:00:00+02:00
        2026-05-31T14:00:00+02:00

        """)
    for form in ["table", "line", "markdown", "json", "jsonl"] {
      let text = placed("--format", form, "--zone=-05:30")
      #expect(text.contains("2026-04-30T18:00:00-05:30"), "\(form): \(text)")
      #expect(!text.contains("Z"), "\(form): \(text)")
    }
    #expect(placed("--zone", "UTC") == placed())
    #expect(
      run(
        "fetch", "/Shop.store", "Order", "--group-by", "TRUNC(placed, \"month\") AS month",
        "--zone", "Europe/Berlin", "--format", "csv"
      ).output == "month,count\n2026-05-01T00:00:00+02:00,3\n")
    let wrong = run("fetch", "/Shop.store", "Order", "--zone", "CET5")
    #expect(wrong.exitCode == .wrongUsage)
    #expect(wrong.messages.contains("The time zone \"CET5\" is unknown."), "\(wrong.messages)")
  }

  @Test("An error in a list is placed in its expression")
  func places() {
    for option in ["--columns", "--group-by", "--sort"] {
      let result = run("fetch", "/Shop.store", "Order", option, "prize * 2")
      #expect(result.exitCode == .wrongUsage)
      #expect(result.messages.contains("prize * 2\n"), "\(result.messages)")
      #expect(result.messages.contains("^"), "\(result.messages)")
    }
    #expect(
      run("fetch", "/Shop.store", "Order", "--sort", "count DESC").messages
        .contains("--sort='-count'"))
    #expect(
      run("fetch", "/Shop.store", "Order", "--group-by", "count AS name").messages
        .contains("'name' is a property"))
  }
}
