import Archives
import DiskSimulation
import DurableFiles
import HostileInputs
import SpecVectors
import Testing
import Validation

@Suite("Validation of features")
struct FeatureTests {
  private static let classes: [(UInt8, String, ValidationReport.Verdict)] = [
    (1, "ignore", .valid), (2, "read", .valid), (3, "refuse", .newerFormat),
    (77, "ask", .newerFormat),
  ]

  @Test("A store is valid unless it has a feature that readers must refuse", arguments: classes)
  func stores(_ number: UInt8, _ kind: String, _ verdict: ValidationReport.Verdict) throws {
    let report = try BrokenFile.report(SmallFile.naming(feature: "page-index", ofClass: number))

    #expect(report.verdict == verdict, "\(report.text)")
    #expect(report.text.contains("\"page-index\""))
  }

  @Test("So is a document, in a folder and packed", arguments: classes)
  func documents(_ number: UInt8, _ kind: String, _ verdict: ValidationReport.Verdict) throws {
    var document = try DocumentFiles.notes()
    document.name(feature: "page-index", kind)
    let disk = SimulatedDisk()
    try document.put(at: "/d", on: disk)
    try FolderPacking("/d", on: disk).run(into: "/packed")

    for path in ["/d", "/packed"] {
      let report = try Validator().validate(path, on: disk)
      #expect(report.verdict == verdict, "\(report.text)")
      #expect(report.text.contains("\"page-index\""))
    }
  }
}

extension SmallFile {
  /// Returns a store with a feature of the given class.
  static func naming(feature name: String, ofClass number: UInt8) throws -> [UInt8] {
    let vectors = try SpecVector.all("block-file", on: "4-block-file.md")
    let vector = try #require(vectors.first { $0.title.hasSuffix("without features") })
    return BlockFileMap.naming(
      feature: name, ofClass: number, in: try #require(vector.bytes("bytes")))
  }
}
