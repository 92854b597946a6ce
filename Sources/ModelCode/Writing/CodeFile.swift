/// One file of generated Swift source.
public struct CodeFile: Sendable, Hashable {
  public let name: String
  /// The comment that names the model of the file.
  let heading: [String]
  /// The imports of the file.
  let imports: Set<CodeImport>
  /// The declarations of the file, line by line.
  let body: [String]

  public var text: String {
    let sections = [
      heading.joined(separator: "\n"),
      CodeImport.text(imports),
      body.joined(separator: "\n"),
    ]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// Returns one file with the declarations of all the files, under the name of the last.
  static func joined(_ files: [CodeFile]) -> CodeFile {
    let last = files[files.count - 1]
    return CodeFile(
      name: last.name, heading: last.heading,
      imports: files.reduce(into: []) { $0.formUnion($1.imports) },
      body: Array(files.map(\.body).joined(separator: [""])))
  }

  /// Returns the comment at the top of each file.
  static func heading(model: String, version: String?) -> [String] {
    let version = version.flatMap { $0 == model ? nil : $0 }
    let origin =
      "Made from the model \(CodeText.quoted(model))"
      + (version.map { ", version \(CodeText.quoted($0))" } ?? "") + ", by Quire."
    return ["// swift-format-ignore-file"]
      + CodeText.wrapped("\(origin) \(warning)", width: 97).map { "// " + $0 }
  }

  private static let warning = "Do not edit: change the model and make it anew."

  /// Whether a text begins with the heading of a generated file of any model.
  static func isHeading(_ text: String) -> Bool {
    guard let comment = headingComment(text) else { return false }
    return comment.hasPrefix("Made from the model ") && comment.hasSuffix(", by Quire. \(warning)")
  }

  private static func headingComment(_ text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("// ") }
    guard lines.first == "// swift-format-ignore-file" else { return nil }
    return lines.dropFirst().map { $0.dropFirst(3) }.joined(separator: " ")
  }

  /// Whether a text begins with the heading of a generated file of the given model, in any version.
  static func isHeading(_ text: String, model: String) -> Bool {
    guard let comment = headingComment(text) else { return false }
    let start = "Made from the model \(CodeText.quoted(model)), "
    return comment.hasPrefix(start) && comment.hasSuffix(", by Quire. \(warning)")
      || comment == "\(start)by Quire. \(warning)"
  }
}

/// The lines of a piece of code, in the order in which they are written.
struct CodeLines {
  private(set) var lines: [String] = []
  private var depth = 0

  /// The greatest length of a line.
  static let width = 100

  mutating func line(_ text: String = "") {
    lines.append(text.isEmpty ? "" : String(repeating: " ", count: depth * 2) + text)
  }

  /// Appends an empty line, except at the beginning of a block.
  mutating func gap() {
    if let last = lines.last, !last.isEmpty, !last.hasSuffix("{") { lines.append("") }
  }

  /// Appends a documentation comment of one or more paragraphs.
  mutating func document(_ paragraphs: [String]) {
    for (index, paragraph) in paragraphs.enumerated() {
      if index > 0 { line("///") }
      for text in CodeText.wrapped(paragraph, width: Self.width - depth * 2 - 4) {
        line("/// " + text)
      }
    }
  }

  /// Begins a block that ends with ``close(_:)``.
  mutating func open(_ opening: String, brace: String = " {") {
    line(opening + brace)
    depth += 1
  }

  mutating func close(_ closing: String = "}") {
    depth -= 1
    if !closing.isEmpty { line(closing) }
  }

  /// Ends the innermost block and begins its continuation, such as `catch`.
  mutating func reopen(_ text: String) {
    depth -= 1
    line(text)
    depth += 1
  }

  /// Indents the following lines below the line above.
  mutating func indent() { depth += 1 }

  /// Appends a list on one line, or with its items on lines of their own.
  mutating func list(_ opening: String, _ items: [String], _ closing: String) {
    let one = opening + items.joined(separator: ", ") + closing
    if one.count + depth * 2 <= Self.width || items.isEmpty {
      line(one)
      return
    }
    line(opening)
    depth += 1
    // A list of arguments closes behind the last argument. A literal closes on its own line.
    let isLiteral = closing.hasPrefix("]")
    let isCall = closing == ")"
    var text = ""
    for (index, item) in items.enumerated() {
      let isLast = index == items.count - 1
      let piece = item + (isLast ? (isLiteral ? "," : isCall ? closing : "") : ",")
      if !text.isEmpty, text.count + 1 + piece.count + depth * 2 > Self.width || isLiteral {
        line(text)
        text = piece
      } else {
        text += (text.isEmpty ? "" : " ") + piece
      }
    }
    line(text)
    depth -= 1
    if !isCall { line(closing) }
  }

  /// Appends a multi-line string literal with exactly the given text.
  mutating func literal(_ opening: String, _ text: String) {
    let fence = CodeText.fence(for: text)
    line("\(opening)\(fence)\"\"\"")
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      line(CodeText.escaped(String(part), fence: fence))
    }
    line("\"\"\"\(fence)")
  }
}
