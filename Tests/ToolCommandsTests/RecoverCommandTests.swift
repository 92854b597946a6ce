import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire recover and vacuum")
struct RecoverCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity("Trip", properties: [.attribute(Attribute("name", .string))])
    ])
    try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation()
    ).close()
    for name in ["Lisbon", "Porto", "Faro"] {
      #expect(run("insert", "/Trips.store", "Trip", "name=\(name)").exitCode == .done)
    }
  }

  private func run(_ words: String...) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        InsertCommand.command(reader), FetchCommand.command(reader), CountCommand.command(reader),
        RecoverCommand.command(reader, .files), VacuumCommand.command(reader),
      ]))
  }

  private func damage(_ change: (inout [UInt8]) -> Void) throws {
    var bytes = try disk.read("/Trips.store", byteLimit: 1 << 20)
    change(&bytes)
    try disk.open("/bad.store", for: .create).append(bytes)
  }

  @Test("A sound file is recovered without loss")
  func sound() throws {
    let run1 = run("recover", "/Trips.store", "--output", "/new.store")
    #expect(run1.exitCode == .done, "\(run1)")
    #expect(run1.output.hasSuffix("\nNothing is lost.\n"))
    #expect(
      run("fetch", "/new.store", "Trip").output == run("fetch", "/Trips.store", "Trip").output)
    #expect(run("recover", "/Trips.store", "--output", "/new.store").exitCode == .inputOutput)
    #expect(
      run("recover", "/Trips.store", "--output", "/new.store", "--force").exitCode == .done)
  }

  @Test("The recovery of a damaged file reports the losses")
  func damaged() throws {
    try damage { bytes in
      for place in bytes.count - 60..<bytes.count { bytes[place] = 0 }
    }
    #expect(run("count", "/bad.store", "Trip").exitCode == .unreadable)

    let text = run("recover", "/bad.store", "--output", "/new.xml")
    #expect(text.exitCode == .no)
    #expect(text.output.contains("bytes ") && text.output.contains("that can't be read"))
    #expect(run("count", "/new.xml", "Trip").output == "3\n")
    let json = run("recover", "/bad.store", "--output", "/new.store", "--format", "json")
    #expect(json.output.contains("\"complete\": false"))
    #expect(json.output.contains("\"unreadRanges\": [\n    {"))
  }

  @Test("A file without anything to recover is refused")
  func refused() throws {
    try disk.open("/none", for: .create).append(Array("nothing at all".utf8))
    let run1 = run("recover", "/none", "--output", "/out")
    #expect(run1.exitCode == .unreadable && run1.messages.contains("--model"))
    #expect(try !disk.exists("/out"))
    #expect(run("recover", "/missing", "--output", "/out").exitCode == .inputOutput)
    #expect(run("recover", "/Trips.store").exitCode == .wrongUsage)
  }

  @Test("A vacuum reports the saved space, and keeps the requested commits")
  func vacuum() throws {
    let kept = run("vacuum", "/Trips.store", "--keep", "2", "--format", "json")
    #expect(kept.output.contains("\"commits\": 3"))
    let usual = run("vacuum", "/Trips.store")
    #expect(usual.output.hasSuffix("after, 3 saves kept\n"), "\(usual.output)")
    #expect(usual.messages.contains("'--keep none'"), "\(usual.messages)")
    let text = run("vacuum", "/Trips.store", "--keep", "none")
    #expect(text.exitCode == .done && text.messages.isEmpty)
    #expect(text.output.contains("bytes before, ") && text.output.hasSuffix("after, 1 save kept\n"))
    #expect(run("count", "/Trips.store", "Trip").output == "3\n")
    #expect(run("vacuum", "/Trips.store", "--keep", "often").exitCode == .wrongUsage)
  }
}
