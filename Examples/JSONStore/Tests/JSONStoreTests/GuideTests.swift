import DiskSimulation
import Foundation
import PluginSupport
import StoreConformance
import Testing

/// Tests of the format that docs/writing-a-store.md explains. GuideFormat.swift contains the same source.
@Suite("The format of the guide")
struct GuideTests {
  @Test("The store follows every rule for stores")
  func conformance() {
    let report = StoreConformance(LedgerBackend(), on: SimulatedDisk(), in: "/", keepsRows: false)
      .run()

    #expect(report.passed, "\(report)")
  }

  @Test("Checks a file by its own rule")
  func rule() throws {
    let disk = SimulatedDisk()
    let backend = LedgerBackend()
    let model = try Model(entities: [Entity("Trip")])
    let store = try backend.create(at: "/ledger", model: model, on: disk, StoreCreation())
    try store.close()

    let sound = try #require(
      try backend.check("/ledger", on: disk, model: nil, progress: { _ in }))
    #expect(sound.findings.kept.isEmpty && sound.hasReadableObjects)
    try disk.open("/torn", for: .create).append(Array(LedgerFormat.mark.utf8))
    let torn = try #require(try backend.check("/torn", on: disk, model: nil, progress: { _ in }))
    #expect(torn.unchecked.count == 1 && !torn.hasReadableObjects)
  }

  @Test("The page contains the code that is tested here")
  func shown() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = try String(
      contentsOf: tests.appending(path: "../../../../docs/writing-a-store.md").standardizedFileURL,
      encoding: .utf8)
    let code = try String(
      contentsOf: tests.appending(path: "GuideFormat.swift"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
      .filter { $0.contains("struct Ledger") || $0.contains("extension LedgerBackend") }

    #expect(blocks.count == 3)
    for block in blocks { #expect(code.contains(block)) }
  }
}
