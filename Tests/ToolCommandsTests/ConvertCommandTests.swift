import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Quire
import Rows
import StoreInterface
import Testing
import XMLStore

@testable import ToolCommands

@Suite("quire convert")
struct ConvertCommandTests {
  private let disk = SimulatedDisk()
  private let model: Model

  init() throws {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(
        Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
    ]
    var stop = Entity("Stop")
    stop.declaredProperties = [
      .attribute(Attribute("place", .string)),
      .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
    ]
    model = try Model(entities: [trip, stop])
    let store = try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    func add(_ entity: String, _ number: UInt64, _ values: [String: Value]) -> ObjectKey {
      let layout = base.schema[entity]!
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      for (name, value) in values { builder.set(value, column: layout.index(of: name)!, of: key) }
      return key
    }
    let lisbon = add("Trip", 7, ["name": .string("Lisboa & <more>")])
    for (number, place) in [(1, 3), (2, 1), (3, 2)] as [(UInt64, Int64)] {
      _ = add(
        "Stop", number,
        [
          "place": .string("stop \(number)"), "trip": .object(lisbon),
          "trip#order": .integer(place),
        ])
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
  }

  private func run(_ words: String...) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    let models = ModelReader { [model] path in
      guard path == "Trips.momd" else { throw CommandError(.inputOutput, "There is no '\(path)'.") }
      return ModelVersions([ModelVersions.Version("Trips", model: model)], currentName: "Trips")
    }
    return RecordedRun(
      words,
      tool: Tool(commands: [
        InfoCommand.command(reader, models), FetchCommand.command(reader, models),
        CountCommand.command(reader, models), ConvertCommand.command(reader, models),
      ]))
  }

  @Test("A store converted to XML, to compressed XML and back has the same fetch results")
  func round() throws {
    func fetch(_ path: String) -> String {
      run(
        "fetch", path, "Stop", "--sort", "place", "--columns", "place, trip.name", "--ids",
        "--format", "csv"
      )
      .output.replacing(#/\d+/p\d+/#, with: "")
    }
    let before = fetch("/Trips.store")
    #expect(before.contains("stop 1") && before.contains("Lisboa & <more>"))

    let first = run("convert", "/Trips.store", "/Trips.xml")
    #expect(first.output == "/Trips.xml: XML, 4 objects\n")
    #expect(first.messages.isEmpty && first.exitCode == .done)
    #expect(
      run("convert", "/Trips.xml", "/Trips.small", "--store", "compressed", "--format", "json")
        .output.contains("\"type\": \"CompressedBinary\""))
    #expect(run("convert", "/Trips.small", "/Trips.again").exitCode == .done)

    for path in ["/Trips.xml", "/Trips.small", "/Trips.again"] {
      #expect(fetch(path) == before, "\(path)")
      #expect(run("count", path, "Trip").output == "1\n")
    }
    #expect(run("info", "/Trips.xml").output.hasPrefix("type       XML, format 134481920\n"))
    #expect(try disk.list("/").map(\.name).allSatisfy { !$0.contains("quire") })
  }

  @Test("A reference that the source has on one side alone is set on both sides and counted")
  func oneSided() throws {
    let pairs = try Model(entities: [
      Entity(
        "Trip", properties: [.relationship(Relationship("ticket", to: "Ticket", inverse: "trip"))]),
      Entity(
        "Ticket",
        properties: [.relationship(Relationship("trip", to: "Trip", inverse: "ticket"))]),
    ])
    let store = try BinaryStoreBackend().create(
      at: "/Pairs.store", model: pairs, on: disk, StoreCreation())
    let base = try store.snapshot()
    let (trips, tickets) = (base.schema["Trip"]!, base.schema["Ticket"]!)
    let trip = ObjectKey(entity: trips.entityNumber, number: 1)
    let ticket = ObjectKey(entity: tickets.entityNumber, number: 1)
    let builder = LayerBuilder(base.schema)
    builder.insert(trip)
    builder.insert(ticket)
    builder.set(.object(ticket), column: trips.index(of: "ticket")!, of: trip)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()

    let text = run("convert", "/Pairs.store", "/Pairs.xml")
    #expect(
      text.messages
        == "note: 1 reference of one-to-one relationships was set on one side alone. "
        + "The copy has both sides.\n")
    let json = run("convert", "/Pairs.store", "/Pairs.copy", "--format", "json")
    #expect(json.output.contains("\"filledReferenceCount\": 1"))
    // The copy has both sides, so nothing is left to fill.
    #expect(run("convert", "/Pairs.copy", "/Pairs.again").messages.isEmpty)
  }

  @Test("Existing files are replaced only with --force")
  func overwriting() throws {
    #expect(run("convert", "/Trips.store", "/Trips.xml").exitCode == .done)
    let bytes = try disk.read("/Trips.xml", byteLimit: 1 << 20)
    let refused = run("convert", "/Trips.store", "/Trips.xml")
    #expect(refused.exitCode == .inputOutput)
    #expect(refused.messages.contains("--force"))
    #expect(try disk.read("/Trips.xml", byteLimit: 1 << 20) == bytes)
    #expect(run("convert", "/Trips.store", "/Trips.xml", "--force").exitCode == .done)
    // A command does not write over its own input.
    #expect(
      run("convert", "/Trips.xml", "/Trips.xml", "--force", "--store", "binary").exitCode
        == .wrongUsage)
    #expect(run("info", "/Trips.xml").output.hasPrefix("type       XML"))
  }

  @Test("A document in XML without its model needs the option --model")
  func bareDocument() throws {
    var options = XMLStoreOptions()
    options.embedsModel = false
    let store = try XMLStoreBackend(options: options).create(
      at: "/bare.xml", model: model, on: disk, StoreCreation())
    try store.close()
    for words in [
      ["info", "/bare.xml"], ["count", "/bare.xml", "Trip"], ["convert", "/bare.xml", "/out"],
    ] {
      let run = RecordedRun(
        words,
        tool: Tool(commands: [
          InfoCommand.command(.files(on: disk)), CountCommand.command(.files(on: disk)),
          ConvertCommand.command(.files(on: disk), .files),
        ]))
      #expect(run.exitCode == .modelMismatch)
      #expect(run.messages.hasSuffix("hint: Give the model with --model.\n"))
    }
    #expect(run("count", "/bare.xml", "Trip", "--model", "Trips.momd").output == "0\n")
    #expect(run("convert", "/bare.xml", "/out", "--model", "Trips.momd").exitCode == .done)
    #expect(run("info", "/bare.xml", "--model", "none").exitCode == .inputOutput)
    // The model of a store is compared with the given model.
    #expect(run("info", "/Trips.store", "--model", "Trips.momd").exitCode == .done)
  }

  @Test("Each error has its message and exit code")
  func wrong() throws {
    #expect(run("convert", "/none", "/out").exitCode == .inputOutput)
    #expect(run("convert", "/Trips.store").exitCode == .wrongUsage)
    #expect(run("convert", "/Trips.store", "/out", "--store", "xlm").messages.contains("xml"))
    #expect(run("convert", "/Trips.store", "/no/folder/out").exitCode == .inputOutput)
    try disk.open("/bad.xml", for: .create).append(Array("<database><object/></database>".utf8))
    let bad = run("convert", "/bad.xml", "/out")
    #expect(bad.exitCode == .unreadable && bad.messages.contains("line 1"))
    #expect(try !disk.exists("/out") && !disk.exists("/out.quire-new"))
  }
}
