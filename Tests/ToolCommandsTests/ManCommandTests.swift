import CommandInterface
import Foundation
import ProgramRuns
import Testing

@testable import ToolCommands

@Suite("quire man")
struct ManCommandTests {
  private static func has(_ program: String, _ option: String) -> Bool {
    (try? ProgramRun(program, [option]).status) != 127
  }

  private let pages = ManualPages(of: Tool.quire.commands).files

  @Test("The tool and each command have a page with the usual sections")
  func sections() {
    #expect(pages.map(\.name) == ["quire.1"] + Tool.quire.commands.map { "quire-\($0.name).1" })
    for command in Tool.quire.commands {
      let page = quire(["man", command.name]).output
      let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map {
        $0.dropFirst(4)
      }
      var expected = ["NAME", "SYNOPSIS", "DESCRIPTION"]
      if !command.arguments.isEmpty { expected.append("ARGUMENTS") }
      expected.append("OPTIONS")
      if !command.examples.isEmpty { expected.append("EXAMPLES") }
      expected += ["EXIT STATUS", "SEE ALSO"]
      #expect(sections.map { $0.filter { $0 != "\"" } } == expected, "\(command.name)")
      for option in command.options {
        #expect(page.contains(Roff.escaped("--\(option.name)")), "\(command.name) \(option.name)")
      }
      #expect(page.contains("\\fBquire\\fR(1)"))
    }
    let tool = quire(["man"]).output
    for command in Tool.quire.commands {
      #expect(tool.contains("quire\\-\(Roff.escaped(command.name))"))
    }
    #expect(!tool.contains("complete\\fR"))
  }

  @Test("The page of a command equals its golden file")
  func snapshot() throws {
    try expectSnapshot(quire(["man", "attach"]).output, "quire-attach.1")
  }

  @Test("No text begins a line with a control character, or contains an unescaped backslash")
  func controlCharacters() {
    let macros = ["TH", "SH", "PP", "TP", "RS", "RE", "nf", "fi", "br", "nh", "ad"]
    let escapes = #/\\(?:e|-|&|~|\(aq|\(ga|\(ha|\(ti|\(dq|\[u[0-9A-F]{4,6}\]|f[BIR])/#
    for (name, text) in pages {
      for line in text.split(separator: "\n").dropFirst() {
        if line.hasPrefix(".") {
          let macro = line.dropFirst().prefix { $0 != " " }
          #expect(macros.contains(String(macro)), "\(name): \(line)")
        }
        #expect(!line.hasPrefix("'"), "\(name): \(line)")
        #expect(!line.replacing(escapes, with: "").contains("\\"), "\(name): \(line)")
      }
    }
    #expect(
      Roff.escaped("a\\b -c 'd' \"e\" `f` ~g ^h …\u{1F600}")
        == "a\\eb \\-c \\(aqd\\(aq \\(dqe\\(dq \\(gaf\\(ga \\(tig \\(hah \\[u2026]\\[u1F600]")
    var page = Roff("a", section: 1, source: "", manual: "")
    page.add(lines: Roff.escaped(".so a"))
    page.paragraph(Roff.escaped("'so a"))
    page.literal(".so a")
    #expect(
      page.text.hasSuffix(
        "\n\\&.so a\n.PP\n\\(aqso a\n.PP\n.RS 4\n.nf\n\\fB.so a\\fR\n.fi\n.RE\n"))
  }

  @Test(
    "groff formats each page without a warning",
    .enabled(if: has("groff", "--version"), "groff is not installed"))
  func groff() throws {
    try check { ["groff", "-man", "-Tutf8", "-ww", "-z", $0] }
  }

  @Test(
    "man shows each page without a warning",
    .enabled(if: has("man", "--version"), "man is not installed"))
  func man() throws {
    try check(reading: .errors) { ["man", "--warnings", "-l", $0] }
    let shown = try withPages { try ProgramRun("man", ["-l", "-P", "cat", $0 + "/quire-fetch.1"]) }
    let text = shown.text.replacing(/.\u{8}/, with: "")
    #expect(
      text.contains("quire fetch Trips.store Trip --where 'name CONTAINS[cd] \"lis\"'"), "\(text)")
  }

  @Test(
    "mandoc finds no fault in a page", .enabled(if: has("mandoc", "-h"), "mandoc is not installed"))
  func mandoc() throws {
    try check { ["mandoc", "-T", "lint", "-W", "warning", $0] }
  }

  /// Runs a program on each page, and expects that the program prints nothing.
  private func check(
    reading streams: ProgramRun.Streams = .both, _ words: (String) -> [String]
  ) throws {
    try withPages { folder in
      for (name, _) in pages {
        let words = words(folder + "/" + name)
        let run = try ProgramRun(words[0], Array(words.dropFirst()), reading: streams)
        // Ignore the missing date: pages do not contain one, because the tool is not dated.
        let lines = run.text.split(separator: "\n").filter { !$0.contains("missing date") }
        #expect(lines == [], "\(name)")
      }
    }
  }

  private func withPages<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "pages-\(UUID().uuidString)").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = quire(["man", "--output", folder])
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output == pages.map { $0.name + "\n" }.joined())
    return try body(folder)
  }

  @Test("Written pages replace former pages, and no other file without --force")
  func writing() throws {
    try withPages { folder in
      func read(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
      }
      for (name, text) in pages { #expect(try read(name) == text) }
      let former = Roff.firstLine + "\nold\n"
      try Data(former.utf8).write(to: URL(filePath: folder + "/quire.1"))
      #expect(quire(["man", "--output", folder]).exitCode == .done)
      #expect(try read("quire.1") == pages[0].text)

      try Data("mine".utf8).write(to: URL(filePath: folder + "/quire-set.1"))
      try Data(former.utf8).write(to: URL(filePath: folder + "/quire.1"))
      let refused = quire(["man", "--output", folder])
      #expect(refused.exitCode == .inputOutput)
      #expect(refused.messages.contains("quire-set.1' exists already"), "\(refused.messages)")
      #expect(refused.messages.contains("--force"))
      #expect(try read("quire-set.1") == "mine" && read("quire.1") == former)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == pages.count)
      #expect(quire(["man", "set", "--output", folder]).exitCode == .inputOutput)
      #expect(quire(["man", "fetch", "--output", folder]).output == "quire-fetch.1\n")
      #expect(quire(["man", "--output", folder, "--force"]).exitCode == .done)
      #expect(try read("quire-set.1") == pages.first { $0.name == "quire-set.1" }?.text)
    }
  }

  @Test("A wrong command line is refused")
  func refusals() {
    #expect(quire(["man", "fecth"]).messages.contains("Did you mean 'fetch'?"))
    #expect(quire(["man", "--force"]).exitCode == .wrongUsage)
    #expect(quire(["man", "complete"]).exitCode == .wrongUsage)
  }
}
