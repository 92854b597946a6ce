import Foundation
import ObjectModel

/// Prints predicates and expressions as text that reads back as equal trees.
///
/// An operand that contains an operator itself is put in brackets, so printed text does not rely on precedence. The
/// only exception are comparisons within `AND` and `OR`.
struct PredicatePrinter {
  private(set) var text = ""

  // MARK: - Predicates

  mutating func write(_ predicate: QueryPredicate) {
    switch predicate {
    case .constant(let flag): text += flag ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): write(comparison)
    case .and(let parts): join(parts, "AND")
    case .or(let parts): join(parts, "OR")
    case .not(let part):
      text += "NOT "
      writeOperand(part)
    }
  }

  private mutating func join(_ parts: [QueryPredicate], _ keyword: String) {
    guard parts.count > 1 else {
      // Fewer than two parts can't be joined by an operator, so write the keyword as a function.
      text += keyword + "("
      if let part = parts.first { write(part) }
      text += ")"
      return
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += " \(keyword) " }
      writeOperand(part)
    }
  }

  private mutating func writeOperand(_ predicate: QueryPredicate) {
    switch predicate {
    case .and(let parts) where parts.count > 1, .or(let parts) where parts.count > 1:
      text += "("
      write(predicate)
      text += ")"
    default: write(predicate)
    }
  }

  private mutating func write(_ comparison: QueryPredicate.Comparison) {
    if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
    write(comparison.left)
    text += " " + comparison.operation.rawValue + comparison.options.letters + " "
    write(comparison.right)
  }

  // MARK: - Expressions

  mutating func write(_ expression: QueryExpression) {
    switch expression {
    case .constant(let value): write(value)
    case .object(let id): cast("\"\(id.uri)\"", .object)
    case .aggregate(let parts): list(parts, "{", "}")
    case .evaluatedObject: text += "SELF"
    case .variable(let name): text += "$" + (name.isWord ? name : name.quoted)
    case .keyPath(of: let base, let path): write(path, of: base)
    case .function(let function, let arguments):
      if let sign = function.traits.sign, arguments.count == 2 {
        writeOperand(arguments[0])
        text += " \(sign) "
        writeOperand(arguments[1])
      } else {
        text += function.printedName
        list(arguments, "(", ")")
      }
    case .call(let target, let name, let arguments):
      text += "FUNCTION("
      write(target)
      text += ", " + name.quoted
      for argument in arguments {
        text += ", "
        write(argument)
      }
      text += ")"
    case .element(of: let collection, let index):
      writeBase(collection)
      write(index)
    case .set(let operation, let left, let right):
      writeOperand(left)
      text += " \(operation.rawValue) "
      writeOperand(right)
    case .subquery(let collection, variable: let name, let predicate):
      text += "SUBQUERY("
      write(collection)
      text += ", $" + (name.isWord ? name : name.quoted) + ", "
      write(predicate)
      text += ")"
    case .conditional(let predicate, let then, let otherwise):
      text += "TERNARY("
      write(predicate)
      text += ", "
      write(then)
      text += ", "
      write(otherwise)
      text += ")"
    case .cast(let value, let type):
      text += "CAST("
      // A plain literal would be cast during parsing.
      if value.isPlainLiteral {
        text += "("
        write(value)
        text += ")"
      } else {
        write(value)
      }
      text += ", \"\(type.rawValue)\")"
    case .fetch(let entity, let predicate, let countOnly):
      text += "FETCH(\(entity.quoted), "
      write(predicate)
      text += countOnly ? ", YES)" : ", NO)"
    }
  }

  private mutating func list(_ parts: [QueryExpression], _ open: String, _ close: String) {
    text += open
    for (index, part) in parts.enumerated() {
      if index > 0 { text += ", " }
      write(part)
    }
    text += close
  }

  /// Writes an operand of an operator.
  private mutating func writeOperand(_ expression: QueryExpression) {
    let needsBrackets: Bool
    switch expression {
    case .function(let function, let arguments):
      needsBrackets = function.traits.sign != nil && arguments.count == 2
    case .set: needsBrackets = true
    default: needsBrackets = false
    }
    writeBracketed(expression, needsBrackets)
  }

  /// Writes the value before a dot or a bracket.
  private mutating func writeBase(_ expression: QueryExpression) {
    let needsBrackets: Bool
    switch expression {
    case .function(let function, let arguments):
      needsBrackets = function.traits.sign != nil && arguments.count == 2
    case .set: needsBrackets = true
    case .constant(.integer), .constant(.double), .constant(.float): needsBrackets = true
    default: needsBrackets = false
    }
    writeBracketed(expression, needsBrackets)
  }

  private mutating func writeBracketed(_ expression: QueryExpression, _ needsBrackets: Bool) {
    if needsBrackets { text += "(" }
    write(expression)
    if needsBrackets { text += ")" }
  }

  private mutating func write(_ path: [String], of base: QueryExpression) {
    var names = path[...]
    if case .evaluatedObject = base, let first = names.popFirst() {
      text += first.pathElement(isFirst: true)
    } else if case .keyPath = base {
      // A path from another path differs from one long path.
      writeBracketed(base, true)
    } else {
      writeBase(base)
    }
    for name in names { text += "." + name.pathElement(isFirst: false) }
  }

  private mutating func write(_ index: QueryExpression.Index) {
    switch index {
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    case .at(let place):
      text += "["
      // The brackets keep a property called "first" from being read as the keyword.
      var isNumber = false
      if case .constant(.integer) = place { isNumber = true }
      writeBracketed(place, !isNumber)
      text += "]"
    }
  }

  // MARK: - Values

  private mutating func write(_ value: Value) {
    switch value {
    case .null: text += "NULL"
    case .boolean(let flag): text += flag ? "TRUE" : "FALSE"
    case .integer(let number): text += "\(number)"
    case .float(let number): write(Double(number))
    case .double(let number): write(number)
    case .decimal(let number): cast("\"\(number)\"", .decimal)
    case .string(let string): text += string.quoted
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      cast(seconds.isFinite ? "\(seconds)" : "\"\(seconds)\"", .date)
    case .uuid(let uuid): cast("\"\(uuid.uuidString)\"", .uuid)
    case .uri(let uri): cast(uri.quoted, .uri)
    case .binary(let bytes): cast("\"\(bytes.base64EncodedString())\"", .binary)
    case .object(let key): cast("\"x-quire:///\(key.entity)/p\(key.number)\"", .object)
    }
  }

  private mutating func write(_ number: Double) {
    if number.isFinite { text += "\(number)" } else { cast("\"\(number)\"", .number) }
  }

  private mutating func cast(_ literal: String, _ type: QueryExpression.CastType) {
    text += "CAST(\(literal), \"\(type.rawValue)\")"
  }
}

extension QueryExpression {
  /// Creates the value that `CAST` of a literal stands for; `nil` if the cast happens at evaluation.
  ///
  /// Only the forms that the printer writes become values. For example, a text that contains a number stays a cast of
  /// a text.
  init?(literal: Value, as type: CastType) {
    switch (type, literal) {
    case (.number, .string("inf")): self = .constant(.double(.infinity))
    case (.number, .string("-inf")): self = .constant(.double(-.infinity))
    case (.number, .string("nan")): self = .constant(.double(.nan))
    case (.decimal, .string("NaN")): self = .constant(.decimal(.nan))
    case (.date, .string("inf")):
      self = .constant(.date(Date(timeIntervalSinceReferenceDate: .infinity)))
    case (.date, .string("-inf")):
      self = .constant(.date(Date(timeIntervalSinceReferenceDate: -.infinity)))
    case (.date, .string("nan")):
      self = .constant(.date(Date(timeIntervalSinceReferenceDate: .nan)))
    case (.object, .string(let text)):
      if let id = ObjectID(uri: text) {
        self = .object(id)
      } else if let id = ObjectID(uri: text.replacing("x-quire:///", with: "x-quire://\(zeros)/")) {
        self = .constant(.object(id.key))
      } else {
        return nil
      }
    case (.date, _), (.decimal, .string), (.uuid, .string), (.uri, .string), (.binary, .string):
      guard let value = Operand.value(literal).cast(to: type, store: nil)?.single else {
        return nil
      }
      self = .constant(value)
    default: return nil
    }
  }

  /// Whether the printed expression reads back as a literal.
  fileprivate var isPlainLiteral: Bool {
    switch self {
    case .constant(.integer), .constant(.string): true
    case .constant(.double(let number)): number.isFinite
    case .constant(.float(let number)): number.isFinite
    default: false
    }
  }
}

private let zeros = "0000000000000000"

extension TextOptions {
  /// The options in brackets, as they appear after an operator; an empty text without options.
  public var letters: String {
    guard !isEmpty else { return "" }
    var letters = "["
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    if contains(.localeSensitive) { letters += "l" }
    return letters + "]"
  }
}

extension String {
  /// Whether the lexer reads the text as one word.
  fileprivate var isWord: Bool {
    guard let first = utf8.first, PredicateLexer.startsWord(first) else { return false }
    return utf8.allSatisfy(PredicateLexer.continuesWord)
      && !unicodeScalars.contains { PredicateLexer.advice(about: $0) != nil }
  }

  /// Returns the text as an element of a path.
  fileprivate func pathElement(isFirst: Bool) -> String {
    if first == "@", dropFirst().description.isWord { return self }
    guard isWord else { return "#" + quoted }
    return isFirst && PredicateParser.reserved.contains(uppercased()) ? "#" + self : self
  }

  /// The text in double quotes.
  fileprivate var quoted: String {
    inQuotationMarks { scalar in
      guard scalar.value < 0x20 || scalar.value == 0x7F else { return nil }
      let digits = String(scalar.value, radix: 16)
      return "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
    }
  }
}
