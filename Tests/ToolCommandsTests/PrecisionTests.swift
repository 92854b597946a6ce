import Foundation
import Testing

@testable import ToolCommands

/// Days and numbers with a fixed number of places, as every command prints and reads them.
@Suite("Days and money in the tool")
struct PrecisionTests {
  private let folder: ScaffoldFolder
  private var document: String { path("Shop.quire") }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  private func done(_ words: String...) -> String {
    let run = quire(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)")
    return run.output
  }

  init() throws {
    folder = try ScaffoldFolder()
    try write(
      """
      name,born,salary,seen,rate
      Ada,1815-12-10,30676.20,2026-04-20T09:30:00Z,1.5
      Zoë,1990-01-31,1200.00,2026-04-21T09:30:00.25Z,2.25
      Eve,1990-02-01,0.05,2026-04-21T09:31:00Z,10.125

      """, to: "people.csv")
    let made = done("new", document, "--from", path("people.csv"))
    #expect(made.contains("born: Day\n") && made.contains("salary: Decimal, places 2\n"), "\(made)")
  }

  @Test(
    "Every format of fetch shows days and places",
    arguments: [
      ("table", #"@id   name   born          salary"#),
      ("table", #"1/p1  "Ada"  1815-12-10  30676.20"#),
      ("table", #"1/p3  "Eve"  1990-02-01      0.05"#),
      ("line", "born    1815-12-10\nsalary  30676.20\n"),
      ("markdown", "| 1815-12-10 | 30676.20 |"), ("csv", "Ada,1815-12-10,30676.20\n"),
      ("json", #""born": "1815-12-10","#), ("json", #""salary": "30676.20""#),
      ("jsonl", #""born":"1815-12-10","salary":"30676.20""#),
    ])
  func formats(_ format: String, _ expected: String) {
    let output = done(
      "fetch", document, "Person", "--columns", "name,born,salary", "--format", format)
    #expect(output.contains(expected), "\(output)")
  }

  @Test("Decimals as numbers of JSON keep their zeros")
  func numbers() {
    let output = done(
      "fetch", document, "Person", "--columns", "salary", "--format", "jsonl", "--numbers")
    #expect(output.contains(#""salary":30676.20}"#) && output.contains(#""salary":1200.00}"#))
  }

  @Test("Computed values are rounded to the places of money, and moments to their day")
  func computed() {
    _ = done("set", document, "Person", "--all", "salary=salary*1.115", "born=seen")

    let output = done(
      "fetch", document, "Person", "--columns", "salary,born", "--format", "csv")
    #expect(output == "salary,born\n34203.96,2026-04-20\n1338.00,2026-04-21\n0.06,2026-04-21\n")
  }

  @Test("Sums and products of money are money, and people see means with two more places")
  func aggregates() {
    let words = [
      "fetch", document, "Person", "--aggregate",
      "sum(salary), avg(salary), avg(rate), max(born), sum(salary * 2)", "--format",
    ]
    #expect(
      quire(words + ["line"]).output == """
        sum(salary)      31876.25
        avg(salary)      10625.4167
        avg(rate)        4.625
        max(born)        1990-02-01
        sum(salary * 2)  63752.50

        """)
    let csv = quire(words + ["csv"]).output
    #expect(csv.contains("31876.25,10625.416666666666"), "\(csv)")
  }

  @Test("A predicate compares days in the words of people, and a variable too")
  func predicates() {
    for condition in ["born == '1815-12-10'", "born < '1900-01-01'", "salary == 30676.20"] {
      let output = done("fetch", document, "Person", "--where", condition, "--format", "csv")
      #expect(output.contains("Ada") && !output.contains("Eve"), "\(condition): \(output)")
    }
  }

  @Test("Insert and set take days and money, and refuse what is too fine")
  func edits() {
    _ = done(
      "insert", document, "Person", "name=Bob", "born=2026-04-20", "salary=7.5", "seen=now",
      "rate=1")
    _ = done("set", document, "Person", "--id", "1/p1", "salary=7")
    let output = done(
      "fetch", document, "Person", "--columns", "name,born,salary", "--format", "csv")
    #expect(output.contains("Bob,2026-04-20,7.50\n") && output.contains("Ada,1815-12-10,7.00\n"))

    let time = quire(["set", document, "Person", "--id", "1/p1", "born=2026-04-20T09:30:00Z"])
    #expect(time.exitCode != .done)
    #expect(
      time.messages.contains("\"born\" is 2026-04-20T09:30:00Z, and must be a day without a time."),
      "\(time.messages)")
    let places = quire(["set", document, "Person", "--id", "1/p1", "salary=1.234"])
    #expect(
      places.messages.contains("\"salary\" is 1.234, and must have at most 2 decimal places."),
      "\(places.messages)")
    _ = done("set", document, "Person", "--id", "1/p1", "born=-3d")
  }

  @Test("Changes in diff and history have the form of the model")
  func changes() {
    _ = done("set", document, "Person", "--id", "1/p1", "salary=1", "born=1815-12-11")
    let versions = [document + "@2", document + "@3"]
    let diff = quire(["diff"] + versions).output
    #expect(diff.contains("born 1815-12-10 -> 1815-12-11; salary 30676.20 -> 1.00"), "\(diff)")
    let json = quire(["diff"] + versions + ["--format", "json"]).output
    #expect(
      json.contains(#""old": "30676.20""#) && json.contains(#""new": "1815-12-11""#), "\(json)")
    let history = done("history", document, "--objects")
    #expect(history.contains("salary 30676.20 -> 1.00"), "\(history)")
  }

  @Test(
    "Exports hold days and places, and an import of them gives the same values",
    arguments: ["csv", "jsonl"])
  func roundTrip(_ format: String) throws {
    let file = path("Person.\(format)")
    _ = done("export", document, "--entity", "Person", "--format", format, "--output", file)
    let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
    #expect(text.contains("1815-12-10") && text.contains("30676.20") && !text.contains("00:00:00"))

    _ = done("new", path("Copy.quire"), "--model", document)
    _ = done("import", path("Copy.quire"), file)
    #expect(done("diff", document, path("Copy.quire")) == "No differences.\n")
  }

  @Test("A database for other programs declares days and places, and they come back")
  func database() throws {
    let file = path("people.sql")
    _ = done("export", document, "--entity", "Person", "--format", "sql", "--output", file)
    let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
    #expect(text.contains("DATE") && text.contains("DECIMAL(38, 2)"), "\(text)")
    #expect(text.contains("'1815-12-10'") && text.contains("30676.20"))
  }

  @Test("The page of a report has days and places")
  func report() throws {
    _ = done("report", document, "--output", path("r.html"))
    let page = try String(contentsOf: URL(filePath: path("r.html")), encoding: .utf8)
    #expect(page.contains(#"["born","D","Day"]"#) && page.contains(#""30676.20""#))
  }

  @Test("A model with a finer rule names the objects that break it, and counts them")
  func migration() throws {
    _ = done(
      "new", path("Old.quire"), "--from", path("people.csv"), "--type", "born=Date,salary=Decimal")
    _ = done(
      "set", path("Old.quire"), "Person", "--id", "1/p1", "born=1815-12-10T01:00:00Z",
      "salary=1.234")
    let model = done("model", path("Old.quire"))
    #expect(model.contains("born: Date\n") && model.contains("salary: Decimal\n"), "\(model)")
    try write(
      model.replacing("born: Date", with: "born: Day").replacing(
        "salary: Decimal", with: "salary: Decimal, places 2"),
      to: "New.model")

    let run = quire(["migrate", path("Old.quire"), "--model", path("New.model")])
    #expect(run.exitCode != .done)
    #expect(run.messages.contains("must be a day without a time"), "\(run.messages)")
    _ = done("set", path("Old.quire"), "Person", "--id", "1/p1", "born=1815-12-10", "salary=1.23")
    _ = done("migrate", path("Old.quire"), "--model", path("New.model"))
    #expect(
      done("fetch", path("Old.quire"), "Person", "--columns", "born,salary", "--format", "csv")
        .contains("1815-12-10,1.23\n"))
  }

  @Test("A narrow terminal cuts the time of a moment and never its day, and no number")
  func narrow() {
    for width in 12...60 {
      let run = RecordedRun(
        ["fetch", document, "Person", "--columns", "name,born,seen,salary"], colour: true,
        width: width)
      for line in run.output.split(separator: "\n") {
        for match in line.matches(of: /[0-9]{4}-[0-9-]*…/) {
          #expect(match.output.count >= 10, "\(width): \(line)")
        }
        #expect(line.firstMatch(of: /[0-9]{5}\.[0-9]?…/) == nil, "\(width): \(line)")
      }
    }
  }
}
