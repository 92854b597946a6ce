import BinaryStore
import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import StoreInterface
import Synchronization
import Testing

@testable import ToolCommands

@Suite("After an error, a command says whether the change counts")
struct OutcomeTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity("Trip", properties: [.attribute(Attribute("name", .string))])
    ])
    try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation()
    ).close()
  }

  private struct NoRoom: Error, CustomStringConvertible {
    var description: String { "No space is left for the output." }
  }

  private func count() -> String {
    RecordedRun(["count", "/Trips.store", "Trip"], tool: .editing(.files(on: disk))).output
  }

  @Test("A write error of the output does not hide that the change is saved")
  func outputFails() {
    let messages = Mutex("")
    let console = Console(
      output: .init { _ in throw NoRoom() },
      messages: .init { text in messages.withLock { $0 += text } })
    let tool = Tool.editing(.files(on: disk))

    let code = tool.run(["insert", "/Trips.store", "Trip", "name=Faro"], on: console)
    #expect(code != .done)
    #expect(messages.withLock { $0 }.contains("The change is saved."))
    #expect(count() == "1\n")

    // The next command starts with an empty output.
    messages.withLock { $0 = "" }
    _ = tool.run(["count", "/Trips.store", "Trip"], on: console)
    #expect(!messages.withLock { $0 }.contains("saved"))
  }

  @Test("On a full disk the error states that nothing was saved")
  func saveFails() {
    disk.plan(.failing(.noSpace, on: .write, lasting: .forGood))
    let run = RecordedRun(
      ["insert", "/Trips.store", "Trip", "name=Faro"], tool: .editing(.files(on: disk)))
    disk.planNoFailures()

    #expect(run.exitCode == .inputOutput)
    #expect(run.messages.contains("Nothing was saved."), "\(run.messages)")
    #expect(count() == "0\n")
  }

  @Test("A store that fails to close after a save is a note, and the exit code is 0")
  func closingFails() throws {
    let command = Command("save", "saves") { _ in .done }
    let messages = Mutex("")
    let invocation = try command.parse(
      [],
      on: Console(
        output: .init { _ in }, messages: .init { text in messages.withLock { $0 += text } }))

    try invocation.close(FailingStore(), saved: true)
    #expect(messages.withLock { $0 }.hasPrefix("note: The change is saved."))
    #expect(throws: StoreError.self) { try invocation.close(FailingStore(), saved: false) }
  }

  /// A store that can't be closed, like a database with a log that can't be copied into its file.
  private final class FailingStore: Store {
    var type: StoreType { StoreType(rawValue: "SQLite") }
    var features: StoreFeatures { StoreFeatures([]) }
    let tag = StoreTag(UUID())
    var path: String? { nil }
    private var refusal: StoreError { StoreError(.inputOutput, "The disk is full.") }
    func snapshot() throws -> any StoreSnapshot { throw refusal }
    func commit(_ request: CommitRequest) throws -> any StoreSnapshot { throw refusal }
    func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> { throw refusal }
    func describe() throws -> StoreSummary { throw refusal }
    func close() throws { throw refusal }
  }
}
