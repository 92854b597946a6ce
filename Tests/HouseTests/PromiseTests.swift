import Foundation
import Testing

/// The promises of the README and of SECURITY.md.
@Suite("Promises")
struct PromiseTests {
  @Test("Each promise of the README leads to a test")
  func readme() throws {
    let page = try House.file("README.md").lines.joined(separator: "\n")
    let section = try #require(page.components(separatedBy: "## What it promises").last)
      .components(separatedBy: "\n## ")[0]
    let promises = section.components(separatedBy: "\n- ").dropFirst()

    #expect(promises.count > 3)
    for promise in promises {
      #expect(promise.contains("](Tests/"), "\(promise)")
    }
  }

  @Test("SECURITY.md names each fuzzer")
  func fuzzers() throws {
    let page = try House.file("SECURITY.md").lines.joined(separator: "\n")
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: House.root.appending(path: "Fuzz").path)
    let fuzzers = folders.filter { $0.hasSuffix("Fuzz") }
    let named = Set(page.matches(of: #/`(\w+Fuzz)`/#).map { String($0.1) })

    #expect(fuzzers.count > 10)
    #expect(named == Set(fuzzers))
  }
}
