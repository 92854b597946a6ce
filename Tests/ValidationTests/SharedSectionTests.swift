import BlockFileFormat
import Foundation
import HostileInputs
import Testing
import Validation

/// A record that refers to one section in two places (spec §4.4.4).
@Suite("Sections that a record refers to twice")
struct SharedSectionTests {
  /// One of the two parts can't be read, and no rule beside BLCK-037 covers the file.
  @Test(
    "A record that refers to one section twice is an error",
    arguments: [
      { record in record.metadata = record.model }, { record in record.model = record.metadata },
      { record in record.schema = record.model }, { record in record.metadata = record.schema },
    ] as [@Sendable (inout CommitRecord) -> Void])
  func twice(_ change: @Sendable (inout CommitRecord) -> Void) throws {
    let bytes = try recommitted(SmallFile.one()) { record in
      change(&record)
      record.schemaNumber = record.number
      record.liveByteCount = record.liveCount
    }

    let report = try BrokenFile.report(bytes)

    #expect(report.verdict == .invalid)
    #expect(report.counts.keys.contains { $0.id == "BLCK-037" }, "\(report.text)")
  }

  @Test("A reference to a copy of the same model is a change of the model (spec §4.6.4)")
  func copiedModel() throws {
    let bytes = try SmallFile.one()
    let model = BlockFileMap.section(at: 64, of: bytes)

    let unnamed = try BrokenFile.report(recommitted(bytes, model: model))
    let named = try BrokenFile.report(
      recommitted(bytes, model: model) { $0.schemaNumber = $0.number })

    #expect(unnamed.counts.keys.map(\.id) == ["BLCK-024"], "\(unnamed.text)")
    #expect(named.findings.isEmpty, "\(named.text)")
  }
}
