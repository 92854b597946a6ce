import Foundation
import StoreInterface
import Testing
import Validation

/// The files of spec/vectors/rules. `RECORD_VECTORS=1` rewrites the files and their reports.
@Suite("Files that break exactly one rule", .serialized)
struct VectorTests {
  @Test("The report of each file equals the recorded report", arguments: BrokenFile.all)
  func reports(_ broken: BrokenFile) throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil { try Self.record(broken) }
    let file = BrokenFile.folder.appending(path: broken.fileName)
    let recorded = try Data(contentsOf: file)
    let bytes =
      broken.statements == nil
      ? [UInt8](recorded) : try SmallFile.shelf(String(decoding: recorded, as: UTF8.self))
    let expected = try String(
      contentsOf: BrokenFile.folder.appending(path: "\(broken.rule).txt"), encoding: .utf8)

    let report = try BrokenFile.report(
      bytes, as: "\(broken.rule).store", model: broken.model, valueFiles: broken.valueFiles)

    #expect(report.text == expected)
    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  @Test("Each rule has exactly one broken file or document")
  func complete() {
    let rules = BrokenFile.all.map(\.rule) + BrokenDocument.all.map(\.rule)
    #expect(Set(rules) == Set(Rule.known.map(\.id)))
    #expect(rules.count == Rule.known.count)
  }

  @Test("The folder contains exactly the files of the rules")
  func files() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: BrokenFile.folder.path)

    var expected: Set<String> = ["README.md"]
    for broken in BrokenFile.all {
      expected.formUnion([broken.fileName, "\(broken.rule).txt"])
    }
    for broken in BrokenDocument.all {
      expected.formUnion(["\(broken.rule).quire", "\(broken.rule).txt"])
    }

    #expect(Set(names) == expected)
  }

  @Test("Each file that is made anew breaks its rule alone", arguments: BrokenFile.all)
  func anew(_ broken: BrokenFile) throws {
    let report = try BrokenFile.report(
      broken.make(), model: broken.model, valueFiles: broken.valueFiles)

    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  @Test(
    "The report of each document equals the recorded report", arguments: BrokenDocument.all
  )
  func documents(_ broken: BrokenDocument) throws {
    let name = "\(broken.rule).quire"
    let folder = BrokenFile.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil {
      try broken.make().record(in: folder)
      try Data(BrokenDocument.report(broken.make(), as: name).text.utf8).write(
        to: BrokenFile.folder.appending(path: "\(broken.rule).txt"))
    }
    let expected = try String(
      contentsOf: BrokenFile.folder.appending(path: "\(broken.rule).txt"), encoding: .utf8)

    let report = try BrokenDocument.report(DocumentFiles(recordedIn: folder), as: name)

    #expect(report.text == expected)
    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  @Test("Each document that is made anew breaks its rule alone", arguments: BrokenDocument.all)
  func documentsAnew(_ broken: BrokenDocument) throws {
    let report = try BrokenDocument.report(broken.make(), as: "Broken.quire")

    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  private static func record(_ broken: BrokenFile) throws {
    let bytes = try broken.make()
    let name = "\(broken.rule).store"
    try FileManager.default.createDirectory(
      at: BrokenFile.folder, withIntermediateDirectories: true)
    let kept = try broken.statements.map { Array(try $0().utf8) } ?? bytes
    try Data(kept).write(to: BrokenFile.folder.appending(path: broken.fileName))
    let report = try BrokenFile.report(
      bytes, as: name, model: broken.model, valueFiles: broken.valueFiles)
    try Data(report.text.utf8).write(
      to: BrokenFile.folder.appending(path: "\(broken.rule).txt"))
  }
}
