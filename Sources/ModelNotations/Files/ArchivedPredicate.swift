import Foundation
import ObjectModel
import PropertyLists

/// Conversions of archived predicates and expressions to text in the predicate language.
enum ArchivedPredicate {
  /// The maximum depth of a predicate, deeper than any predicate that a person writes.
  private static let maximumDepth = 64

  /// The parts of a comparison.
  struct Comparison {
    let left: String
    let operatorNumber: Int64
    let constant: ArchivedObject?
    /// Whether the comparison is of one value with one value, without options or a modifier.
    let isPlain: Bool

    init?(_ predicate: ArchivedObject) {
      guard let number = predicate["NSPredicateOperator"]?["NSOperatorType"]?.integer,
        let left = predicate["NSLeftExpression"], let right = predicate["NSRightExpression"]
      else { return nil }
      self.left = ArchivedPredicate.expression(left, 0)
      operatorNumber = number
      constant = right["NSConstantValue"]
      let archived = predicate["NSPredicateOperator"]
      let options = archived?["NSOptions"]?.integer ?? archived?["NSFlags"]?.integer ?? 0
      isPlain = options & 3 == 0 && archived?["NSModifier"]?.integer ?? 0 == 0
    }
  }

  static func text(_ predicate: ArchivedObject) -> String { text(predicate, 0) }

  private static func text(_ predicate: ArchivedObject, _ depth: Int) -> String {
    guard depth < maximumDepth else { return "…" }
    let classes = predicate.classNames
    if classes.contains("NSTruePredicate") { return "TRUEPREDICATE" }
    if classes.contains("NSFalsePredicate") { return "FALSEPREDICATE" }
    if let parts = predicate["NSSubpredicates"]?.array {
      let texts = parts.map { part in
        let text = text(part, depth + 1)
        return part["NSSubpredicates"] == nil ? text : "(\(text))"
      }
      switch predicate["NSCompoundPredicateType"]?.integer {
      case 0: return "NOT (\(texts.first ?? "TRUEPREDICATE"))"
      case 2: return texts.isEmpty ? "FALSEPREDICATE" : texts.joined(separator: " OR ")
      default: return texts.isEmpty ? "TRUEPREDICATE" : texts.joined(separator: " AND ")
      }
    }
    guard let archived = predicate["NSPredicateOperator"], let left = predicate["NSLeftExpression"],
      let right = predicate["NSRightExpression"]
    else { return "TRUEPREDICATE" }
    let number = archived["NSOperatorType"]?.integer ?? 4
    let options = archived["NSOptions"]?.integer ?? archived["NSFlags"]?.integer ?? 0
    let letters = (options & 1 != 0 ? "c" : "") + (options & 2 != 0 ? "d" : "")
    let modifier = ["", "ALL ", "ANY "]
    let prefix = archived["NSModifier"]?.integer ?? 0
    let word = operators[number] ?? "=="
    return (0...2).contains(prefix)
      ? modifier[Int(prefix)] + expression(left, depth + 1) + " " + word
        + (letters.isEmpty ? "" : "[\(letters)]") + " " + expression(right, depth + 1)
      : "TRUEPREDICATE"
  }

  private static let operators: [Int64: String] = [
    0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE",
    8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
  ]

  /// Returns the text of a derived attribute's expression, as version hashes spell it: `count:(stops)`.
  static func derivation(_ expression: ArchivedObject) -> String {
    guard let selector = expression["NSSelectorName"]?.string,
      expression["NSKeyPath"] == nil, !isKeyPath(expression)
    else { return self.expression(expression, 0) }
    let arguments = expression["NSArguments"]?.array?.map { self.expression($0, 1) } ?? []
    return "\(selector)(\(arguments.joined(separator: ", ")))"
  }

  /// Returns the text of an expression.
  static func expression(_ expression: ArchivedObject) -> String {
    self.expression(expression, 0)
  }

  private static func isKeyPath(_ expression: ArchivedObject) -> Bool {
    expression["NSExpressionType"]?.integer == 3
  }

  private static func expression(_ expression: ArchivedObject, _ depth: Int) -> String {
    guard depth < maximumDepth else { return "…" }
    switch expression["NSExpressionType"]?.integer {
    case 0: return constant(expression["NSConstantValue"], depth)
    case 1: return "SELF"
    case 2: return "$" + (expression["NSVariable"]?.string ?? "")
    case 10: return expression["NSKeyPath"]?.string ?? ""
    case 3:
      let path =
        expression["NSArguments"]?.array?.first.map { self.expression($0, depth + 1) } ?? ""
      guard let operand = expression["NSOperand"], operand["NSExpressionType"]?.integer != 1 else {
        return path
      }
      return self.expression(operand, depth + 1) + "." + path
    case 4:
      let name = expression["NSSelectorName"]?.string ?? ""
      if let operand = expression["NSOperand"], let kind = operand["NSExpressionType"]?.integer,
        kind != 0
      {
        // A method of an operand, such as a variable or the value at the end of a path.
        let arguments =
          expression["NSArguments"]?.array?.map { self.expression($0, depth + 1) } ?? []
        let target = self.expression(operand, depth + 1)
        if name == "valueForKeyPath:" || name == "valueForKey:", let path = arguments.first {
          return kind == 1 ? path : target + "." + path
        }
        return "FUNCTION(\(([target, "\"\(name)\""] + arguments).joined(separator: ", ")))"
      }
      let arguments = expression["NSArguments"]?.array?.map { self.expression($0, depth + 1) } ?? []
      let plain = name.hasSuffix(":") ? String(name.dropLast()) : name
      return "\(plain)(\(arguments.joined(separator: ", ")))"
    case 14:
      let members = expression["NSCollection"]?.array?.map { self.expression($0, depth + 1) } ?? []
      return "{\(members.joined(separator: ", "))}"
    default: return expression["NSKeyPath"]?.string ?? "SELF"
    }
  }

  private static func constant(_ value: ArchivedObject?, _ depth: Int) -> String {
    guard let value else { return "nil" }
    if let members = value.array {
      return "{" + members.map { constant($0, depth + 1) }.joined(separator: ", ") + "}"
    }
    if let text = value.string {
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }
    if case .boolean(let flag)? = value.value { return flag ? "true" : "false" }
    if let decimal = value.decimal { return decimal.description }
    if let integer = value.integer { return String(integer) }
    if let real = value.real { return String(real) }
    if let date = value.date {
      return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    }
    return "nil"
  }
}
