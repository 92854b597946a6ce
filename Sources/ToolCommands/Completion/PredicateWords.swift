import CommandInterface
import ObjectModel
import ObjectQuery

/// The end of a predicate that the user is typing: its last word, and the word before it.
struct PredicateWords {
  /// The last word; empty after a space or an operator.
  let last: String
  /// The text before the last word.
  let before: String
  /// Whether the predicate ends within quotes.
  let isQuoted: Bool
  /// The word or the operator before the last word; empty at the beginning.
  private let previous: String
  private let subject: String

  init(_ text: String) {
    var words: [String] = []
    var word = ""
    var quote: Character?
    var isEscaped = false
    func isOperator(_ text: String) -> Bool {
      text.allSatisfy { "=<>!&|".contains($0) }
    }
    for character in text {
      if let open = quote {
        word.append(character)
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if character == " " || "(){},".contains(character) {
        if !word.isEmpty { words.append(word) }
        word = ""
        if character != " " { words.append(String(character)) }
      } else {
        if !word.isEmpty, isOperator(word) != isOperator(String(character)) {
          words.append(word)
          word = ""
        }
        word.append(character)
        if character == "'" || character == "\"" { quote = character }
      }
    }
    if !word.isEmpty, isOperator(word) {
      words.append(word)
      word = ""
    }
    isQuoted = quote != nil
    last = word
    before = String(text.dropLast(word.count))
    // Within `{'open', 'done'` each element is a value like the list.
    if let brace = words.lastIndex(of: "{"), !words[brace...].contains("}"),
      "{,".contains(words.last ?? "")
    {
      words.removeSubrange(brace...)
    }
    previous = words.last ?? ""
    subject = words.dropLast().last ?? ""
  }

  /// The part of a predicate that the last word may be.
  enum Place: Hashable {
    /// A value that is compared with the property at the key path.
    case value(of: String)
    /// An operator after a key path.
    case comparison
    /// The connection of two comparisons.
    case connection
    /// The beginning of a comparison.
    case subject
  }

  var place: Place {
    if Self.isComparison(previous) { return .value(of: subject) }
    if previous.isEmpty || "({,".contains(previous) || Self.openers.contains(previous.uppercased())
    {
      return .subject
    }
    if previous == ")" || previous == "}" || Self.isComparison(subject)
      || previous.uppercased().hasSuffix("PREDICATE")
    {
      return .connection
    }
    return .comparison
  }

  private static func isComparison(_ word: String) -> Bool {
    let name = word.prefix { $0 != "[" }.uppercased()
    return symbols.contains(name) || comparisons.contains { $0.text == name }
  }

  /// The operators that are symbols.
  private static let symbols: Set<String> = [
    "=", "==", "!=", "<>", "<", ">", "<=", ">=", "=<", "=>",
  ]
  /// The operators that are words.
  static let comparisons = words([
    "BEGINSWITH": "the text begins with another", "BETWEEN": "lies between two values",
    "CONTAINS": "contains a text or an object", "ENDSWITH": "the text ends with another",
    "IN": "is one of several values", "LIKE": "matches a pattern with * and ?",
    "MATCHES": "matches a regular expression",
  ])
  /// The words between two comparisons.
  static let connections = words(["AND": "both are true", "OR": "at least one is true"])
  /// The words before a comparison.
  static let beginnings = words([
    "ALL": "true for all objects", "ANY": "true for at least one object",
    "NONE": "true for no object", "NOT": "the opposite is true",
    "FALSEPREDICATE": "never true", "TRUEPREDICATE": "always true",
  ])

  private static func words(_ meanings: KeyValuePairs<String, String>) -> [Candidate] {
    // More of the predicate may follow each word.
    meanings.map { Candidate($0.key, $0.value, isOpen: true) }
  }

  private static let openers: Set<String> = [
    "AND", "OR", "NOT", "ALL", "ANY", "SOME", "NONE", "&&", "||", "!",
  ]

  /// Returns the words in capitals, or in small letters if the last word begins with one.
  func spelled(_ words: [Candidate]) -> [Candidate] {
    guard last.first?.isLowercase == true else { return words }
    return words.map { Candidate($0.text.lowercased(), $0.meaning, isOpen: true) }
  }
}

extension Attribute {
  /// The values that the rules of the attribute allow, if a rule lists them: `SELF IN {"open", "done"}`.
  var listedValues: [Value] {
    let lists = validation.predicates.compactMap { rule -> [Value]? in
      guard case .comparison(let comparison)? = try? QueryPredicate(rule.predicate),
        comparison.operation == .in, comparison.left == .evaluatedObject,
        case .aggregate(let parts) = comparison.right
      else { return nil }
      return parts.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    }
    guard let first = lists.first else { return [] }
    return first.filter { value in lists.allSatisfy { $0.contains(value) } }
  }
}
