import Testing

@Suite("Test files")
struct TestFilesTests {
  @Test("Every test file contains a test, and every file of a test target tests or supports a test")
  func notEmpty() {
    let findings = emptyTestFiles(House.swift(in: "Tests"))

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports a test file without a test, and an empty file")
  func canFail() {
    let attribute = "@" + "Test"
    let files = [
      SourceFile("Tests/ATests/ATests.swift", "import Testing"),
      SourceFile("Tests/ATests/BTests.swift", "\(attribute)(\"B\") func b() {}"),
      SourceFile("Tests/ATests/Generator.swift", "struct Generator {}"),
      SourceFile("Tests/ATests/Support/Placeholder.swift", "// Placeholder."),
    ]

    #expect(
      emptyTestFiles(files).map(\.path)
        == ["Tests/ATests/ATests.swift", "Tests/ATests/Support/Placeholder.swift"])
  }
}

/// Returns files that have the name of a test file and contain no test, and files without any contents.
private func emptyTestFiles(_ files: [SourceFile]) -> [Finding] {
  files.filter { file in
    if file.name.hasSuffix("Tests.swift") {
      return !file.lines.contains { $0.contains("@Test") }
    }
    return file.lines.allSatisfy { $0.isEmpty || $0.hasPrefix("//") || $0.hasPrefix("import ") }
  }.map { Finding($0, 1, "There is nothing in this file.") }
}
