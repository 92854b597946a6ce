import DiskSimulation
import Documents
import DurableFiles
import Foundation
import JSONText
import Migration
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire sync and versions of newer models")
struct SharedModelCommandTests {
  private let disk = SimulatedDisk()
  private var places: StorePlaces { StorePlaces(.builtIn, on: disk) }

  private static func model(_ attributes: String...) throws -> Model {
    try Model(entities: [
      Entity("Note", properties: attributes.map { .attribute(Attribute($0, .string)) })
    ])
  }

  init() throws {
    try disk.makeDirectory("/share")
    try Document.create("/A.quire", model: Self.model("title", "text"), in: places).close()
    #expect(run("insert", "/A.quire", "Note", "title=a", "text=long").exitCode == .done)
    #expect(run("remote", "add", "/A.quire", "origin", "/share").exitCode == .done)
    #expect(run("push", "/A.quire").exitCode == .done)
    #expect(run("clone", "/share", "/B.quire").exitCode == .done)
  }

  private func run(_ words: String...) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(
        commands: [
          ExchangeCommands.push(reader), ExchangeCommands.pull(reader),
          ExchangeCommands.sync(reader), CloneCommand.command(reader),
          InsertCommand.command(reader), FetchCommand.command(reader),
          RemoteCommand.command(reader),
        ]))
  }

  @Test("The document is migrated to the newer model, and keeps its own changes")
  func migration() throws {
    try Document.migrate("/A.quire", to: Self.model("title", "text", "color"), in: places)
    #expect(run("insert", "/A.quire", "Note", "title=b", "color=red").exitCode == .done)
    #expect(run("sync", "/A.quire").exitCode == .done)
    #expect(run("insert", "/B.quire", "Note", "title=own").exitCode == .done)

    let looked = run("pull", "/B.quire", "--no-merge")
    #expect(looked.output.contains("its model is newer"), "\(looked)")
    let synced = run("sync", "/B.quire")

    #expect(synced.exitCode == .done && synced.output.contains("received"), "\(synced)")
    let notes = run("fetch", "/B.quire", "Note").output
    #expect(["own", "red", "long"].allSatisfy(notes.contains), "\(notes)")
  }

  @Test("A migration that drops values needs --allow-loss, and the message has the next command")
  func loss() throws {
    var migrator = Migrator.automatic
    migrator.allowsLoss = true
    try Document.migrate("/A.quire", to: Self.model("title"), with: migrator, in: places)
    #expect(run("push", "/A.quire").exitCode == .done)

    let refused = run("sync", "/B.quire")

    #expect(refused.exitCode == .modelMismatch, "\(refused)")
    #expect(refused.messages.contains("quire pull /B.quire --allow-loss"), "\(refused)")
    #expect(run("fetch", "/B.quire", "Note").output.contains("long"))
    #expect(run("pull", "/B.quire", "--allow-loss").exitCode == .done)
    #expect(!run("fetch", "/B.quire", "Note").output.contains("long"))
  }

  @Test("A document that a program has open is not migrated")
  func openDocument() throws {
    try Document.migrate("/A.quire", to: Self.model("title", "text", "color"), in: places)
    #expect(run("push", "/A.quire").exitCode == .done)
    let open = try Document.open("/B.quire", in: places, access: .shared)
    defer { try? open.close() }
    let refused = run("sync", "/B.quire")
    #expect(refused.exitCode == .inputOutput, "\(refused)")
  }
}
