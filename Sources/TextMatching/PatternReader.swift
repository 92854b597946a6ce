/// Reads a pattern into parts that an automaton can decide.
///
/// Foundation has accepted the pattern before, so its syntax is valid. An unknown construct ends the reading, and
/// Foundation then decides the pattern.
struct PatternReader {
  /// The pattern has a part that no automaton here can decide.
  struct Unsupported: Error {}

  private static let greatestDepth = 100
  private let pattern: [Unicode.Scalar]
  private var place = 0
  private var flags: Flags
  private var depth = 0
  /// The distinct tests of scalars.
  private(set) var tests: [ScalarTest] = []
  private var testNumbers: [ScalarTest: Int] = [:]

  private struct Flags {
    var ignoresCase = false
    var isMultiline = false
    var dotMatchesAll = false
    /// Whether the group is within `(?<=…)` or `(?<!…)`. Foundation hides the text after the end of such a group from
    /// the group, and the automata do not. So Foundation decides a pattern whose group looks ahead.
    var isInLookBehind = false
  }

  init(_ text: String, ignoresCase: Bool) {
    pattern = Array(text.unicodeScalars)
    flags = Flags(ignoresCase: ignoresCase)
  }

  /// Reads the whole pattern.
  mutating func read() throws(Unsupported) -> PatternNode {
    let node = try choice()
    guard place == pattern.count else { throw Unsupported() }
    return node
  }

  // MARK: - Characters

  private var next: Unicode.Scalar? { place < pattern.count ? pattern[place] : nil }

  private mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard pattern[place...].starts(with: wanted) else { return false }
    place += wanted.count
    return true
  }

  private mutating func advance() throws(Unsupported) -> Unicode.Scalar {
    guard let scalar = next else { throw Unsupported() }
    place += 1
    return scalar
  }

  private mutating func number(_ test: ScalarTest) -> Int {
    if let known = testNumbers[test] { return known }
    tests.append(test)
    testNumbers[test] = tests.count - 1
    return tests.count - 1
  }

  // MARK: - Groups

  private mutating func choice() throws(Unsupported) -> PatternNode {
    var parts = [try sequence()]
    while take("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(Unsupported) -> PatternNode {
    var parts: [PatternNode] = []
    var letters: [Unicode.Scalar] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      if let letter = try literal() {
        // A quantifier applies only to the last letter.
        guard isQuantifier else {
          letters.append(letter)
          continue
        }
        parts.append(word(letters))
        letters = []
        parts.append(try repeated(word([letter]), isScalar: true))
        continue
      }
      parts.append(word(letters))
      letters = []
      let start = place
      let part = try atom()
      guard isQuantifier else {
        parts.append(part)
        continue
      }
      // After a comment or a flag, a quantifier would apply to the part before it.
      if place == start || part.isNothing { throw Unsupported() }
      parts.append(try repeated(part, isScalar: part.isScalar))
    }
    parts.append(word(letters))
    return .sequence(parts)
  }

  /// Returns the part that matches consecutive letters.
  private mutating func word(_ letters: [Unicode.Scalar]) -> PatternNode {
    guard !letters.isEmpty else { return .nothing }
    guard flags.ignoresCase else {
      return .sequence(letters.map { .scalar(number(.anyOf([$0.value]))) })
    }
    let folded = letters.flatMap(WideFoldings.folding)
    // Foundation may fold a single letter differently, so it gets the original letter.
    let plain = folded.count == letters.count ? letters.map(\.value) : folded
    return .word(
      folded.indices.map { place in
        var edges = [WordEdge(test: number(Self.test(ofLetter: plain[place])), width: 1)]
        for width in 2...3 where place + width <= folded.count {
          if let scalars = WideFoldings.scalars[Array(folded[place..<(place + width)])] {
            edges.append(WordEdge(test: number(.anyOf(scalars)), width: width))
          }
        }
        return edges
      })
  }

  /// Returns the test of a letter, compared without case.
  private static func test(ofLetter letter: UInt32) -> ScalarTest {
    if letter < 0x80, !Unicode.Scalar(UInt8(letter)).properties.isAlphabetic {
      return .anyOf([letter])
    }
    return .set("\\x{\(String(letter, radix: 16))}", ignoresCase: true)
  }

  private mutating func atom() throws(Unsupported) -> PatternNode {
    switch try advance() {
    case ".":
      guard flags.dotMatchesAll else { return .scalar(number(.noLineEnd)) }
      if flags.isInLookBehind { throw Unsupported() }
      // A carriage return followed by a line feed counts as one character.
      let (feed, carriage) = (number(.anyOf([0x0A])), number(.anyOf([0x0D])))
      let other = number(.set("[^\\r]", ignoresCase: false))
      return .choice([
        .scalar(other), .sequence([.scalar(carriage), .scalar(feed)]),
        .sequence([.scalar(carriage), .assertion(.notBeforeLineFeed)]),
      ])
    case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
    case "$": return .assertion(flags.isMultiline ? .lineEnd : .lastLineEnd)
    case "(": return try group()
    case "[": return try set()
    case "\\": return try escape()
    default: throw Unsupported()
    }
  }

  private mutating func group() throws(Unsupported) -> PatternNode {
    depth += 1
    guard depth <= Self.greatestDepth else { throw Unsupported() }
    defer { depth -= 1 }
    let outside = flags
    var look: (isBehind: Bool, isNegated: Bool)?
    if take("?") {
      if take(":") {
      } else if take("=") {
        look = (false, false)
      } else if take("!") {
        look = (false, true)
      } else if take("<=") {
        look = (true, false)
      } else if take("<!") {
        look = (true, true)
      } else if take("<") {
        while try advance() != ">" {}
      } else if take("#") {
        while try advance() != ")" {}
        return .nothing
      } else {
        try readFlags()
        // "(?i)" applies up to the end of the group around it.
        if take(")") { return .nothing }
        guard take(":") else { throw Unsupported() }
      }
    }
    if let look, look.isBehind { flags.isInLookBehind = true }
    let inner = try choice()
    guard take(")") else { throw Unsupported() }
    flags = outside
    return look.map { .look(inner, isBehind: $0.isBehind, isNegated: $0.isNegated) } ?? inner
  }

  private mutating func readFlags() throws(Unsupported) {
    var value = true
    while let scalar = next, scalar != ")", scalar != ":" {
      switch try advance() {
      case "-": value = false
      case "i": flags.ignoresCase = value
      case "m": flags.isMultiline = value
      case "s": flags.dotMatchesAll = value
      default: throw Unsupported()
      }
    }
  }

  // MARK: - Repetitions

  private var isQuantifier: Bool {
    switch next {
    case "*", "+", "?", "{": true
    default: false
    }
  }

  private mutating func repeated(
    _ part: PatternNode, isScalar: Bool
  ) throws(Unsupported) -> PatternNode {
    var (least, most): (Int, Int?) = (0, nil)
    switch try advance() {
    case "*": break
    case "+": least = 1
    case "?": most = 1
    default:
      least = try count()
      most = least
      if take(",") { most = next == "}" ? nil : try count() }
      guard take("}"), most.map({ $0 >= least }) ?? true else { throw Unsupported() }
    }
    let whole = PatternNode.repetition(part, least: least, most: most)
    var result = whole
    if take("+") {
      // A possessive repetition gives nothing back: it takes as many single scalars as there are.
      guard isScalar, !flags.isInLookBehind else { throw Unsupported() }
      let noMore = PatternNode.look(part, isBehind: false, isNegated: true)
      if let most {
        var choices = [PatternNode.repetition(part, least: most, most: most)]
        if least < most {
          choices.append(
            .sequence([.repetition(part, least: least, most: most - 1), noMore]))
        }
        result = .choice(choices)
      } else {
        result = .sequence([whole, noMore])
      }
    } else {
      _ = take("?")
    }
    if isQuantifier { throw Unsupported() }
    return result
  }

  private mutating func count() throws(Unsupported) -> Int {
    var count = 0
    var isEmpty = true
    while let digit = next.flatMap({ Int(String($0)) }), next?.isASCII == true {
      count = count * 10 + digit
      guard count <= 100_000 else { throw Unsupported() }
      isEmpty = false
      place += 1
    }
    if isEmpty { throw Unsupported() }
    return count
  }

  // MARK: - Sets and escapes

  /// Reads a set after its first bracket. Foundation decides which scalars are in the set.
  private mutating func set() throws(Unsupported) -> PatternNode {
    let start = place - 1
    var level = 1
    _ = take("^")
    _ = take("]")
    while level > 0 {
      switch try advance() {
      case "[":
        level += 1
        _ = take("^")
        _ = take("]")
      case "]": level -= 1
      case "\\": if ["Q", "E"].contains(try advance()) { throw Unsupported() }
      default: break
      }
    }
    return .scalar(number(set(from: start)))
  }

  private func set(from start: Int) -> ScalarTest {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: pattern[start..<place])
    return .set(String(text), ignoresCase: flags.ignoresCase)
  }

  private mutating func escape() throws(Unsupported) -> PatternNode {
    let start = place - 1
    switch try advance() {
    case "A": return .assertion(.textStart)
    case "z": return .assertion(.textEnd)
    case "Z": return .assertion(.lastLineEnd)
    case "b": return .assertion(.wordBoundary)
    case "B": return .assertion(.noWordBoundary)
    case "d", "D", "w", "W", "s", "S", "h", "H", "v", "V":
      return .scalar(number(set(from: start)))
    case "p", "P":
      guard take("{") else { throw Unsupported() }
      while try advance() != "}" {}
      return .scalar(number(set(from: start)))
    case "R":
      let (feed, carriage) = (number(.anyOf([0x0A])), number(.anyOf([0x0D])))
      let other = number(.anyOf([0x0A, 0x0B, 0x0C, 0x85, 0x2028, 0x2029]))
      return .choice([
        .scalar(other), .sequence([.scalar(carriage), .scalar(feed)]),
        .sequence([.scalar(carriage), .assertion(.notBeforeLineFeed)]),
      ])
    default: throw Unsupported()
    }
  }

  /// Reads a letter, written directly or by its number; returns `nil` if something else comes next.
  private mutating func literal() throws(Unsupported) -> Unicode.Scalar? {
    guard let scalar = next else { return nil }
    switch scalar {
    case ".", "^", "$", "(", "[": return nil
    case "*", "+", "?", "{", "}", "]": throw Unsupported()
    case "\\": return try escapedLiteral()
    default:
      place += 1
      return scalar
    }
  }

  private mutating func escapedLiteral() throws(Unsupported) -> Unicode.Scalar? {
    guard place + 1 < pattern.count else { throw Unsupported() }
    let letter = pattern[place + 1]
    switch letter {
    case "A", "z", "Z", "b", "B", "d", "D", "w", "W", "s", "S", "h", "H", "v", "V", "p", "P", "R":
      return nil
    case "t": return try plain(0x09)
    case "n": return try plain(0x0A)
    case "r": return try plain(0x0D)
    case "f": return try plain(0x0C)
    case "a": return try plain(0x07)
    case "e": return try plain(0x1B)
    case "u": return try hexadecimal(4)
    case "x":
      if place + 2 < pattern.count, pattern[place + 2] == "{" {
        place += 3
        var number: UInt32 = 0
        while let digit = next.flatMap({ Character($0).hexDigitValue }), number < 0x11_0000 {
          number = number << 4 | UInt32(digit)
          place += 1
        }
        guard take("}"), let scalar = Unicode.Scalar(number) else { throw Unsupported() }
        return scalar
      }
      return try hexadecimal(2)
    case _ where letter.isASCII && !letter.properties.isAlphabetic && !("0"..."9" ~= letter):
      return try plain(letter.value)
    default: throw Unsupported()
    }
  }

  private mutating func plain(_ number: UInt32) throws(Unsupported) -> Unicode.Scalar {
    place += 2
    guard let scalar = Unicode.Scalar(number) else { throw Unsupported() }
    return scalar
  }

  private mutating func hexadecimal(_ digits: Int) throws(Unsupported) -> Unicode.Scalar {
    place += 2
    var number: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = next.flatMap({ Character($0).hexDigitValue }) else { throw Unsupported() }
      number = number << 4 | UInt32(digit)
      place += 1
    }
    guard let scalar = Unicode.Scalar(number) else { throw Unsupported() }
    return scalar
  }
}

extension PatternNode {
  /// Whether the part takes one scalar.
  fileprivate var isScalar: Bool { if case .scalar = self { true } else { false } }

  /// Whether the part takes no scalar and has no condition.
  fileprivate var isNothing: Bool {
    if case .sequence(let parts) = self { parts.allSatisfy(\.isNothing) } else { false }
  }
}
