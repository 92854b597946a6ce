import Foundation
import Testing

/// Compiles the blocks of code in documentation comments. A block that is not Swift is written between lines of three
/// backticks.
@Suite("Code in documentation comments")
struct DocCommentTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The modules with types that an application names.
  private static let application = [
    "ObjectGraph", "Entities", "Quire", "Migration", "Documents", "ObjectQuery",
  ]
  private static let others = DocCommentScenes.others.keys.sorted()

  /// Returns the sources of a module.
  private static func files(of module: String) -> [URL] {
    ["Sources/\(module)", "Plugins/\(module)/Sources"].flatMap { folder in
      let place = package.appending(path: folder)
      let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
      return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }.sorted { $0.path < $1.path }
  }

  /// Returns the blocks of code in a file. Blocks are indented by four spaces, after an empty line.
  private static func blocks(in file: URL) throws -> [CodeBlock] {
    let path = file.path.replacing(package.path + "/", with: "")
    var blocks: [CodeBlock] = []
    var isOpen = false
    var isAfterGap = true
    for (number, line) in try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("///") else {
        (isOpen, isAfterGap) = (false, true)
        continue
      }
      let comment = text.dropFirst(3)
      if comment.allSatisfy({ $0 == " " }) {
        isAfterGap = true
        if isOpen { blocks[blocks.count - 1].code.append("") }
      } else if comment.hasPrefix("     "), isOpen || isAfterGap {
        if !isOpen { blocks.append(CodeBlock(file: path, line: number + 1, code: [])) }
        blocks[blocks.count - 1].code.append(String(comment.dropFirst(5)))
        isOpen = true
      } else {
        (isOpen, isAfterGap) = (false, false)
      }
    }
    return blocks
  }

  @Test("Each block compiles", arguments: application + others)
  func compiles(_ module: String) throws {
    let blocks = try Self.files(of: module).flatMap(Self.blocks)
    let scene = DocCommentScenes.others[module] ?? DocCommentScenes.application
    let errors = try CodeBlock.errors(in: blocks, of: scene)

    #expect(!blocks.isEmpty)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  @Test("Each module with code in its comments is compiled")
  func complete() throws {
    let sources = Self.package.appending(path: "Sources")
    let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path)
    let compiled = Set(Self.application + Self.others)
    for module in modules.sorted() where !compiled.contains(module) {
      let blocks = try Self.files(of: module).flatMap(Self.blocks)
      #expect(blocks.isEmpty, "\(module) has no scene for \(blocks.first?.file ?? "").")
    }
  }
}
