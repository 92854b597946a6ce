import Foundation
import Testing
import Validation

/// The files of spec/vectors/rules. `RECORD_VECTORS=1` makes them anew, and the reports beside them.
@Suite("Files that break just one rule", .serialized)
struct VectorTests {
  @Test("Each is reported as the report beside it says", arguments: BrokenFile.all)
  func reports(_ broken: BrokenFile) throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil { try Self.record(broken) }
    let file = BrokenFile.folder.appending(path: "\(broken.rule).store")
    let bytes = [UInt8](try Data(contentsOf: file))
    let expected = try String(
      contentsOf: BrokenFile.folder.appending(path: "\(broken.rule).txt"), encoding: .utf8)

    let report = try BrokenFile.report(bytes, as: "\(broken.rule).store", model: broken.model)

    #expect(report.text == expected)
    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  @Test("Each rule has one")
  func complete() {
    #expect(Set(BrokenFile.all.map(\.rule)) == Set(Rule.all.map(\.id)))
    #expect(BrokenFile.all.count == Rule.all.count)
  }

  @Test("The files in the folder are those of the rules")
  func files() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: BrokenFile.folder.path)

    #expect(
      Set(names)
        == Set(BrokenFile.all.flatMap { ["\($0.rule).store", "\($0.rule).txt"] } + ["README.md"]))
  }

  @Test("Made anew, each breaks its rule alone", arguments: BrokenFile.all)
  func anew(_ broken: BrokenFile) throws {
    let report = try BrokenFile.report(broken.make(), model: broken.model)

    #expect(report.counts.keys.map(\.id) == [broken.rule], "\(report.text)")
  }

  private static func record(_ broken: BrokenFile) throws {
    let bytes = try broken.make()
    let name = "\(broken.rule).store"
    try FileManager.default.createDirectory(
      at: BrokenFile.folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: BrokenFile.folder.appending(path: name))
    let report = try BrokenFile.report(bytes, as: name, model: broken.model)
    try Data(report.text.utf8).write(
      to: BrokenFile.folder.appending(path: "\(broken.rule).txt"))
  }
}
