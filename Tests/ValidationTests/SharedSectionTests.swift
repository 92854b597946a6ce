import BlockFileFormat
import Foundation
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
}
