import CommandInterface
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Quire
import Testing

@testable import ToolCommands

/// A disk with documents and stores of trips, and runs of the commands that change and compare them.
final class ComparedTrips {
  let disk = SimulatedDisk()
  let models: ModelReader

  init() throws {
    let next = try ComparedTrips.nextModel
    let versions = [
      ModelVersions.Version("Trips", model: try ComparedTrips.model()),
      .init("Next", model: next),
      .init("Unique", model: try ComparedTrips.model(uniqueTrip: ["name"])),
    ]
    models = ModelReader { path in
      guard versions.contains(where: { $0.name == path }) else {
        throw CommandError(.inputOutput, "There is no '\(path)'.")
      }
      return ModelVersions(versions, currentName: path)
    }
  }

  /// Returns the model of trips with ordered stops and with travellers, whose e-mail addresses are unique.
  static func model(uniqueTrip: [String] = []) throws -> Model {
    try Model(
      Model.Description(
        entities: [
          Entity(
            "Person",
            properties: [
              .attribute(Attribute("email", .string)),
              .relationship(
                Relationship(
                  "trips", to: "Trip", inverse: "travellers", count: .toMany)),
            ], uniquenessConstraints: [["email"]]),
          Entity(
            "Stop",
            properties: [
              .attribute(Attribute("name", .string)), .attribute(Attribute("nights", .int32)),
              .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
            ]),
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("name", .string)), .attribute(Attribute("start", .date)),
              .attribute(Attribute("price", .double)),
              .attribute(Attribute("seen", .boolean, isTransient: true)),
              .attribute(Attribute("place", .composite, compositeName: "Place")),
              .attribute(Attribute("count", .int64, derivation: .init("stops.@count"))),
              .relationship(
                Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
              .relationship(
                Relationship("travellers", to: "Person", inverse: "trips", count: .toMany)),
            ], uniquenessConstraints: uniqueTrip.isEmpty ? [] : [uniqueTrip]),
          Entity("Voucher", properties: [.attribute(Attribute("code", .string))]),
        ],
        composites: [
          CompositeType(
            "Place",
            attributes: [Attribute("latitude", .double), Attribute("longitude", .double)])
        ],
        configurations: [
          Configuration("Trips", entities: ["Trip", "Stop", "Person"]),
          Configuration("Vouchers", entities: ["Voucher"]),
        ]))
  }

  /// The next version of the model: trips are journeys with titles, and stops are gone.
  private static var nextModel: Model {
    get throws {
      try Model(entities: [
        Entity(
          "Journey",
          properties: [
            .attribute(Attribute("title", .string, renamingIdentifier: "name")),
            .attribute(Attribute("start", .date)), .attribute(Attribute("price", .decimal)),
            .attribute(Attribute("rating", .int16)),
          ], renamingIdentifier: "Trip"),
        Entity("Person", properties: [.attribute(Attribute("email", .string))]),
      ])
    }
  }

  func run(
    _ words: [String], terminal: Bool = false, colour: Bool = false, input: String = "",
    typed: Bool = false, environment: [String: String] = [:], height: Int? = nil
  ) -> RecordedRun {
    RecordedRun(
      words, tool: tool, colour: colour, terminal: terminal, height: height,
      input: Array(input.utf8),
      typed: typed, environment: environment)
  }

  /// A tool with the commands that change and compare documents and stores.
  var tool: Tool {
    let reader = StoreReader.files(on: disk)
    return Tool(commands: [
      NewCommand.command(reader, models), InsertCommand.command(reader, models),
      SetCommand.command(reader, models), DeleteCommand.command(reader, models),
      ConvertCommand.command(reader, models), SaveAsCommand.command(reader),
      MigrateCommand.command(reader, models), HistoryCommand.command(reader, models),
      PackCommand.command(on: disk), UnpackCommand.command(on: disk),
      AttachCommand.command(reader), OpenCommand.command(reader),
      DiffCommand.command(reader, models), MergeCommand.command(reader, models),
      RevertCommand.command(reader), UndoCommand.command(reader),
      RedoCommand.command(reader), CountCommand.command(reader, models),
      ImportCommand.command(reader, models), WatchCommand.command(reader, models),
      VacuumCommand.command(reader, models), FetchCommand.command(reader, models),
      ValidateCommand.command(on: disk, models), InfoCommand.command(reader, models),
      BackupCommand.command(reader),
    ])
  }

  /// Runs a command that must succeed.
  @discardableResult
  func done(
    _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let run = run(words)
    #expect(
      run.exitCode == .done, "\(words): \(run.messages)", sourceLocation: sourceLocation)
    return run.output
  }

  /// Creates a document with two trips, three stops and a traveller, in eight versions.
  ///
  ///     1  nothing                      5  Stop 2/p1 "Porto", 0 nights, first of trip 3/p1
  ///     2  Trip 3/p1 "Douro", 900.0     6  Stop 2/p2 "Régua", second of trip 3/p1
  ///     3  Trip 3/p2 "Lisbon"           7  Stop 2/p3 "Lisboa", of trip 3/p2
  ///     4  Person 1/p1 "a@b.c"          8  the person travels on trip 3/p1
  func makeDocument(_ path: String = "/Trips.quire", model: String = "Trips") {
    done("new", path, "--model", model)
    script(
      path,
      """
      insert Trip name=Douro price=900 start=2027-04-21T11:33:20Z place.latitude=41.5
      save
      insert Trip name=Lisbon
      save
      insert Person email=a@b.c
      save
      insert Stop name=Porto nights=0 trip=3/p1
      save
      insert Stop name=Régua trip=3/p1
      save
      insert Stop name=Lisboa trip=3/p2
      save
      set Trip --id 3/p1 travellers=1/p1
      save

      """)
  }

  /// Writes a file.
  func write(_ bytes: [UInt8], to path: String) throws {
    try disk.replace(path, overwriting: true) { try $0.write(bytes) }
  }

  /// Runs the lines of a session. The new objects of a session have consecutive numbers.
  func script(
    _ path: String, _ lines: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let run = run(["open", path], input: lines)
    #expect(run.exitCode == .done, "\(run.messages)", sourceLocation: sourceLocation)
  }
}
