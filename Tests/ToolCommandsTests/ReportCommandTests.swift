import CommandInterface
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire report")
struct ReportCommandTests {
  private let trips: ReportedTrips

  init() throws { trips = try ReportedTrips() }

  private func addTrips() throws {
    try trips.add(
      [
        #"{"@entity": "Trip", "@id": "t1", "title": "Lisbon", "start": "2026-05-01T12:30:00Z", "budget": "120.50"}"#,
        #"{"@entity": "Trip", "@id": "t2", "title": null, "isPaid": true}"#,
        #"{"@entity": "Stop", "name": "Belém", "nights": 9007199254740993, "height": "nan", "trip": "t1"}"#,
        #"{"@entity": "Museum", "name": "Tile museum", "nights": 2, "height": 0.5, "trip": "t1"}"#,
      ], "--author", "Ada", "--message", "Plans the spring")
  }

  private func count(_ text: String, in page: String) -> Int { page.ranges(of: text).count }

  @Test("The page has every part, and loads nothing")
  func structure() throws {
    try addTrips()
    let run = trips.run(["report", ReportedTrips.document, "--output", "/page.html"])
    #expect(run.exitCode == .done, "\(run.messages)")
    let page = try trips.text()

    #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    #expect(
      run.output
        == "/page.html: 4 entities, 4 rows, \(page.utf8.count) bytes, no findings\n")
    for part in [
      "<meta charset=\"utf-8\">", "content=\"default-src 'none'; style-src", "script-src 'sha256-",
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\"",
      "<title>Trips of Ada</title>", "<p class=\"kind\">Document</p>", "<h1>Trips of Ada</h1>",
      "<dt>UUID</dt>", "<h2>Model</h2>", "aria-label=\"Entities and relationships of the model\"",
      "<h2>Contents</h2>", "<h2>Versions</h2>", "<td>Ada</td>", "Plans the spring",
      "title=\"4 objects inserted\">+4</span>", "<h2>Findings</h2>", "<b>No findings</b>",
      "<h2>Rows</h2>", "<noscript>", "Entities without objects: Guest.", "<h3><a href=\"#t0-",
      "start: Date?", "prefers-color-scheme: dark", "@media print",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("<h2>Attachments</h2>"))
    // Only the name of a namespace looks like an address.
    let addresses = page.matches(of: #/https?:[^"' ]*/#).map { String($0.0) }
    #expect(Set(addresses) == ["http://www.w3.org/2000/svg"])
    #expect(!page.contains(" src=") && !page.contains("@import") && !page.contains("<link"))
    #expect(page.hasSuffix("</html>\n"))
  }

  @Test("Values keep their types: numbers, dates, references, counts")
  func values() throws {
    try addTrips()
    let page = try trips.page()

    #expect(
      try ReportedTrips.column("title", of: "Trip", in: page) == [.string("Lisbon"), .null])
    let start = Date(timeIntervalSince1970: 1_777_638_600).timeIntervalSinceReferenceDate
    let dates = try ReportedTrips.column("start", of: "Trip", in: page)
    #expect(dates == [.number("\(start)"), .null], "\(dates)")
    #expect(try ReportedTrips.column("budget", of: "Trip", in: page)[0] == .string("120.5"))
    #expect(
      try ReportedTrips.column("isPaid", of: "Trip", in: page) == [.boolean(false), .boolean(true)])
    #expect(
      try ReportedTrips.column("stops", of: "Trip", in: page) == [.number("2"), .number("0")])
    // A number above 2^53 is a text, because a script would round it.
    #expect(
      try ReportedTrips.column("nights", of: "Stop", in: page) == [.string("9007199254740993")])
    #expect(try ReportedTrips.column("height", of: "Stop", in: page) == [.string("nan")])
    let trip = try ReportedTrips.column("trip", of: "Museum", in: page)
    guard case .array(let parts)? = trip.first, case .string(let key)? = parts.first else {
      Issue.record("\(trip)")
      return
    }
    #expect(key.hasSuffix("/1") && parts.last == .string("Lisbon"))
    let table = try ReportedTrips.table("Trip", in: page)
    guard case .array(let columns)? = table["columns"] else { return }
    #expect(columns.contains(.array([.string("start"), .string("d"), .string("Date?")])))
    #expect(columns.contains(.array([.string("stops"), .string("c"), .string("[Stop]")])))
  }

  @Test("Hostile texts stay texts everywhere")
  func escaping() throws {
    let hostile = [
      "</script><script>window.hostile=1</script>", "<!--<script>",
      "\"><img src=x onerror=hostile>",
      "a & b < c > 'd' \"e\" &lt;", "tab\tline\nbreak\u{1B}[31m\u{202E}\u{2028}\u{85}\u{0}end",
    ]
    func quoted(_ text: String) -> String { JSON.string(text).line }
    try trips.add(
      hostile.map { "{\"@entity\": \"Trip\", \"title\": \(quoted($0))}" }, "--author",
      hostile[2], "--message", hostile[0])
    try trips.write(Array("text".utf8), to: "/note")
    trips.expectDone([
      "attach", "add", ReportedTrips.document, "/note", "--name", "<b onclick='1'>\".png",
    ])
    let page = try trips.page()

    let titles = try ReportedTrips.column("title", of: "Trip", in: page)
    #expect(titles == hostile.map { .string($0) })
    // The elements of the page: one table, one script, and no element of a value.
    #expect(count("<script", in: page) == 2 && count("</script>", in: page) == 2)
    #expect(count("<img", in: page) == 1 && count("<!--", in: page) == 0)
    #expect(
      count("<b onclick", in: page) == 0 && page.contains("&lt;b onclick=&#39;1&#39;&gt;&quot;"))
    #expect(page.contains("&lt;/script&gt;&lt;script&gt;window.hostile=1"))
    for scalar in page.unicodeScalars where scalar != "\n" {
      #expect(TerminalText.spelled(scalar) == nil, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test("Hostile texts of a model stay texts")
  func model() throws {
    let hostile = "</script><b>\"'&\u{1B}"
    let model = try Model(
      entities: [
        Entity(
          "Trip",
          properties: [.attribute(Attribute("title", .string, defaultValue: .string(hostile)))],
          userInfo: [hostile: hostile])
      ])
    let html = ReportModel(model, anchors: ["Trip": "t0-1"]).html

    #expect(count("<b>", in: html) == 0 && count("</script>", in: html) == 0)
    #expect(html.contains("&lt;/script&gt;&lt;b&gt;\\&quot;&#39;&amp;"))
    #expect(!html.unicodeScalars.contains("\u{1B}"))
  }

  @Test("Above the limit a page shows a sample: uniform, in order, and the same each time")
  func sample() throws {
    try trips.addStops(1000)
    let page = try trips.page("--limit", "100")

    #expect(page.contains("100 of 1,000 rows, a sample"))
    #expect(page.contains("<span class=\"amount\">1 row</span>"))
    let keys = try ReportedTrips.column("@id", of: "Stop", in: page).map { json -> Int in
      if case .number(let digits) = json { Int(digits) ?? 0 } else { 0 }
    }
    #expect(keys.count == 100 && Set(keys).count == 100 && keys == keys.sorted())
    // The mean of a uniform sample of 1…1000 is 500.5, with a standard deviation of 27.
    let mean = Double(keys.reduce(0, +)) / 100
    #expect(abs(mean - 500.5) < 110, "\(mean)")
    #expect(keys[0] < 100 && keys[99] > 900)
    #expect(try trips.page("--limit", "100") == page)

    #expect(try trips.page("--limit", "0").contains("This page contains no rows."))
    #expect(try trips.page().contains("<span class=\"amount\">1,000 rows</span>"))
  }

  @Test("A page has the tables of the named entities and of their subentities")
  func entities() throws {
    try addTrips()
    let page = try trips.page("--entity", "Stop")

    #expect(page.contains("data-name=\"Stop\"") && page.contains("data-name=\"Museum\""))
    #expect(!page.contains("data-name=\"Trip\""))
    let wrong = trips.run(["report", ReportedTrips.document, "--output", "/p", "--entity", "Tripp"])
    #expect(wrong.exitCode == .wrongUsage && wrong.messages.contains("Did you mean 'Trip'?"))
    #expect(try !trips.disk.exists("/p"))
  }

  @Test("A version is shown as it was")
  func versions() throws {
    try addTrips()
    trips.expectDone([
      "insert", ReportedTrips.document, "Guest", "name=Bob", "--message", "Invites Bob",
    ])
    let old = try trips.page("--version", "2")

    #expect(old.contains("Entities without objects: Guest.") && !old.contains("Invites Bob"))
    #expect(old.contains("Plans the spring"))
    let new = try trips.page()
    #expect(new.contains("data-name=\"Guest\"") && new.contains("Invites Bob"))
    #expect(count("class=\"chart-dot\"", in: new) == 3)
    #expect(new.contains("Version 2: 4 objects") && new.contains("Version 3: 5 objects"))
  }

  @Test("Stores and packed documents have pages, too")
  func kinds() throws {
    try addTrips()
    trips.expectDone(["pack", ReportedTrips.document, "/Trips.zip"])
    let packed = try trips.page(of: "/Trips.zip")
    #expect(packed.contains("<p class=\"kind\">Packed document</p>"))
    #expect(try ReportedTrips.column("@id", of: "Trip", in: packed).count == 2)

    for (file, kind) in [("/Trips.store", "Binary"), ("/Trips.xml", "XML")] {
      trips.expectDone(["convert", ReportedTrips.document, file])
      let page = try trips.page(of: file)
      #expect(page.contains("<p class=\"kind\">\(kind) store</p>"))
      #expect(page.contains("<h1>\(file.dropFirst())</h1>"))
      #expect(try ReportedTrips.column("@id", of: "Trip", in: page).count == 2)
      #expect(page.contains("contains only its last save") == (kind == "XML"))
      #expect(page.contains("Size of the rows") == (kind == "Binary"))
    }
  }

  @Test("Long texts are cut, and pictures in rows are shown")
  func longValues() throws {
    let picture = Data(ReportedTrips.picture).base64EncodedString()
    try trips.add([
      "{\"@entity\": \"Trip\", \"title\": \"\(String(repeating: "é", count: 2001))\", \"photo\": \"\(picture)\"}",
      #"{"@entity": "Trip", "title": "\#(String(repeating: "é", count: 2000))", "photo": "AAEC"}"#,
    ])
    let page = try trips.page()

    let titles = try ReportedTrips.column("title", of: "Trip", in: page)
    let start = String(repeating: "é", count: 2000)
    #expect(titles == [.array([.string(start), .number("2001")]), .string(start)])
    let photos = try ReportedTrips.column("photo", of: "Trip", in: page)
    let count = ReportedTrips.picture.count
    #expect(
      photos == [
        .array([
          .number("\(count)"), .string("\(count) bytes"),
          .string("data:image/png;base64,\(picture)"),
        ]),
        .array([.number("3"), .string("3 bytes")]),
      ])
  }

  @Test("Attachments are pictures, or names and sizes")
  func attachments() throws {
    let picture = ReportedTrips.picture
    try trips.write(picture, to: "/one.png")
    try trips.write(picture + [UInt8](repeating: 7, count: 2_000_000), to: "/large.png")
    try trips.write("no picture".utf8, to: "/note.txt")
    trips.expectDone([
      "attach", "add", ReportedTrips.document, "/one.png", "/large.png", "/note.txt",
    ])
    let page = try trips.page()

    let data = Data(picture).base64EncodedString()
    #expect(page.contains("<img alt=\"one.png\" src=\"data:image/png;base64,\(data)\">"))
    #expect(count("src=\"data:", in: page) == 1)
    #expect(page.contains("<b>large.png</b> <span>2.00 MB, too large for this page</span>"))
    #expect(page.contains("<span class=\"sign\">txt</span>"))
    #expect(page.contains("<b>note.txt</b> <span>10 bytes</span>"))
  }
}
