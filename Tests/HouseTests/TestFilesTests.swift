import Testing

@Suite("Test files")
struct TestFilesTests {
  @Test("Every test file tests something, and every file of a test target is one or supports one")
  func notEmpty() {
    let findings = emptyTestFiles(House.swift(in: "Tests"))

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule can fail")
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

/// Files named as tests that have none, and files that hold nothing at all.
private func emptyTestFiles(_ files: [SourceFile]) -> [Finding] {
  files.filter { file in
    if file.name.hasSuffix("Tests.swift") {
      return !file.lines.contains { $0.contains("@Test") }
    }
    return file.lines.allSatisfy { $0.isEmpty || $0.hasPrefix("//") || $0.hasPrefix("import ") }
  }.map { Finding($0, 1, "There is nothing in this file.") }
}
