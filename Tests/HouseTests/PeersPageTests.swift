import Foundation
import Testing

/// The page of the tasks that `./run peers` has compared.
@Suite("docs/beside-other-tools.md")
struct PeersPageTests {
  @Test("The page lists 35 tasks, and states as many verdicts as it lists")
  func verdicts() throws {
    let page = try String(
      contentsOf: House.root.appending(path: "docs/beside-other-tools.md"), encoding: .utf8)
    let verdicts = page.split(separator: "\n").filter { $0.firstMatch(of: /^\| \d+ \|/) != nil }
      .map { String($0.split(separator: "|").last!).trimmingCharacters(in: .whitespaces) }
    func count(_ verdict: String) -> Int { verdicts.count { $0 == verdict } }
    let good = count("better") + count("equal")
    #expect(verdicts.count == 35)
    #expect(good >= 31)
    #expect(
      page.contains(
        "\(good) of 35 tasks are better or equal with Quire: \(count("better")) better, \(count("equal")) equal, "
          + "\(count("worse")) worse"))
  }
}
