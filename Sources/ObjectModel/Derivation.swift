extension Attribute.Derivation {
  /// The form of a derivation, parsed from its expression.
  public enum Form: Sendable, Hashable {
    /// The moment of saving: `now()`.
    case now
    /// The value at the end of a path: `trip.name`.
    case value(path: [String])
    /// A function of the value or values at the end of a path: `canonical:(name)`, `stops.@count`.
    case function(Function, path: [String])
  }

  /// A function that computes a derived value.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    /// Text without case and diacritics.
    case canonical
    case uppercase
    case lowercase
    case count
    /// The sum of the values.
    case sum
    case min
    case max
    /// The mean of the values.
    case average
  }

  /// The form of the derivation; `nil` if the expression cannot be derived.
  ///
  /// Both spellings of Core Data are accepted: `sum:(stops.cost)` and `stops.cost.@sum`.
  public var form: Form? {
    let text = expression[...].trimmed
    if text == "now()" || text == "now:()" { return .now }
    if text.hasSuffix(")"), let open = text.firstIndex(of: "(") {
      let name = text[..<open]
      let path = Self.path(text[text.index(after: open)...].dropLast().trimmed)
      let function = Function(rawValue: String(name.dropLast()))
      guard name.hasSuffix(":"), let function, let path else { return nil }
      return .function(function, path: path)
    }
    var elements = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let place = elements.firstIndex(where: { $0.hasPrefix("@") }) else {
      return Self.path(text).map { .value(path: $0) }
    }
    let function = Function(collectionOperator: elements.remove(at: place).dropFirst())
    let path = Self.path(elements.joined(separator: ".")[...])
    guard let function, let path else { return nil }
    return .function(function, path: path)
  }

  /// The expression in the single spelling that version hashes cover (spec §2.4.4): `count:(stops)`, also for
  /// `stops.@count`. An expression that cannot be derived is unchanged.
  public var normalizedExpression: String {
    switch form {
    case .now: "now()"
    case .value(let path): path.joined(separator: ".")
    case .function(let function, let path): "\(function):(\(path.joined(separator: ".")))"
    case nil: expression
    }
  }

  /// Returns the names in a key path; `nil` if the text is not a key path.
  private static func path(_ text: Substring) -> [String]? {
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let isPath = names.allSatisfy { name in
      !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    return isPath ? names : nil
  }
}

extension Attribute.Derivation.Function {
  /// Creates the function of a collection operator in a key path.
  fileprivate init?(collectionOperator name: Substring) {
    switch name {
    case "count": self = .count
    case "sum": self = .sum
    case "min": self = .min
    case "max": self = .max
    case "avg", "average": self = .average
    default: return nil
    }
  }
}

extension Substring {
  /// The text without spaces at its ends.
  fileprivate var trimmed: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return text
  }
}
