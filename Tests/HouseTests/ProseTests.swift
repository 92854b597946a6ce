import Foundation
import Testing

/// Holds comments and pages against the rules of plain English that can be counted: a pronoun without a noun, such as
/// "whoever" or "others", makes a reader guess.
@Suite("Prose")
struct ProseTests {
  /// The most such pronouns in 1,000 words.
  static let limit = 8.0
  /// In a text of fewer words, a single pronoun would exceed the limit.
  static let leastWordCount = 200

  @Test("Comments of each module name their nouns")
  func comments() {
    let languages = [".swift", ".c", ".h", ".py", ".sh"]
    // The headers of version 1.0 of the plug-in interface never change.
    let files = House.files.filter { file in
      languages.contains { file.path.hasSuffix($0) } && !file.path.contains("/Headers/")
    }
    let modules = Dictionary(grouping: files) { $0.folders.prefix(2).joined(separator: "/") }
    let findings = modules.compactMap { module, files in
      Prose(files.flatMap { file in commentRuns(in: file).map(\.text) }).finding(about: module)
    }

    #expect(modules.count > 30)
    #expect(findings.isEmpty, "\(findings.sorted().joined(separator: "\n"))")
  }

  @Test("Each page names its nouns")
  func pages() {
    let pages = House.files.filter { $0.path.hasSuffix(".md") }
    let findings = pages.compactMap { Prose(sentences(of: $0)).finding(about: $0.path) }

    #expect(pages.count > 20)
    #expect(findings.isEmpty, "\(findings.sorted().joined(separator: "\n"))")
  }

  @Test("No documentation comment begins with a question word")
  func openers() {
    // The golden files contain texts of their models, and this file contains a comment that breaks the rule.
    let files = House.files.filter { file in
      file.path.hasSuffix(".swift") && !file.path.contains("/Golden")
        && file.name != "ProseTests.swift"
    }
    let findings = files.flatMap { file in
      commentRuns(in: file).filter { $0.isDocumentation && beginsWithQuestion($0.text) }.map {
        Finding(file, $0.line, "The comment begins with a question word: \($0.text.prefix(60))")
      }
    }

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("Each of these rules can fail")
  func canFail() {
    let file = SourceFile(
      "Sources/A/A.swift",
      """
      /// What is left.
      let a = 1
      /// The rows that are left.
      ///
      ///     what(whoever, others)
      let b = 2  // Whoever reads this.
      // Nobody else.
      """)

    #expect(
      commentRuns(in: file).map(\.text) == [
        "What is left.", "The rows that are left.", "Nobody else.",
      ])
    #expect(commentRuns(in: file).map(\.isDocumentation) == [true, true, false])
    #expect(beginsWithQuestion("What is left.") && !beginsWithQuestion("The rows."))
    let words = Array(repeating: "row", count: 199).joined(separator: " ")
    #expect(Prose([words, "whoever"]).finding(about: "A") == nil)
    #expect(Prose([words, "whoever, those"]).finding(about: "A") != nil)
    let script = SourceFile("scripts/a.sh", "# Who runs this.\nrun  # It ends.")
    #expect(commentRuns(in: script).map(\.text) == ["Who runs this."])
    let page = SourceFile("docs/a.md", "Others.\n\n    whoever\n\n```\nwhoever\n```\n| who |")
    #expect(sentences(of: page).joined() == "Others.")
  }
}

/// A number of texts, measured.
private struct Prose {
  private let wordCount: Int
  private let pronounCount: Int

  init(_ texts: [String]) {
    let pronoun =
      #/(?i)\b(whoever|whatever|whom|whose|who|somebody|anybody|nobody|someone|theirs|others?|those|what)\b/#
    wordCount = texts.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
    pronounCount = texts.reduce(0) { $0 + $1.matches(of: pronoun).count }
  }

  /// Returns the complaint about the texts; `nil` if they are short or their density is below the limit.
  func finding(about name: String) -> String? {
    guard wordCount >= ProseTests.leastWordCount else { return nil }
    let density = 1000 * Double(pronounCount) / Double(wordCount)
    guard density >= ProseTests.limit else { return nil }
    return "\(name): \(pronounCount) pronouns without a noun in \(wordCount) words."
  }
}

private struct Comment {
  let line: Int
  let isDocumentation: Bool
  let text: String
}

extension SourceFile {
  /// The marks at the beginnings of comments.
  fileprivate var commentMarks: [String] {
    path.hasSuffix(".py") || path.hasSuffix(".sh") ? ["#"] : ["///", "//"]
  }
}

/// The comments that fill whole lines. Examples, which are indented, are left out.
private func commentRuns(in file: SourceFile) -> [Comment] {
  var comments: [Comment] = []
  var open: (line: Int, mark: String, words: [String])?
  func close() {
    guard let done = open else { return }
    comments.append(
      Comment(
        line: done.line, isDocumentation: done.mark == "///",
        text: done.words.filter { !$0.isEmpty }.joined(separator: " ")))
    open = nil
  }
  for (number, line) in file.lines.enumerated() {
    let text = line.drop { $0 == " " }
    let mark = file.commentMarks.first { text.hasPrefix($0) } ?? ""
    if mark != open?.mark { close() }
    if mark.isEmpty { continue }
    let words = text.dropFirst(mark.count)
    if open == nil { open = (number + 1, mark, []) }
    if !words.hasPrefix("     ") { open?.words.append(words.trimmingCharacters(in: .whitespaces)) }
  }
  close()
  return comments
}

/// The lines of a page without its tables and its code.
private func sentences(of page: SourceFile) -> [String] {
  page.linesOfText.map(\.line).filter { !$0.hasPrefix("|") }
}

private func beginsWithQuestion(_ text: String) -> Bool {
  text.prefixMatch(of: #/\W*(What|Who|Whom|Whose|Where|Which|Why)\b/#) != nil
}
