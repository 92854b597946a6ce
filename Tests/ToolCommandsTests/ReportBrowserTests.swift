import Foundation
import InstalledPlugins
import JSONText
import ProgramRuns
import Testing

@testable import ToolCommands

/// Pages of `quire report` in headless Chromium. Tests/report/browser.py describes the checks. Debian's package is
/// `chromium`. With `QUIRE_REPORT_PICTURES` in the environment, that folder gets pictures of the page.
@Suite("quire report in a browser")
struct ReportBrowserTests {
  @Test(
    "A browser shows, sorts and filters the page, and requests nothing",
    .enabled(if: chromium != nil && python != nil, "There is no Chromium or no Python here."))
  func page() throws {
    let folder = try ScaffoldFolder()
    let document = folder.path + "/Trips.quire"
    let model = folder.path + "/Trips.model"
    try Data(ReportedTrips.model.utf8).write(to: URL(filePath: model))
    try Data(rows.joined(separator: "\n").utf8).write(
      to: URL(filePath: folder.path + "/rows.jsonl"))
    try Data(ReportedTrips.picture).write(to: URL(filePath: folder.path + "/one.png"))
    for words in [
      ["new", document, "--model", model, "--title", "<b>Trips</b>"],
      ["import", document, folder.path + "/rows.jsonl", "--author", "Ada", "-m", "<i>Spring</i>"],
      ["attach", "add", document, folder.path + "/one.png", model],
      ["set", document, "Trip", "isPaid=true", "--where", "title CONTAINS 'Zo'"],
      ["report", document, "--output", folder.path + "/page.html", "--limit", "450"],
    ] {
      let run = quire(words)
      #expect(run.exitCode == .done, "\(words): \(run.messages)")
    }
    let script = InstalledPlugins.root.appending(path: "Tests/report/browser.py").path
    let pictures = ProcessInfo.processInfo.environment["QUIRE_REPORT_PICTURES"]

    let run = try ProgramRun(
      try #require(Self.python),
      [script, try #require(Self.chromium), folder.path + "/page.html"]
        + (pictures.map { [$0] } ?? []))

    #expect(run.status == 0, "\(run.text)")
    #expect(run.text == "ok: 3 tables, 2 pictures, references\n")
  }

  /// Trips, stops and museums, with values that a page must not run.
  private var rows: [String] {
    let texts = [
      "</script><script>window.hostile=1</script>", "<img src=x onerror=window.hostile=1>",
      "\"'&<!--", "Émile", "emile", "Zoë", "Item 10", "Item 9", "line\nbreak", "",
      String(repeating: "long ", count: 500),
    ]
    let picture = Data(ReportedTrips.picture).base64EncodedString()
    var rows = (1...60).map { number in
      var members: [JSON.Member] = [
        .init(name: "@entity", value: .string("Trip")),
        .init(name: "@id", value: .string("t\(number)")),
        .init(name: "isPaid", value: .boolean(number % 3 == 0)),
      ]
      func add(_ name: String, _ value: JSON) { members.append(.init(name: name, value: value)) }
      if number % 7 > 0 { add("title", .string(texts[number % texts.count] + " \(number)")) }
      if number % 5 > 0 {
        add("start", .string("20\(10 + number % 20)-03-0\(1 + number % 9)T10:00:00Z"))
      }
      if number % 4 > 0 { add("budget", .string("\(number * 37 % 100).\(number)")) }
      if number == 3 { add("photo", .string(picture)) }
      if number == 4 { add("photo", .string("AAECAw==")) }
      return JSON.members(members).line
    }
    rows += (1...900).map { number in
      let trip = number % 9 == 0 ? "" : ", \"trip\": \"t\(1 + number % 60)\""
      let nights =
        number % 11 == 0 ? "9007199254740\(990 + number % 7)" : "\(number * 7919 % 100 - 50)"
      return """
        {"@entity": "Stop", "name": "Stop \(number)", "nights": \(nights), "height": \(Double(number * 31 % 17) / 4)\(trip)}
        """
    }
    return rows + [#"{"@entity": "Museum", "name": "Tiles", "isFree": false, "trip": "t1"}"#]
  }

  /// The path of a Chromium; `nil` if there is none, or if a sanitizer makes the test too slow.
  private static let chromium: String? = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["QUIRE_SANITIZER"] == nil else { return nil }
    return [environment["QUIRE_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"]
      .compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
