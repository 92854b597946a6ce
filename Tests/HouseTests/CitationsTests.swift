import Testing

/// Checks that each cited clause or decision exists, because a citation sends a reader there.
@Suite("Citations")
struct CitationsTests {
  @Test("Every cited clause is in spec/")
  func clauses() {
    let pages = House.files.filter { $0.path.hasPrefix("spec/") && $0.path.hasSuffix(".md") }
    let findings = missingClauses(cited: House.files, pages: pages)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Every clause that a page of spec/ refers to is in spec/")
  func references() {
    let pages = House.files.filter { $0.path.hasPrefix("spec/") && $0.path.hasSuffix(".md") }
    let findings = missingReferences(on: pages)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Every cited decision is in docs/decisions/")
  func decisions() {
    let findings = missingDecisions(cited: House.files)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Every test that docs/deviations.md cites exists, and every row cites one")
  func tests() throws {
    let findings = missingTests(
      citedBy: try House.file("docs/deviations.md"), in: House.swift(in: "Tests"))

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Each of these rules reports a wrong citation")
  func canFail() {
    let sign = "\u{A7}"
    let files = [
      SourceFile("spec/02-model.md", "# 2 Models\n\n**2.3.1** A clause.\n\n### 2.4.2 Another"),
      SourceFile("docs/decisions/0007-why.md", "# 0007 Why"),
      SourceFile(
        "Sources/A/A.swift",
        """
        // spec \(sign)2.3.1, spec \(sign)2.4.2 and spec \(sign)2.
        // spec \(sign)2.3 is not a clause, nor is spec \(sign)9.1.
        // \("decision") 0007, \("decision") 0008
        """),
    ]

    #expect(missingClauses(cited: files, pages: [files[0]]).map(\.line) == [2, 2])
    #expect(missingDecisions(cited: files).map(\.line) == [3])

    let chapter = SourceFile(
      "spec/2-model.md", "**2.3.1** As in 2.4.1 (2.3.1, 2.9.9).\n```\n(2.8.8)\n```")
    #expect(missingReferences(on: [chapter]).count == 2)

    let page = SourceFile(
      "docs/a.md",
      "| A | B | Test |\n|---|---|---|\n| a | b | `ATests.one` |\n| a | b | `ATests.two` |\n| a | b | c |"
    )
    let tests = SourceFile("Tests/T/ATests.swift", "struct ATests {\n  func one() {}\n}")
    #expect(missingTests(citedBy: page, in: [tests]).map(\.line) == [4, 5])
  }
}

/// Returns the rows of a page's tables without a test, and the cited tests that no file contains.
///
/// A citation is `Suite.function`: the name of a test's file, and of a function in that file.
private func missingTests(citedBy page: SourceFile, in tests: [SourceFile]) -> [Finding] {
  let functions = Dictionary(grouping: tests, by: { $0.name.replacing(".swift", with: "") })
    .mapValues { files in
      Set(
        files.flatMap { $0.lines(with: "func ") }.compactMap {
          $0.text.firstMatch(of: #/func (\w+)/#)?.1
        })
    }
  return page.lines.enumerated().flatMap { index, line -> [Finding] in
    guard line.hasPrefix("| "), !line.hasSuffix("| Test |") else { return [] }
    let cited = line.matches(of: #/`(\w+Tests)\.(\w+)`/#)
    if cited.isEmpty { return [Finding(page, index + 1, "This row cites no test.")] }
    return cited.filter { functions[String($0.1)]?.contains($0.2) != true }
      .map { Finding(page, index + 1, "There is no test \($0.1).\($0.2).") }
  }
}

/// Returns the citations of clauses that no page contains.
///
/// A clause's number is at the beginning of a line, in a heading, in bold, or as plain text.
private func missingClauses(cited files: [SourceFile], pages: [SourceFile]) -> [Finding] {
  let clauses = Set(
    pages.flatMap(\.lines).compactMap { line in
      line.prefixMatch(of: #/[#*\s-]*§?([0-9]+(?:\.[0-9]+)*)\b/#).map { String($0.1) }
    })
  return files.flatMap { file in
    file.lines(with: "spec \u{A7}").flatMap { number, text in
      text.matches(of: #/spec §([0-9]+(?:\.[0-9]+)*)/#).map { String($0.1) }
        .filter { !clauses.contains($0) }
        .map { Finding(file, number, "There is no clause \($0) in spec/.") }
    }
  }
}

/// Returns references between clauses, such as `4.5.6`, to clauses that no page contains. Vectors are ignored.
private func missingReferences(on pages: [SourceFile]) -> [Finding] {
  let clauses = Set(
    pages.flatMap(\.lines).compactMap { line in
      line.prefixMatch(of: #/[#*\s-]*§?([0-9]+(?:\.[0-9]+)*[a-z]?)\b/#).map { String($0.1) }
    })
  return pages.flatMap { page in
    var isFenced = false
    return page.lines.enumerated().flatMap { index, line -> [Finding] in
      if line.hasPrefix("```") { isFenced.toggle() }
      // APPNOTE.TXT of the zip format has version numbers that look like clauses.
      if isFenced || line.contains("APPNOTE") { return [] }
      return line.matches(of: #/(?:^|[ (*,])([0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}[a-z]?)\b/#)
        .map { String($0.1) }.filter { !clauses.contains($0) }
        .map { Finding(page, index + 1, "There is no clause \($0) in spec/.") }
    }
  }
}

private func missingDecisions(cited files: [SourceFile]) -> [Finding] {
  let decisions = Set(
    files.filter { $0.path.hasPrefix("docs/decisions/") }.map { String($0.name.prefix(4)) })
  return files.flatMap { file in
    file.lines(with: "ecision ").flatMap { number, text in
      text.matches(of: #/[Dd]ecision ([0-9]{4})/#).map { String($0.1) }
        .filter { !decisions.contains($0) }
        .map { Finding(file, number, "There is no decision \($0) in docs/decisions/.") }
    }
  }
}
