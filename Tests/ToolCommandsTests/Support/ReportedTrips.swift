import DiskSimulation
import DurableFiles
import Foundation
import JSONText
import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

/// A document with trips and stops on a simulated disk, and the pages that `quire report` makes of it.
struct ReportedTrips {
  let disk = SimulatedDisk()
  static let document = "/Trips.quire"

  /// A picture of one point.
  static let picture = [UInt8](
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )!)

  static let model = """
    entity Trip
      title: String?
      start: Date?
      budget: Decimal?
      isPaid: Bool = false
      photo: Data?
      key: UUID?
      stops: [Stop], inverse trip, delete cascade

    entity Stop
      name: String?
      nights: Int64?
      height: Double?
      trip: Trip?, inverse stops

    entity Museum: Stop
      isFree: Bool = true

    entity Guest
      name: String?
    """

  init() throws {
    expectDone(["new", Self.document, "--model", "Trips", "--title", "Trips of Ada"])
  }

  func expectDone(_ words: [String]) {
    let run = run(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)")
  }

  func run(_ words: [String], terminal: Bool = false) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    let models = ModelReader { _ in
      let model = try Model(ModelText.read(Array(ReportedTrips.model.utf8)))
      return ModelVersions([.init("Trips", model: model)], currentName: "Trips")
    }
    return RecordedRun(
      words,
      tool: Tool(commands: [
        NewCommand.command(reader, models), ImportCommand.command(reader),
        InsertCommand.command(reader), SetCommand.command(reader), DeleteCommand.command(reader),
        AttachCommand.command(reader), PackCommand.command(on: disk), InfoCommand.command(reader),
        ConvertCommand.command(reader, models), ReportCommand.command(reader),
      ]), terminal: terminal)
  }

  func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try disk.replace(path, overwriting: true) { try $0.write(Array(bytes)) }
  }

  /// Imports objects, one on each line, as one version.
  func add(_ lines: [String], _ words: String...) throws {
    try write(lines.map { $0 + "\n" }.joined().utf8, to: "/rows.jsonl")
    expectDone(["import", Self.document, "/rows.jsonl"] + words)
  }

  /// Adds a number of stops of one trip.
  func addStops(_ count: Int) throws {
    try add(
      [#"{"@entity": "Trip", "@id": "t", "title": "Long"}"#]
        + (1...count).map { #"{"@entity": "Stop", "name": "Stop \#($0)", "trip": "t"}"# })
  }

  /// Writes a page and returns it.
  func page(_ words: String..., of path: String = document) throws -> String {
    expectDone(["report", path, "--output", "/page.html", "--force"] + words)
    return try text()
  }

  /// Returns the page that was written last.
  func text() throws -> String {
    String(decoding: try disk.read("/page.html", byteLimit: 1 << 26), as: UTF8.self)
  }

  /// Returns the data of an entity's table on a page.
  static func table(_ entity: String, in page: String) throws -> JSON {
    let section = try #require(page.firstRange(of: "data-name=\"\(entity)\">"), "No \(entity)")
    let rest = page[section.upperBound...]
    let begin = try #require(rest.firstRange(of: "<script type=\"application/json\">"))
    let end = try #require(rest[begin.upperBound...].firstRange(of: "</script>"))
    return try JSON.read(Array(rest[begin.upperBound..<end.lowerBound].utf8))
  }

  /// Returns the cells of one column of an entity's table on a page.
  static func column(_ name: String, of entity: String, in page: String) throws -> [JSON] {
    let table = try table(entity, in: page)
    guard case .array(let columns)? = table["columns"], case .array(let rows)? = table["rows"]
    else {
      Issue.record("The table of \(entity) has no rows.")
      return []
    }
    let names = columns.map { column -> JSON? in
      if case .array(let parts) = column { parts.first } else { nil }
    }
    let index = try #require(
      name == "@id" ? 0 : names.firstIndex(of: .string(name)).map { $0 + 1 }, "No column \(name)")
    return rows.compactMap { row in if case .array(let cells) = row { cells[index] } else { nil } }
  }
}
