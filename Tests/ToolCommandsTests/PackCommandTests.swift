import DiskSimulation
import DurableFiles
import Foundation
import Testing

@testable import ToolCommands

@Suite("quire pack and quire unpack")
struct PackCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    try disk.makeDirectory("/Trip.quire")
    try disk.makeDirectory("/Trip.quire/stores")
    try disk.replace("/Trip.quire/manifest.json") {
      try $0.write(String(repeating: "<key/>", count: 100))
    }
    try disk.replace("/Trip.quire/stores/main.store") { try $0.write([0, 1, 2]) }
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(
      words,
      tool: Tool(commands: [PackCommand.command(on: disk), UnpackCommand.command(on: disk)]))
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try disk.read(path, byteLimit: 1 << 20), as: UTF8.self)
  }

  @Test("A packed document is unpacked to an equal one, with default names for both")
  func round() throws {
    let packed = run("pack", "/Trip.quire/")
    let size = try disk.status(of: "/Trip.quire.zip").byteCount
    #expect(packed.output == "/Trip.quire.zip: 2 files, 603 bytes, \(size) packed\n")
    #expect(packed.messages.isEmpty && packed.exitCode == .done)

    try disk.rename("/Trip.quire", to: "/Before.quire")
    let unpacked = run("unpack", "/Trip.quire.zip")
    #expect(unpacked.output == "/Trip.quire: 2 files, 603 bytes, \(size) packed\n")
    #expect(unpacked.exitCode == .done)
    for file in ["/manifest.json", "/stores/main.store"] {
      #expect(try text("/Trip.quire" + file) == text("/Before.quire" + file))
    }

    let json = run("pack", "/Trip.quire", "/other", "--format", "json")
    let object =
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["path"] as? String == "/other")
    #expect(object?["fileCount"] as? Int == 2)
    #expect(object?["archiveByteCount"] as? Int == size)
    #expect(run("unpack", "/other").exitCode == .done)
    #expect(try disk.exists("/other.quire/manifest.json"))
  }

  @Test("Existing files are replaced only with --force, and folders never")
  func overwriting() throws {
    #expect(run("pack", "/Trip.quire").exitCode == .done)
    let refused = run("pack", "/Trip.quire")
    #expect(refused.exitCode == .inputOutput)
    #expect(
      refused.messages
        == "error: '/Trip.quire.zip' exists already.\nhint: Give --force to replace it.\n")
    #expect(run("pack", "/Trip.quire", "--force").exitCode == .done)

    let unpacked = run("unpack", "/Trip.quire.zip")
    #expect(unpacked.exitCode == .inputOutput)
    #expect(unpacked.messages.contains("the folder exists already"))
    #expect(unpacked.messages.contains("hint: Give another folder"))
  }

  @Test("A document that another process is writing to is not packed")
  func locked() throws {
    let lock = try disk.lock("/Trip.quire/.lock")
    let refused = run("pack", "/Trip.quire")
    #expect(refused.exitCode == .inputOutput)
    #expect(refused.messages.contains("/Trip.quire/.lock"))
    #expect(try !disk.exists("/Trip.quire.zip"))

    try lock.release()
    #expect(run("pack", "/Trip.quire").exitCode == .done)
    #expect(try disk.lock("/Trip.quire/.lock").path == "/Trip.quire/.lock")
  }

  @Test("Each error has its message and exit code")
  func wrong() throws {
    #expect(run("pack", "/none").exitCode == .inputOutput)
    #expect(run("pack", "/Trip.quire/manifest.json").exitCode == .wrongUsage)
    #expect(run("pack").exitCode == .wrongUsage)
    for folder in [".", "/Trip.quire/..", "/"] {
      let nameless = run("pack", folder)
      #expect(nameless.exitCode == .wrongUsage && nameless.messages.contains("Give the file"))
    }
    #expect(run("unpack", "/none").exitCode == .inputOutput)
    let noArchive = run("unpack", "/Trip.quire/manifest.json", "/out")
    #expect(noArchive.exitCode == .unreadable)
    #expect(noArchive.messages.contains("it is not an archive, was cut, or has a comment"))
    try disk.makeSymbolicLink("/Trip.quire/link", to: "/etc")
    let link = run("pack", "/Trip.quire")
    #expect(link.exitCode == .inputOutput && link.messages.contains("'link'"))
    #expect(try disk.list("/").map(\.name) == ["Trip.quire"])
  }
}
