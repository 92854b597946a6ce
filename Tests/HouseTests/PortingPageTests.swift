import Foundation
import Testing

/// The table of docs/porting.md, which lists the parts of the system that each module uses.
@Suite("docs/porting.md")
struct PortingPageTests {
  /// The imports that tie a module to a system, besides Foundation.
  private static let systems: Set<String> = [
    "Glibc", "Dispatch", "Synchronization", "Observation", "CLibDeflate", "CLibXML2", "CZlib",
    "CSQLite3", "CPostgreSQL",
  ]

  @Test("The table has each module that imports a part of the system, with that import")
  func complete() throws {
    let findings = missing(
      from: try House.file("docs/porting.md"), in: House.swift(in: "Sources", "Plugins"))

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports a module without a row, and a row without an import")
  func canFail() {
    let page = SourceFile(
      "docs/porting.md", "## The system in each module\n\n| A, B | `Dispatch` | queues |\n")
    let sources = [
      SourceFile("Sources/A/A.swift", "import Dispatch"),
      SourceFile("Sources/B/B.swift", "import Dispatch\ninternal import CZlib"),
      SourceFile("Sources/C/C.swift", "  import Glibc"),
    ]

    #expect(
      missing(from: page, in: sources).map(\.path) == ["Sources/B/B.swift", "Sources/C/C.swift"])
  }

  private func missing(from page: SourceFile, in sources: [SourceFile]) -> [Finding] {
    var rows: [String: Set<String>] = [:]
    for line in page.lines where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3 else { continue }
      let imports = Set(cells[1].matches(of: #/`(\w+)`/#).map { String($0.1) })
      for module in cells[0].components(separatedBy: ", ") { rows[module] = imports }
    }
    return sources.flatMap { file -> [Finding] in
      file.lines(with: "import ").compactMap { number, text in
        guard let name = text.firstMatch(of: #/\bimport (\w+)\s*$/#).map({ String($0.1) }),
          Self.systems.contains(name), rows[file.module].map({ !$0.contains(name) }) ?? true,
          // The functions of the C library are listed by name.
          name != "Glibc" || rows[file.module] == nil
        else { return nil }
        return Finding(
          file, number, "docs/porting.md does not say that \(file.module) uses \(name).")
      }
    }
  }
}
