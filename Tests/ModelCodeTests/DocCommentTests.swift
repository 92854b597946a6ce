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

  private struct Block {
    let file: String
    let line: Int
    var code: [String]

    /// The block with empty bodies in place of dots.
    var filled: [String] {
      code.map { $0.replacing("{ … }", with: "{ }").replacing("{ ... }", with: "{ }") }
        .map { $0.replacing("in … }", with: "in }") }
        .map { $0.trimmingCharacters(in: .whitespaces) == "…" ? "" : $0 }
    }
  }

  /// Returns the sources of a module.
  private static func files(of module: String) -> [URL] {
    ["Sources/\(module)", "Plugins/\(module)/Sources"].flatMap { folder in
      let place = package.appending(path: folder)
      let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
      return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }.sorted { $0.path < $1.path }
  }

  /// Returns the blocks of code in a file. Blocks are indented by four spaces, after an empty line.
  private static func blocks(in file: URL) throws -> [Block] {
    let path = file.path.replacing(package.path + "/", with: "")
    var blocks: [Block] = []
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
        if !isOpen { blocks.append(Block(file: path, line: number + 1, code: [])) }
        blocks[blocks.count - 1].code.append(String(comment.dropFirst(5)))
        isOpen = true
      } else {
        (isOpen, isAfterGap) = (false, false)
      }
    }
    return blocks
  }

  /// Returns a block as a declaration of the program. A declaration is kept, a property is put into a class, and
  /// statements are put into a function.
  private static func declaration(of block: Block, _ number: Int) -> String {
    let code = block.filled.joined(separator: "\n")
    let first = block.code.first ?? ""
    if first.hasPrefix("extension ") || first.hasPrefix("@_cdecl") { return code }
    if first.hasPrefix("static ") { return "extension Scene {\n\(code)\n}" }
    if first.hasPrefix("@Entity") || first.hasPrefix("@Composite") || first.hasPrefix("enum ")
      || first.hasPrefix("final class ") || first.hasPrefix("struct ")
    {
      return "enum Block\(number) {\n\(code)\n}"
    }
    if first.hasPrefix("@") || first.hasPrefix("var colour") {
      return "@Entity final class Block\(number): ManagedObject {\n\(bytes(for: code))\(code)\n}"
    }
    let start = first.hasPrefix("catch") ? "do { try context.save() } " : ""
    return "extension Scene {\nfunc block\(number)() async throws {\n\(start)\(code)\n}\n}"
  }

  /// Returns the bytes that a computed property of the comments reads.
  private static func bytes(for code: String) -> String {
    code.hasPrefix("var colour:") ? "var colourData: Data?\n" : ""
  }

  @Test("Each block compiles", arguments: application + others)
  func compiles(_ module: String) throws {
    let blocks = try Self.files(of: module).flatMap(Self.blocks)
    var text = DocCommentScenes.others[module] ?? DocCommentScenes.application
    text += "\n"
    var places: [(line: Int, place: String)] = []
    for (number, block) in blocks.enumerated() {
      places.append(
        (
          text.split(separator: "\n", omittingEmptySubsequences: false).count,
          "\(block.file):\(block.line)"
        ))
      text += Self.declaration(of: block, number) + "\n"
    }

    let errors = try Compiler().errors(in: text).map { error in
      let line = Int(error.prefix { $0.isNumber }) ?? 0
      return (places.last { $0.line <= line }?.place ?? "the scene") + ": " + error
    }
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
