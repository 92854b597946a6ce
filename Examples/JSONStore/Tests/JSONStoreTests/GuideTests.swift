import DiskSimulation
import Foundation
import PluginSupport
import StoreConformance
import Testing

/// Tests of the format that docs/writing-a-store.md explains. GuideFormat.swift contains the same source.
@Suite("The format of the guide")
struct GuideTests {
  @Test("Does what every store must do")
  func conformance() {
    let disk = SimulatedDisk()
    let report = StoreConformance(
      keepsRows: false,
      make: { model in
        try LedgerBackend().create(
          at: "/\(UInt64.random(in: 0 ... .max))", model: model, on: disk, StoreCreation())
      },
      reopen: { store in
        try store.close()
        return try LedgerBackend().open(store.path!, on: disk, StoreOpening())
      }
    ).run()

    #expect(report.passed, "\(report)")
  }

  @Test("Is shown on the page as it is tried here")
  func shown() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = try String(
      contentsOf: tests.appending(path: "../../../../docs/writing-a-store.md").standardizedFileURL,
      encoding: .utf8)
    let code = try String(
      contentsOf: tests.appending(path: "GuideFormat.swift"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
      .filter { $0.contains("struct Ledger") }

    #expect(blocks.count == 2)
    for block in blocks { #expect(code.contains(block)) }
  }
}
