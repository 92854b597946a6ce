import Foundation
import Testing

/// Compiles the Swift code on pages. Code that can't compile by itself, such as a part of a manifest, is marked with
/// `swift fragment` after the backticks.
@Suite("Code on pages")
struct PageCodeTests {
  /// The pages with examples, which are compiled in one scene.
  private static let examples = [
    "Plugins/PostgreSQLStore/README.md", "Plugins/SQLiteStore/README.md",
    "Plugins/XMLStore/README.md", "docs/backups.md", "docs/documents.md", "docs/features.md",
    "docs/from-swiftdata.md", "docs/migration.md", "docs/postgresql.md", "docs/predicates.md",
    "docs/sqlite.md", "docs/tools-library.md", "docs/tour.md", "docs/typed-classes.md",
  ]
  /// The pages whose blocks are one file together.
  private static let files = ["docs/writing-a-store.md"]
  /// The pages with code that other tests run, each with its tests.
  private static let elsewhere = [
    "README.md": "Tests/ModelCodeTests/PageProgramTests.swift",
    "docs/writing-a-program.md": "Tests/ModelCodeTests/PageProgramTests.swift",
    "docs/objects.md": "Tests/QuireTests/ObjectsPageTests.swift",
  ]

  @Test("Each example on a page compiles")
  func compiles() throws {
    let blocks = try Self.examples.flatMap { path in
      let blocks = Page(path, try Self.text(of: path)).blocks
      #expect(!blocks.isEmpty, "\(path) contains no Swift, so it is not a page with examples.")
      return blocks
    }

    let errors = try CodeBlock.errors(in: blocks, of: PageScene.text)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  @Test("The blocks of a page that explains a file compile together", arguments: files)
  func compilesTogether(_ path: String) throws {
    let blocks = Page(path, try Self.text(of: path)).blocks

    let errors = try CodeBlock.errors(inFileOf: blocks)
    #expect(!blocks.isEmpty)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  @Test("Each page with Swift code is compiled by a test")
  func complete() throws {
    let compiled = Set(Self.examples + Self.files).union(Self.elsewhere.keys)
    let pages = try Self.pages().map { Page($0, try Self.text(of: $0)) }

    #expect(pages.count > 60)
    for page in pages {
      #expect(page.blocks.isEmpty || compiled.contains(page.path), "No test compiles \(page.path).")
      #expect(page.unfenced.isEmpty, "\(page.path) has Swift without backticks: \(page.unfenced)")
    }
    for (path, test) in Self.elsewhere {
      let name = try #require(path.split(separator: "/").last)
      #expect(try Self.text(of: test).contains(name), "\(test) does not read \(path).")
    }
  }

  @Test("The rule sees code that no test compiles")
  func canFail() throws {
    let page = Page(
      "docs/page.md",
      """
      A page.

      ```swift
      import Quire

      let a = 1
      ```

      ```swift fragment
      .target(name: "A")
      ```

          let b = try a()

      ```text
          let c = 1
      ```

          $ quire fetch let

      - An element of a list:

        ```swift
        let d = 1
        ```
      """)

    #expect(page.blocks.map(\.line) == [4, 24])
    #expect(page.blocks.map(\.code) == [["import Quire", "", "let a = 1"], ["let d = 1"]])
    #expect(page.unfenced == [13])
    let errors = try CodeBlock.errors(
      in: [CodeBlock(file: "docs/page.md", line: 4, code: ["", "let a: Int = name"])],
      of: "final class Scene { var name: String { fatalError() } }")
    #expect(errors.count == 1 && errors[0].hasPrefix("docs/page.md:4: "), "\(errors)")
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: Compiler.root.appending(path: path), encoding: .utf8)
  }

  /// Returns the paths of all pages of the repository.
  private static func pages() throws -> [String] {
    let leftOut: Set = [".build", ".git", ".swiftpm", "site", "Fixtures", "Seeds"]
    let enumerator = FileManager.default.enumerator(atPath: Compiler.root.path)
    var pages: [String] = []
    while let path = enumerator?.nextObject() as? String {
      if leftOut.contains(String(path.split(separator: "/").last ?? "")) {
        enumerator?.skipDescendants()
      } else if path.hasSuffix(".md") {
        pages.append(path)
      }
    }
    return pages.sorted()
  }
}

/// The Swift code of a page.
private struct Page {
  let path: String
  /// The blocks that are marked as Swift, except fragments.
  private(set) var blocks: [CodeBlock] = []
  /// The numbers of the indented lines that look like Swift.
  private(set) var unfenced: [Int] = []

  init(_ path: String, _ text: String) {
    self.path = path
    var fence: (mark: Substring, indentation: Int)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.drop { $0 == " " }
      let indentation = line.count - content.count
      if content.hasPrefix("```"), indentation < 4 {
        fence = fence == nil ? (content.dropFirst(3), indentation) : nil
        if fence?.mark == "swift" {
          blocks.append(CodeBlock(file: path, line: index + 2, code: []))
        }
      } else if let fence {
        if fence.mark == "swift" {
          blocks[blocks.count - 1].code.append(String(line.dropFirst(fence.indentation)))
        }
      } else if Self.isSwift(line) {
        unfenced.append(index + 1)
      }
    }
  }

  /// Returns whether an indented line looks like Swift.
  private static func isSwift(_ line: Substring) -> Bool {
    line.prefixMatch(
      of: #/ {4,}(let \w+ = |var \w+[ :]|try |import (Quire|Foundation)|@Entity|@Test|func \w+\()/#)
      != nil
  }
}
