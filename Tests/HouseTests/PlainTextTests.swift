import Testing

/// Text that no committed file may contain.
@Suite("Committed text")
struct PlainTextTests {
  @Test("No file contains a path of one machine")
  func noMachinePaths() {
    let findings = House.files.flatMap(machinePaths)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Files contain only addresses of standards, vendors and the project itself")
  func addresses() {
    let findings = House.files.flatMap(foreignHosts)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("No comment postpones work")
  func postponed() {
    let findings = House.files.flatMap(postponedWork)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("No type has a name without meaning")
  func names() {
    let findings = House.swift(in: "Sources", "Plugins", "Tests").flatMap(emptyNames)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Library modules print nothing: they return, throw, or write to the stream they are given")
  func noPrinting() {
    let findings = House.swift(in: "Sources", "Plugins").flatMap(printing)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Each of these rules reports a violation")
  func canFail() {
    let slash = "/"
    let scheme = "https:" + slash + slash
    let file = SourceFile(
      "Sources/A/A.swift",
      """
      let a = "\(slash)home/ada/notes", b = "\(slash)work/x"
      // See \(scheme)example.com/home/x and \(scheme)pkgs.mirror.internal/simple.
      // TO\("")DO: later
      final class Store\("")Manager {}
      print("x")
      let blueprint = footprint("x")
      """)

    #expect(machinePaths(in: file).map(\.line) == [1])
    #expect(foreignHosts(in: file).map(\.line) == [2])
    #expect(postponedWork(in: file).map(\.line) == [3])
    #expect(emptyNames(in: file).map(\.line) == [4])
    #expect(printing(in: file).map(\.line) == [5])
  }
}

private func machinePaths(in file: SourceFile) -> [Finding] {
  file.lines(with: "/").filter {
    $0.text.contains(#/(?:^|[\s"'`(=:,])/(?:work|root|home|Users)/\w/#)
  }.map { Finding(file, $0.number, "A path of one machine.") }
}

private func foreignHosts(in file: SourceFile) -> [Finding] {
  let known = [
    "apache.org", "apple.com", "debian.org", "example.com", "example.org", "github.com", "ietf.org",
    "json-schema.org",
    "llvm.org", "localhost",
    "no-color.org", "relaxng.org",
    "rfc-editor.org", "semver.org", "sqlite.org", "swift.org", "ubuntu.com", "unicode.org",
    "w3.org",
    "xmlsoft.org", "zlib.net",
  ]
  return file.lines(with: "://").flatMap { number, text in
    text.matches(of: #/https?://(?:[\w.-]*@)?([\w.-]+)/#).map { String($0.1) }
      .filter { host in !known.contains { host == $0 || host.hasSuffix(".\($0)") } }
      .map { Finding(file, number, "The address '\($0)' is not one the project names on purpose.") }
  }
}

private func postponedWork(in file: SourceFile) -> [Finding] {
  // The words are composed, so that the rule does not find its own list.
  let words = ["TO" + "DO", "FIX" + "ME", "HA" + "CK", "XX" + "X"]
  return words.flatMap { word in
    file.lines(with: word).filter { line in
      line.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
    }.map { Finding(file, $0.number, "Work put off: '\(word)'. Do it, or write an issue.") }
  }
}

private func emptyNames(in file: SourceFile) -> [Finding] {
  // This name is known from Core Data.
  let known: Set<Substring> = ["MigrationManager"]
  // The words are searched first, because a match of each of 100,000 lines takes more than a minute.
  let words = ["Manager", "Helper", "Utils", "Utilities", "Kit"]
  return words.flatMap { file.lines(with: $0) }.compactMap { number, text in
    text.firstMatch(
      of:
        #/^ *(?:\w+ )*(?:class|struct|enum|actor|protocol) (\w+(?:Manager|Helpers?|Utils|Utilities|Kit))\b/#
    ).flatMap { known.contains($0.1) ? nil : $0 }
      .map { Finding(file, number, "'\($0.1)' does not say what it is.") }
  }
}

private func printing(in file: SourceFile) -> [Finding] {
  file.lines(with: "print(")
    .filter { $0.text.contains(#/^(?!\s*\/\/).*(?:^|[^\w.`"'])(?:debugP|p)rint\(/#) }
    .map { Finding(file, $0.number, "A library module prints.") }
}
