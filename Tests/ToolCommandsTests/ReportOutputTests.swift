import CommandInterface
import DurableFiles
import Foundation
import JSONText
import Testing

@testable import ToolCommands

@Suite("quire report: files, damage and memory")
struct ReportOutputTests {
  private let trips: ReportedTrips

  init() throws { trips = try ReportedTrips() }

  @Test("A page replaces nothing unasked, and goes to the standard output without --output")
  func output() throws {
    try trips.addStops(3)
    let page = try trips.page()
    let document = ReportedTrips.document

    let refused = trips.run(["report", document, "--output", "/page.html"])
    #expect(refused.exitCode == .inputOutput && refused.messages.contains("exists already"))
    #expect(try trips.text() == page)
    let inside = trips.run(["report", document, "--output", document + "/page.html"])
    #expect(inside.exitCode == .wrongUsage && inside.messages.contains("is a part of"))
    let store = trips.run(["report", document, "--output", "/page.store"])
    #expect(store.exitCode == .wrongUsage && store.messages.contains("is for a store"))

    #expect(trips.run(["report", document]).output == page)
    #expect(trips.run(["report", document, "--output", "-"]).output == page)
    let terminal = trips.run(["report", document], terminal: true)
    #expect(terminal.exitCode == .wrongUsage && terminal.output.isEmpty)
    #expect(terminal.messages.contains("Give a file with --output."))
    let json = trips.run(["report", document, "--format", "json"])
    #expect(json.exitCode == .wrongUsage && json.output.isEmpty)
  }

  @Test("JSON describes the written file")
  func json() throws {
    try trips.addStops(3)
    let run = trips.run([
      "report", ReportedTrips.document, "--output", "/page.html", "--format", "json", "--limit",
      "2",
    ])
    let size = try trips.text().utf8.count

    #expect(
      try JSON.read(Array(run.output.utf8))
        == .object([
          "path": .string("/page.html"), "byteCount": .number(size), "entityCount": .number(4),
          "rowCount": .number(3), "findingCount": .number(0),
        ]))
  }

  @Test("A broken rule is a finding of the page, and the exit code is 1")
  func findings() throws {
    try trips.write(ReportedTrips.picture, to: "/one.png")
    let document = ReportedTrips.document
    trips.expectDone(["attach", "add", document, "/one.png"])
    let name = try #require(trips.disk.list(document + "/attachments").first?.name)
    try trips.write([1, 2, 3], to: document + "/attachments/" + name)

    let run = trips.run(["report", document, "--output", "/page.html"])

    #expect(run.exitCode == .no, "\(run)")
    #expect(run.output.contains("finding"))
    let page = try trips.text()
    #expect(page.contains("<p class=\"verdict bad\">") && page.contains("<li class=\"error\">"))
    #expect(page.contains("attachments/\(name)"))
    let unchecked = trips.run([
      "report", document, "--output", "/page.html", "--force", "--unchecked",
    ])
    #expect(unchecked.exitCode == .done && !unchecked.output.contains("finding"))
    #expect(try trips.text().contains("The validator did not check this file."))
  }

  @Test("Damaged rows end their table with the reason, and the exit code is 4")
  func damage() throws {
    try trips.addStops(2000)
    // The last save is checked when the store is opened, and the rows of earlier saves when they are read.
    trips.expectDone(["insert", ReportedTrips.document, "Guest", "name=Bob"])
    let file = ReportedTrips.document + "/stores/main.store"
    let whole = try trips.disk.read(file, byteLimit: 1 << 24)
    let place = try #require(whole.firstRange(of: Array("Stop 1000".utf8)))
    var bytes = whole
    bytes[place.lowerBound] ^= 0x55
    try trips.write(bytes, to: file)

    let run = trips.run(["report", ReportedTrips.document, "--output", "/page.html"])

    #expect(run.exitCode == .unreadable, "\(run)")
    #expect(run.messages.contains("The rows of 'Stop' can't be read completely"), "\(run.messages)")
    #expect(run.output.contains("4 entities, 2 rows"), "\(run.output)")
    #expect(run.messages.contains("quire recover"), "\(run.messages)")
    let page = try trips.text()
    #expect(page.contains("<p class=\"note fault\">The further rows can't be read: "))
    #expect(page.contains("<p class=\"verdict bad\">"))
    #expect(try ReportedTrips.column("title", of: "Trip", in: page) == [.string("Long")])
    _ = try ReportedTrips.table("Stop", in: page)
  }

  @Test("A damaged last save is shown only with --damaged")
  func damagedSave() throws {
    try trips.addStops(3)
    trips.expectDone(["insert", ReportedTrips.document, "Guest", "name=Bob"])
    let file = ReportedTrips.document + "/stores/main.store"
    var bytes = try trips.disk.read(file, byteLimit: 1 << 24)
    bytes[bytes.count - 60] ^= 1
    try trips.write(bytes, to: file)

    let refused = trips.run(["report", ReportedTrips.document, "--output", "/page.html"])
    #expect(refused.exitCode == .unreadable, "\(refused)")
    #expect(try !trips.disk.exists("/page.html"))
    let shown = trips.run([
      "report", ReportedTrips.document, "--output", "/page.html", "--damaged",
    ])
    #expect(shown.exitCode == .unreadable || shown.exitCode == .no, "\(shown)")
    #expect(try trips.text().contains("<li class=\"error\">"))
  }

  @Test("A page is written in small pieces, and a refused piece ends it")
  func pieces() throws {
    try trips.addStops(4000)
    let reader = StoreReader.files(on: trips.disk)
    let command = ReportCommand.command(reader)
    let console = Console(
      output: .init(sink: { _ in }), messages: .init(sink: { _ in }))
    let invocation = Invocation(
      command: command, console: console, arguments: [.store: [ReportedTrips.document]],
      options: [:])
    let source = try ReportSource(reader, .files, invocation)
    defer { source.close() }
    let page = ReportPage(source, nil, of: nil, mostRows: 10_000)
    var sizes: [Int] = []
    let summary = try page.write(progress: { _ in }, to: { sizes.append($0.count) })

    #expect(sizes.reduce(0, +) == summary.byteCount && summary.rowCount == 4001)
    #expect(sizes.count > 3 && sizes.max()! < 100_000, "\(sizes)")
    struct Full: Error {}
    #expect(throws: Full.self) {
      var count = 0
      _ = try page.write(
        progress: { _ in },
        to: { _ in
          count += 1
          if count > 2 { throw Full() }
        })
    }
  }

  @Test(
    "Sizes and numbers have few digits",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.00 kB"), (9994, "9.99 kB"),
      (9996, "10.0 kB"), (123_456, "123 kB"), (999_499, "999 kB"), (999_500, "1.00 MB"),
      (20_000_000, "20.0 MB"), (3_000_000_000, "3.00 GB"),
    ])
  func sizes(_ count: Int, _ text: String) {
    #expect(HTMLText.size(count) == text)
  }

  @Test("Numbers have groups of three digits")
  func numbers() {
    #expect(
      [0, 12, 123, 1234, 123_456, 1_234_567, -1234].map(HTMLText.number)
        == ["0", "12", "123", "1,234", "123,456", "1,234,567", "-1,234"])
  }

  @Test("The first bytes tell pictures from other files")
  func pictures() {
    func type(_ text: String) -> PictureType? { PictureType(Array(text.utf8)) }
    #expect(PictureType(ReportedTrips.picture) == .png)
    #expect(PictureType([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(type("GIF89a......") == .gif && type("GIF87a") == .gif && type("GIF90a") == nil)
    #expect(type("RIFF....WEBPVP8 ") == .webp && type("RIFF....WAVE") == nil && type("RIFF") == nil)
    #expect(type("<svg onload=1>") == nil && PictureType([]) == nil)
    var allowance = PictureAllowance(mostPerPicture: 10, left: 15)
    #expect(!allowance.take(11) && allowance.take(10) && !allowance.take(6) && allowance.take(5))
  }
}
