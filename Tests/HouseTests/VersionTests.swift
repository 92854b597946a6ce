import Foundation
import Testing

/// The version of Quire, which one file contains.
@Suite("The version of Quire")
struct VersionTests {
  static let place = "Sources/ObjectModel/QuireVersion.swift"

  private func version() throws -> String {
    let source = try House.file(Self.place).lines.joined(separator: "\n")
    return String(try #require(source.firstMatch(of: #/static let version = "([^"]*)"/#)).1)
  }

  @Test("The version is a semantic version")
  func form() throws {
    let version = try version()

    #expect(version.wholeMatch(of: #/\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?/#) != nil, "\(version)")
  }

  @Test("The newest section of the changelog with a number is of this version")
  func changelog() throws {
    let headings = try House.file("CHANGELOG.md").lines.filter { $0.hasPrefix("## ") }
    let numbered = headings.compactMap { $0.firstMatch(of: #/^## (\d\S*?),/#)?.1 }

    #expect(numbered.first.map(String.init) == (try version()))
    #expect(Set(numbered).count == numbered.count, "\(headings)")
  }

  @Test("The README states the minor version")
  func readme() throws {
    let parts = try version().split(separator: ".").prefix(2).joined(separator: ".")
    let lines = try House.file("README.md").lines(with: "Quire is at version ")

    #expect(lines.count == 1)
    #expect(lines.first?.text.contains("Quire is at version \(parts),") == true)
  }

  @Test("No script and no other page of the root repeats the whole version")
  func once() throws {
    let version = try version()
    let files = House.files.filter { file in
      file.path.hasPrefix("scripts/") || file.path == "Package.swift"
        || (file.folders.isEmpty && file.path.hasSuffix(".md") && file.path != "CHANGELOG.md")
    }
    let findings = files.flatMap { file in
      file.lines(with: version).map { Finding(file, $0.number, "Repeats the version \(version).") }
    }

    #expect(files.count > 10)
    #expect(findings.isEmpty, "\(list(findings))")
  }
}
