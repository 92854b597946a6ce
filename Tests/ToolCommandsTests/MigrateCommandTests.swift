import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Quire
import Testing

@testable import ToolCommands

@Suite("quire migrate")
struct MigrateCommandTests {
  private let disk = SimulatedDisk()
  private let versions: ModelVersions
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")

  init() throws {
    func trip(_ properties: Property...) throws -> Model {
      try Model(entities: [
        Entity("Trip", properties: [.attribute(Attribute("name", .string))] + properties)
      ])
    }
    versions = ModelVersions(
      [
        .init("Trips", model: try trip(.attribute(Attribute("cost", .string)))),
        .init(
          "Trips 2",
          model: try trip(
            .attribute(Attribute("cost", .string)), .attribute(Attribute("note", .string)))),
        .init(
          "Trips 3",
          model: try trip(
            .attribute(Attribute("cost", .double)), .attribute(Attribute("note", .string)))),
        .init(
          "Trips 4", model: try trip(.attribute(Attribute("code", .string, isOptional: false)))),
      ], currentName: "Trips 2")
    let coordinator = PersistentStoreCoordinator(
      model: versions["Trips"]!, places: StorePlaces(.builtIn, on: disk))
    try coordinator.addStore(at: "/Trips.store")
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for name in ["Lisbon", "Rome"] {
      let trip = try context.insert("Trip")
      try trip.setValues(["name": .string(name), "cost": .string("12.5")])
    }
    try context.save()
    try coordinator.remove(coordinator.stores[0])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func run(_ words: String...) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    let models = ModelReader { [versions] path in
      guard path == "Trips.xcdatamodeld" else {
        throw CommandError(.inputOutput, "There is no '\(path)'.")
      }
      return versions
    }
    return RecordedRun(
      words,
      tool: Tool(commands: [
        InfoCommand.command(reader, models), FetchCommand.command(reader, models),
        MigrateCommand.command(reader, models),
      ]))
  }

  @Test("A dry run lists the steps of a migration and changes nothing")
  func dryRun() throws {
    let before = try disk.read("/Trips.store", byteLimit: 1 << 20)
    let text = run("migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--dry-run")
    #expect(text.exitCode == .done && text.messages.isEmpty)
    #expect(
      text.output == """
        1. "Trips" to "Trips 2": inferred
        No row is written: 2 objects are read as they are.
        Nothing is lost.
        This is a dry run: nothing was written.

        """)
    let json = run(
      "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--dry-run", "--format", "json",
      "--store", "xml")
    #expect(json.exitCode == .done)
    for part in [
      "\"from\": \"Trips\"", "\"means\": \"inferred\"", "\"typeAfter\": \"XML\"", "\"count\": 2",
      "\"rewrites\": true", "\"done\": false",
    ] { #expect(json.output.contains(part), "\(part) in \(json.output)") }
    #expect(try disk.read("/Trips.store", byteLimit: 1 << 20) == before)
  }

  @Test("A store is migrated to the current or the named version, and a backup is kept")
  func migrated() throws {
    let mapping = folder.appendingPathComponent("cost.mapping")
    try Data(
      """
      from "Trips 2"
      to "Trips 3"
      map Trip -> Trip
        cost = CAST($source.cost, 'NSNumber')
      """.utf8
    ).write(to: mapping)
    let words = run(
      "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--to", "Trips 3", "--mapping",
      mapping.path, "--backup", "/old")
    #expect(words.exitCode == .done, "\(words.messages)")
    #expect(words.output.contains("2. \"Trips 2\" to \"Trips 3\": by a written mapping"))
    #expect(words.output.hasSuffix("The old store is at /old.\nDone.\n"))
    let fetched = run(
      "fetch", "/Trips.store", "Trip", "--sort", "name", "--columns", "name,cost", "--ids",
      "--format", "csv"
    )
    #expect(fetched.output.contains("Lisbon,12.5") && fetched.output.contains("Rome,12.5"))
    #expect(run("fetch", "/old", "Trip", "--ids", "--format", "csv").output.contains("Lisbon"))
    let again = run(
      "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--to", "Trips 3")
    #expect(again.exitCode == .done)
    #expect(again.output == "The store has version \"Trips 3\" already. There is nothing to do.\n")
  }

  @Test(
    "A mapping leads from the store's version to the target, unless it names others",
    arguments: ["", "from \"the store's model\"\n", "from \"Trips\"\nto \"Trips 2\"\n"])
  func names(_ names: String) throws {
    let mapping = folder.appendingPathComponent("names.mapping")
    try Data((names + "map Trip -> Trip\n  note = 'From ' + $source.name\n").utf8).write(
      to: mapping)
    let done = run(
      "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--mapping", mapping.path)
    #expect(done.exitCode == .done, "\(done.messages)")
    #expect(run("fetch", "/Trips.store", "Trip").output.contains("From Lisbon"))
  }

  @Test("An impossible migration is refused with all reasons, and the exit code states the kind")
  func refused() throws {
    let before = try disk.read("/Trips.store", byteLimit: 1 << 20)
    let impossible = run(
      "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--to", "Trips 4")
    #expect(impossible.exitCode == .modelMismatch)
    #expect(
      impossible.messages.contains(
        "Trip.code is new, must have a value, and has no default value."))
    #expect(run("migrate", "/Trips.store").exitCode == .wrongUsage)
    #expect(
      run("migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--to", "Trips 9").exitCode
        == .wrongUsage)
    #expect(
      run("migrate", "/none", "--model", "Trips.xcdatamodeld").exitCode == .inputOutput)
    #expect(
      run("migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--mapping", "/none").exitCode
        == .inputOutput)
    #expect(
      run("migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--no-inference").exitCode
        == .modelMismatch)
    #expect(
      run("migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--output", "/Trips.store")
        .exitCode == .wrongUsage)
    let mapping = folder.appendingPathComponent("bad.mapping")
    for (text, code, words) in [
      ("map Trip -> Trip\n  cost = (", ExitCode.wrongUsage, "line 2:"),
      ("from \"Trips\"\nto \"Nowhere\"", .wrongUsage, "which is not a known version"),
      (
        "from \"Trips\"\nto \"Trips 2\"\nmap Trip -> Trip using TripPolicy", .modelMismatch,
        "names the policy \"TripPolicy\", which this program does not have"
      ),
    ] {
      try Data(text.utf8).write(to: mapping)
      let refused = run(
        "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--mapping", mapping.path)
      #expect(refused.exitCode == code)
      #expect(refused.messages.contains(words), "\(refused.messages)")
      let planned = run(
        "migrate", "/Trips.store", "--model", "Trips.xcdatamodeld", "--mapping", mapping.path,
        "--dry-run")
      #expect(planned.exitCode == code)
    }
    try disk.replace("/other") { try $0.write("not a store") }
    #expect(run("migrate", "/other", "--model", "Trips.xcdatamodeld").exitCode == .unreadable)
    #expect(try disk.read("/Trips.store", byteLimit: 1 << 20) == before)
  }

  @Test("A migration that drops values is refused with their count until --allow-loss is given")
  func allowLoss() throws {
    let before = try disk.read("/Trips.store", byteLimit: 1 << 20)
    let lean = try Model(entities: [
      Entity("Trip", properties: [.attribute(Attribute("name", .string))])
    ])
    let models = ModelReader { _ in ModelVersions([.init("Lean", model: lean)], currentName: "Lean")
    }
    func run(_ words: String...) -> RecordedRun {
      RecordedRun(
        ["migrate", "/Trips.store", "--model", "Lean.xcdatamodeld"] + words,
        tool: Tool(commands: [MigrateCommand.command(StoreReader.files(on: disk), models)]))
    }
    let plan = run("--dry-run")
    #expect(plan.exitCode == .modelMismatch)
    #expect(plan.output.contains("Trip.cost: in 2 objects"), "\(plan.output)")
    let refused = run()
    #expect(refused.exitCode == .modelMismatch)
    #expect(refused.messages.contains("--allow-loss"), "\(refused.messages)")
    #expect(try disk.read("/Trips.store", byteLimit: 1 << 20) == before)
    let allowed = run("--allow-loss")
    #expect(allowed.exitCode == .done && allowed.output.hasSuffix("Done.\n"))
  }
}
