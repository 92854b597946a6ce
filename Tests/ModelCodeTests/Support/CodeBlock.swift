import Foundation

/// A block of code of a comment or a page.
struct CodeBlock {
  let file: String
  let line: Int
  var code: [String]

  /// The block with empty bodies in place of dots.
  private var filled: [String] {
    code.map { $0.replacing("{ … }", with: "{ }").replacing("{ ... }", with: "{ }") }
      .map { $0.replacing("in … }", with: "in }") }
      .map { $0.trimmingCharacters(in: .whitespaces) == "…" ? "" : $0 }
  }

  /// Returns the block as a declaration of the program. A declaration is kept, a property is put into a class, and
  /// statements are put into a function. Imports belong to the scene.
  private func declaration(_ number: Int) -> String {
    let lines = filled.map { $0.hasPrefix("import ") ? "" : $0 }
    let code = lines.joined(separator: "\n")
    let first = lines.first { !$0.isEmpty } ?? ""
    if first.hasPrefix("extension ") || first.hasPrefix("@_cdecl") { return code }
    if first.hasPrefix("static ") { return "extension Scene {\n\(code)\n}" }
    if first.hasPrefix("@Entity") || first.hasPrefix("@Composite") || first.hasPrefix("enum ")
      || first.hasPrefix("final class ") || first.hasPrefix("struct ")
      || first.hasPrefix("actor ")
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
  private func bytes(for code: String) -> String {
    code.hasPrefix("var colour:") ? "var colourData: Data?\n" : ""
  }

  /// Returns the errors of the compiler about the blocks in a scene, each with the place of its block.
  static func errors(in blocks: [CodeBlock], of scene: String) throws -> [String] {
    let declarations = blocks.enumerated().map { $1.declaration($0) }
    return try errors(in: zip(blocks, declarations).map { ($0, $1) }, after: scene)
  }

  /// Returns the errors of the compiler about blocks that are one file together.
  static func errors(inFileOf blocks: [CodeBlock]) throws -> [String] {
    try errors(in: blocks.map { ($0, $0.code.joined(separator: "\n")) }, after: "")
  }

  private static func errors(
    in blocks: [(block: CodeBlock, text: String)], after scene: String
  ) throws -> [String] {
    var text = scene + "\n"
    var places: [(line: Int, place: String)] = []
    for (block, code) in blocks {
      let line = text.split(separator: "\n", omittingEmptySubsequences: false).count
      places.append((line, "\(block.file):\(block.line)"))
      text += code + "\n"
    }
    return try Compiler().errors(in: text).map { error in
      let line = Int(error.prefix { $0.isNumber }) ?? 0
      return (places.last { $0.line <= line }?.place ?? "the scene") + ": " + error
    }
  }
}
