/// The size of a type: its declaration and all its extensions in one module.
struct TypeMeasure {
  /// The module and the type's full name: `ObjectGraph.UndoStack.Level`.
  let name: String
  /// The word that declares the type: `class`, `struct`, `enum`, `actor` or `protocol`; `extension`
  /// for a type of another module.
  var keyword = "extension"
  /// The file and line of the declaration, or of the first extension.
  var place: (file: SourceFile, line: Int)
  var lineCount = 0
  var propertyCount = 0
  var extensionCount = 0
  var hasMutatingMethods = false

  /// Whether the type is a plain record of values: a struct without a mutating method.
  var isRecord: Bool { keyword == "struct" && !hasMutatingMethods }

  var figures: String {
    "\(name): \(lineCount) lines, \(propertyCount) stored properties, \(extensionCount) extensions"
  }
}

extension TypeMeasure {
  /// Returns the types of the files, ordered by size.
  ///
  /// A nested type counts separately. Its lines count for the outer type as well if they are within the outer type's
  /// braces. Files may belong to different modules.
  static func all(in files: [SourceFile]) -> [TypeMeasure] {
    let parts = files.flatMap { TypeParts(of: $0).parts }
    // A private type is visible in its file only, and another file may contain a type of the same name.
    let privateNames = Set(parts.filter(\.isPrivate).map { "\($0.file.path) \($0.name)" })
    var types: [String: TypeMeasure] = [:]
    for part in parts {
      let isPrivate = privateNames.contains("\(part.file.path) \(part.name)")
      let name = "\(part.file.module).\(part.name)" + (isPrivate ? " in \(part.file.name)" : "")
      var type =
        types[name] ?? TypeMeasure(name: name, place: (part.file, part.lines.lowerBound))
      type.lineCount += part.lines.count
      type.propertyCount += part.propertyCount
      if part.hasMutatingMethods { type.hasMutatingMethods = true }
      if part.keyword == "extension" {
        type.extensionCount += 1
      } else {
        type.keyword = part.keyword
        type.place = (part.file, part.lines.lowerBound)
      }
      types[name] = type
    }
    return types.values.sorted { ($1.lineCount, $0.name) < ($0.lineCount, $1.name) }
  }
}

/// The declarations and extensions of types in one file.
private struct TypeParts {
  struct Part {
    let file: SourceFile
    let name: String
    let keyword: String
    let isPrivate: Bool
    var lines: ClosedRange<Int>
    var propertyCount = 0
    var hasMutatingMethods = false
  }

  private(set) var parts: [Part] = []
  private let tokens: [SwiftToken]

  init(of file: SourceFile) {
    tokens = file.tokens
    /// For each open brace, the index in `parts` of the type that the brace opened.
    var scopes: [Int?] = []
    var next: Part?
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "struct", "class", "enum", "actor", "protocol", "extension":
        guard let name = declaredName(at: index) else { break }
        let outer = scopes.last { $0 != nil }.flatMap(\.self)
        next = Part(
          file: file, name: outer.map { "\(parts[$0].name).\(name)" } ?? name,
          keyword: token.text,
          isPrivate: outer.map { parts[$0].isPrivate } ?? false
            || !modifiers(before: index).isDisjoint(with: ["private", "fileprivate"]),
          lines: token.line...token.line)
      case "var", "let":
        guard case let type?? = scopes.last, tokens[index - 1].text != "." else { break }
        parts[type].propertyCount += storedPropertyCount(at: index)
      case "mutating":
        if case let type?? = scopes.last { parts[type].hasMutatingMethods = true }
      case "{":
        if let part = next {
          scopes.append(parts.count)
          parts.append(part)
          next = nil
        } else {
          scopes.append(nil)
        }
      case "}":
        if case let type?? = scopes.popLast() {
          parts[type].lines = parts[type].lines.lowerBound...token.line
        }
      default: break
      }
    }
  }

  /// Returns the name of the type that the keyword declares or extends; `nil` if the word declares no type.
  private func declaredName(at index: Int) -> String? {
    let after = index + 1
    guard after < tokens.count, tokens[after].isWord,
      index == 0 || ![".", "import"].contains(tokens[index - 1].text)
    else { return nil }
    if tokens[index].text == "class", Self.memberWords.contains(tokens[after].text) { return nil }
    var name = tokens[after].text
    var end = after + 1
    while end + 1 < tokens.count, tokens[end].text == ".", tokens[end + 1].isWord {
      name += "." + tokens[end + 1].text
      end += 2
    }
    return name
  }

  /// Returns the modifiers on the same declaration before the keyword.
  private func modifiers(before index: Int) -> Set<String> {
    var found: Set<String> = []
    var place = index - 1
    while place >= 0 {
      let text = tokens[place].text
      if text == ")", let open = openParenthesis(of: place) {
        // Only the getter of `private(set)` counts, and `nonisolated(unsafe)` limits no access.
        place = open - 2
      } else if Self.memberWords.contains(text) {
        found.insert(text)
        place -= 1
      } else {
        break
      }
    }
    return found
  }

  private func openParenthesis(of close: Int) -> Int? {
    var depth = 0
    for place in stride(from: close, through: 1, by: -1) {
      if tokens[place].text == ")" { depth += 1 }
      if tokens[place].text == "(" { depth -= 1 }
      if depth == 0 { return place }
    }
    return nil
  }

  /// Returns the number of values that a declaration of the type's body stores in each instance.
  private func storedPropertyCount(at index: Int) -> Int {
    guard modifiers(before: index).isDisjoint(with: ["static", "class"]), index + 1 < tokens.count
    else { return 0 }
    if tokens[index + 1].text == "(" {
      return 1 + tokens[index...].prefix { $0.text != ")" }.count { $0.text == "," }
    }
    var (count, depth) = (1, 0)
    for place in index + 2..<tokens.count {
      let (token, before) = (tokens[place], tokens[place - 1])
      if depth == 0 {
        if token.text == "{" {
          // A body with observers belongs to a stored value. Any body without observers computes a value.
          return place + 1 < tokens.count
            && ["willSet", "didSet"].contains(tokens[place + 1].text) ? count : 0
        }
        let isContinued =
          [":", ",", "->", "&"].contains(before.text) || ["&", "->"].contains(token.text)
        if token.text == "=" || token.text == "}" || token.line > before.line && !isContinued {
          return count
        }
        if token.text == "," { count += 1 }
      }
      if ["(", "[", "<"].contains(token.text) { depth += 1 }
      if [")", "]", ">"].contains(token.text) { depth -= 1 }
    }
    return count
  }

  /// Words that may occur between the start of a declaration and its name.
  private static let memberWords: Set = [
    "public", "package", "internal", "private", "fileprivate", "open", "static", "class", "final",
    "override", "lazy", "weak", "unowned", "nonisolated", "mutating", "nonmutating", "indirect",
    "required", "convenience", "func", "var", "let", "subscript", "isolated", "borrowing",
    "consuming", "sending", "distributed", "dynamic", "optional",
  ]
}
