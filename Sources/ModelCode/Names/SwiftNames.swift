/// Converts names of a model to names in Swift.
enum SwiftNames {
  /// Returns the name as a Swift identifier. A valid identifier stays unchanged. Invalid characters separate words,
  /// which are joined in camel case.
  static func identifier(_ name: String, otherwise: String) -> String {
    var words: [String] = [""]
    for scalar in name.unicodeScalars {
      if continues(scalar) {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else if !words[words.count - 1].isEmpty {
        words.append("")
      }
    }
    words.removeAll { $0.isEmpty }
    guard let first = words.first else { return otherwise }
    let joined = first + words.dropFirst().map(capitalized).joined()
    // "_" alone is a pattern and not a name.
    if joined.unicodeScalars.allSatisfy({ $0 == "_" }) { return joined + otherwise }
    guard let start = joined.unicodeScalars.first, begins(start) else { return "_" + joined }
    return joined
  }

  /// Returns the name with a capital first letter, for types and for names such as `addTo…`.
  static func capitalized(_ name: String) -> String {
    guard let first = name.first else { return "" }
    return first.uppercased() + name.dropFirst()
  }

  /// Returns the name for the declaration of a member or parameter: keywords in backticks.
  static func declared(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Returns the name as an argument label. All keywords except `inout` are valid labels.
  static func label(_ name: String) -> String { name == "inout" ? "`inout`" : name }

  /// Returns the name of a variable as a parameter name. A name in capitals, common for variables of predicates,
  /// becomes camel case.
  static func parameter(_ variable: String) -> String {
    let name = identifier(variable, otherwise: "value")
    guard name.count > 1, name == name.uppercased(), name != name.lowercased() else { return name }
    let words = name.lowercased().split(separator: "_").map(String.init)
    guard let first = words.first else { return name }
    return identifier(first + words.dropFirst().map(capitalized).joined(), otherwise: "value")
  }

  /// Names that no member of a type can have even in backticks, or that would have another meaning.
  static let impossibleMembers: Set<String> = ["self", "Self", "Type", "Protocol", "init", "_"]

  /// The keywords, which must be in backticks to be names.
  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
  ]

  /// Whether a name may begin with the character, by the grammar of Swift.
  private static func begins(_ scalar: Unicode.Scalar) -> Bool {
    guard continues(scalar) else { return false }
    switch scalar.value {
    case 0x30...0x39, 0x300...0x36F, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: return false
    default: return true
    }
  }

  /// Whether a name may contain the character. The rule is narrower than Swift's grammar, which also allows invisible
  /// marks.
  private static func continues(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "_" || scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
    }
    guard scalar.properties.isXIDContinue, !CodeText.isInvisible(scalar) else { return false }
    return allowed.contains { $0.contains(scalar.value) }
  }

  /// The characters beyond ASCII that the grammar of Swift allows in an identifier.
  private static let allowed: [ClosedRange<UInt32>] = [
    0xA8...0xA8, 0xAA...0xAA, 0xAF...0xAF, 0xB2...0xB5, 0xB7...0xBA, 0xBC...0xBE, 0xC0...0xD6,
    0xD8...0xF6, 0xF8...0x167F, 0x1681...0x180D, 0x180F...0x1FFF, 0x203F...0x2040, 0x2054...0x2054,
    0x2070...0x218F, 0x2460...0x24FF, 0x2776...0x2793, 0x2C00...0x2DFF, 0x2E80...0x2FFF,
    0x3004...0x3007, 0x3021...0x302F, 0x3031...0xD7FF, 0xF900...0xFD3D, 0xFD40...0xFDCF,
    0xFDF0...0xFE44, 0xFE47...0xFFFD, 0x10000...0x1FFFD, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    0xE0000...0xEFFFD,
  ]
}

extension SwiftNames {
  /// Returns the type that a model's source names, in Swift's spelling; `nil` if the text is not a type name.
  ///
  /// The function accepts names with dots, collections in brackets and arguments of generic types, and nothing else.
  static func type(_ text: String) -> String? {
    guard text.utf8.count <= 200 else { return nil }
    let words = text.split(separator: " ")
    // Without the space the two names would become one.
    for (word, next) in zip(words, words.dropFirst()) {
      if word.last.map({ "[]<>:,".contains($0) }) == false,
        next.first.map({ "[]<>:,".contains($0) }) == false
      {
        return nil
      }
    }
    let text = words.joined()
    var rest = text[...]
    guard readType(&rest, depth: 0), rest.isEmpty else { return nil }
    return text.replacing(":", with: ": ").replacing(",", with: ", ")
  }

  private static func readType(_ text: inout Substring, depth: Int) -> Bool {
    guard depth < 16 else { return false }
    if text.first == "[" {
      text.removeFirst()
      guard readType(&text, depth: depth + 1) else { return false }
      if text.first == ":" {
        text.removeFirst()
        guard readType(&text, depth: depth + 1) else { return false }
      }
      guard text.popFirst() == "]" else { return false }
    } else {
      guard readName(&text) else { return false }
      while text.first == "." {
        text.removeFirst()
        guard readName(&text) else { return false }
      }
      if text.first == "<" {
        text.removeFirst()
        repeat {
          guard readType(&text, depth: depth + 1) else { return false }
        } while text.popFirst(",")
        guard text.popFirst() == ">" else { return false }
      }
    }
    return true
  }

  private static func readName(_ text: inout Substring) -> Bool {
    let name = text.prefix { $0.unicodeScalars.allSatisfy(continues) }
    text = text[name.endIndex...]
    return !name.isEmpty && identifier(String(name), otherwise: "") == name
      && !keywords.contains(String(name))
  }
}

extension Substring {
  /// Removes the first character if it is the given one.
  fileprivate mutating func popFirst(_ character: Character) -> Bool {
    guard first == character else { return false }
    removeFirst()
    return true
  }
}

/// A set of names in which no name occurs twice.
struct NameScope {
  /// The names that are not available. Many scopes share this set.
  private let reserved: Set<String>
  private var taken: Set<String> = []
  /// The numbers for the next suffix of each requested name.
  private var numbers: [String: Int] = [:]

  init(_ reserved: Set<String> = []) { self.reserved = reserved }

  /// Returns names for all requested ones, in their order. A name that is not free gets an underscore, and then a
  /// number.
  ///
  /// Free names are taken first, so that a clash never changes another name.
  mutating func names(for wanted: [String]) -> [String] {
    var result = wanted
    var waiting: [Int] = []
    for (index, name) in wanted.enumerated() where !take(name) { waiting.append(index) }
    for index in waiting { result[index] = name(for: wanted[index]) }
    return result
  }

  /// Returns a free name for the requested one.
  mutating func name(for wanted: String) -> String {
    if take(wanted) { return wanted }
    // Numbering continues from the last suffix, so that many equal names need no repeated search.
    var number = numbers[wanted] ?? 1
    defer { numbers[wanted] = number }
    while true {
      let name = number == 1 ? wanted + "_" : "\(wanted)_\(number)"
      number += 1
      if take(name) { return name }
    }
  }

  func isFree(_ name: String) -> Bool { !reserved.contains(name) && !taken.contains(name) }

  /// Takes a name if it is free.
  private mutating func take(_ name: String) -> Bool {
    !reserved.contains(name) && taken.insert(name).inserted
  }
}
