import DiskSimulation
import DurableFiles
import ModelNotations
import ObjectModel
import Quire
import TestEffort
import Testing

@testable import ToolCommands

/// Lets each read of a command fail once. The command then exits with the code for a failed disk, or gives its whole answer.
@Suite("Commands whose reads fail")
struct FailingReadTests {
  private static let reads: Set<DiskOperation> = [
    .open, .read, .status, .list, .readSymbolicLink,
  ]
  private static let places = [
    "/Trip.quire", "/Two.quire", "/Trip.zip", "/Two.zip", "/Trip.store", "/Small.store",
    "/Trip.xml",
  ]
  private let disk = SimulatedDisk()
  private let tool: Tool

  init() throws {
    let model = try Model(
      Model.Description(
        entities: [
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("name", .string)),
              .relationship(
                Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
            ]),
          Entity(
            "Stop",
            properties: [
              .attribute(Attribute("name", .string)),
              .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
            ]), Entity("Person", properties: [.attribute(Attribute("name", .string))]),
        ],
        configurations: [
          Configuration("Trips", entities: ["Trip", "Stop"]),
          Configuration("People", entities: ["Person"]),
        ]))
    let models = ModelReader { _ in ModelVersions([.init("1", model: model)], currentName: "1") }
    let reader = StoreReader.files(on: disk)
    tool = Tool(commands: [
      NewCommand.command(reader, models), InfoCommand.command(reader, models),
      FetchCommand.command(reader, models), CountCommand.command(reader, models),
      InsertCommand.command(reader, models), ConvertCommand.command(reader, models),
      HistoryCommand.command(reader), PackCommand.command(on: disk),
      ExportCommand.command(reader, models), TreeCommand.command(reader, models),
      DiffCommand.command(reader, models), ReportCommand.command(reader, models),
      ValidateCommand.command(on: disk, models), AttachCommand.command(reader),
      OpenCommand.command(reader, models),
    ])
    let name = "name=x.com/\(String(repeating: "long ", count: 400))"
    for words in [
      ["new", "/Trip.quire", "--model", "M"],
      ["new", "/Two.quire", "--model", "M", "--store", "trips=xml:Trips,people=compressed:People"],
    ] { try done(words) }
    for document in ["/Trip.quire", "/Two.quire"] {
      for number in 1...3 {
        try done(["insert", document, "Trip", number == 2 ? name : "name=Trip \(number)"])
        try done(["insert", document, "Person", "name=Person \(number)", "-m", "Message \(number)"])
      }
      try done(["insert", document, "Stop", "name=Belém", "trip={name == 'Trip 1'}"])
    }
    try disk.replace("/photo.jpg") { try $0.write(name) }
    try done(["attach", "add", "/Trip.quire", "/photo.jpg"])
    try done(["convert", "/Trip.quire", "/Trip.xml"])
    try done(["convert", "/Trip.quire", "/Small.store", "--store", "compressed"])
    try done(["convert", "/Trip.quire", "/Trip.store"])
    try done(["insert", "/Trip.store", "Trip", "name=Later", "-m", "A message"])
    try done(["pack", "/Trip.quire", "/Trip.zip"])
    try done(["pack", "/Two.quire", "/Two.zip"])
  }

  private func run(_ words: [String]) -> RecordedRun { RecordedRun(words, tool: tool) }

  private func done(_ words: [String]) throws {
    let run = run(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)")
  }

  @Test(
    "A read that fails once is an error of the disk, and never another answer", arguments: places)
  func once(_ place: String) {
    let isDocument = place.hasSuffix("quire") || place.hasSuffix("zip")
    var commands = [
      ["info", place], ["validate", place], ["fetch", place], ["fetch", place, "Trip"],
      ["fetch", place, "Stop", "--columns", "name,trip.name", "--ids", "--format", "csv"],
      ["count", place, "Person"], ["export", place, "--entity", "Trip"], ["tree", place, "Trip"],
      ["history", place, "--objects"], ["report", place], ["diff", place, "/Trip.store"],
      ["diff", place, "/Trip.quire"], ["convert", place, "/New.xml"],
    ]
    if isDocument { commands += [["attach", "list", place]] }
    for words in commands {
      let whole = run(words)
      try? disk.removeTree("/New.xml")
      guard ![.inputOutput, .internalFault].contains(whole.exitCode) else {
        // A command that is not for this place.
        continue
      }
      var number = 0
      var isReached = true
      while isReached, number < 2_000 {
        let start = disk.operationCount
        disk.plan(PlannedFailure(.error(.inputOutput), on: Self.reads, after: number))
        let failed = run(words)
        disk.planNoFailures()
        let failure = disk.operations[start...].first { $0.failure == .inputOutput }
        isReached = failure != nil
        // A refused write leaves nothing, so the next attempt has the same place.
        try? disk.removeTree("/New.xml")
        if failed.exitCode != .inputOutput {
          #expect(
            failed.exitCode == whole.exitCode && failed.output == whole.output,
            "\(words), read \(number), \(String(describing: failure)): \(failed.exitCode) \(failed.messages)"
          )
        }
        number += Effort.distance(1)
      }
      #expect(!isReached && number > 1, "\(words)")
    }
  }
}
