/// Names of a model as names in Swift.
enum SwiftNames {
  /// The name as an identifier of Swift: itself where it is one already. What can't stand in one parts
  /// it into words, which are joined in the manner of Swift.
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
    // "_" alone is a pattern, no name.
    if joined.unicodeScalars.allSatisfy({ $0 == "_" }) { return joined + otherwise }
    guard let start = joined.unicodeScalars.first, begins(start) else { return "_" + joined }
    return joined
  }

  /// The name with a capital letter first, for what follows `addTo` or names a type.
  static func capitalized(_ name: String) -> String {
    guard let first = name.first else { return "" }
    return first.uppercased() + name.dropFirst()
  }

  /// The name where a member or parameter is declared: keywords in backticks.
  static func declared(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The name where it labels an argument: all others are taken for names there.
  static func label(_ name: String) -> String { name == "inout" ? "`inout`" : name }

  /// The name of a variable as that of a parameter: one in capitals, as variables of predicates often
  /// are, in the manner of Swift.
  static func parameter(_ variable: String) -> String {
    let name = identifier(variable, otherwise: "value")
    guard name.count > 1, name == name.uppercased(), name != name.lowercased() else { return name }
    let words = name.lowercased().split(separator: "_").map(String.init)
    guard let first = words.first else { return name }
    return identifier(first + words.dropFirst().map(capitalized).joined(), otherwise: "value")
  }

  /// Names that no member of a type can have, even in backticks, or that would read as something else.
  static let impossibleMembers: Set<String> = ["self", "Self", "Type", "Protocol", "init", "_"]

  /// Keywords, which are names in backticks only.
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

  /// Whether a name may hold the character. Narrower than Swift's grammar, which also takes marks that
  /// nobody sees.
  private static func continues(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "_" || scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
    }
    guard scalar.properties.isXIDContinue, !CodeText.isInvisible(scalar) else { return false }
    return allowed.contains { $0.contains(scalar.value) }
  }

  /// What the grammar of Swift lets an identifier hold beyond ASCII.
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
  /// The type that a model's source names, as Swift writes it; `nil` where it is no such name.
  ///
  /// Takes names with dots, collections in brackets and arguments of generic types, and nothing else.
  static func type(_ text: String) -> String? {
    guard text.utf8.count <= 200 else { return nil }
    let words = text.split(separator: " ")
    // A space between two names would make one of them.
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
  /// Takes the first character away if it is the given one.
  fileprivate mutating func popFirst(_ character: Character) -> Bool {
    guard first == character else { return false }
    removeFirst()
    return true
  }
}

/// Names in one place, none of them twice.
struct NameScope {
  /// What many scopes leave to others, kept once for all of them.
  private let reserved: Set<String>
  private var taken: Set<String> = []
  /// The number that the next name like this one gets.
  private var numbers: [String: Int] = [:]

  init(_ reserved: Set<String> = []) { self.reserved = reserved }

  /// Names for all of these, in their order: as they are where nothing stands against it, else with an
  /// underscore behind them, and then a number.
  ///
  /// What can keep its name is given it first, so that a clash never changes a name beside it.
  mutating func names(for wanted: [String]) -> [String] {
    var result = wanted
    var waiting: [Int] = []
    for (index, name) in wanted.enumerated() where !take(name) { waiting.append(index) }
    for index in waiting { result[index] = name(for: wanted[index]) }
    return result
  }

  /// One name.
  mutating func name(for wanted: String) -> String {
    if take(wanted) { return wanted }
    // Counts on from the last, so that many names alike don't look at one another.
    var number = numbers[wanted] ?? 1
    defer { numbers[wanted] = number }
    while true {
      let name = number == 1 ? wanted + "_" : "\(wanted)_\(number)"
      number += 1
      if take(name) { return name }
    }
  }

  /// Whether nothing has the name.
  func isFree(_ name: String) -> Bool { !reserved.contains(name) && !taken.contains(name) }

  /// Takes a name, if nothing has it.
  private mutating func take(_ name: String) -> Bool {
    !reserved.contains(name) && taken.insert(name).inserted
  }
}
