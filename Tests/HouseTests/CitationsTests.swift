import Testing

/// A comment that cites a clause or a decision sends a reader there, so it must be there.
@Suite("Citations")
struct CitationsTests {
  @Test("Every clause cited is in spec/")
  func clauses() {
    let pages = House.files.filter { $0.path.hasPrefix("spec/") && $0.path.hasSuffix(".md") }
    let findings = missingClauses(cited: House.files, pages: pages)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Every decision cited is in docs/decisions/")
  func decisions() {
    let findings = missingDecisions(cited: House.files)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Each of these rules can fail")
  func canFail() {
    let sign = "\u{A7}"
    let files = [
      SourceFile("spec/02-model.md", "# 2 Models\n\n**2.3.1** A clause.\n\n### 2.4.2 Another"),
      SourceFile("docs/decisions/0007-why.md", "# 0007 Why"),
      SourceFile(
        "Sources/A/A.swift",
        """
        // spec \(sign)2.3.1, spec \(sign)2.4.2 and spec \(sign)2.
        // spec \(sign)2.3 is no clause, nor is spec \(sign)9.1.
        // \("decision") 0007, \("decision") 0008
        """),
    ]

    #expect(missingClauses(cited: files, pages: [files[0]]).map(\.line) == [2, 2])
    #expect(missingDecisions(cited: files).map(\.line) == [3])
  }
}

/// Citations of clauses that no page has.
///
/// A clause is numbered where a line begins with its number, in a heading, in bold, or plainly.
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
