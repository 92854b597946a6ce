private import Foundation

extension AttributeType {
  /// Returns whether attributes of this type accept the given value. ``Value/null`` is always accepted here.
  public func accepts(_ value: Value) -> Bool { problem(with: value) == nil }

  /// Returns the problem with a value for an attribute of this type, or `nil`. The text ends a
  /// sentence such as "The default value of 'age' …". A missing value is always accepted here.
  package func problem(with value: Value) -> String? {
    guard let kind = value.kind, self != .undefined else { return nil }
    if kind != traits.content {
      return "\(value.text) is \(kind.words); the attribute has the type \(sourceName)"
    }
    if case .integer(let number) = value, let range = traits.range, !range.contains(number) {
      return "\(number) is out of range for the type \(sourceName)"
    }
    return nil
  }

  /// Returns the problem with a bound for values of this type, as the end of a sentence, or `nil`.
  func problem(withBound bound: Value) -> String? {
    switch traits.content {
    case .integer, .decimal, .double, .float, .date:
      return problem(with: bound)
    case .string:
      guard case .integer(let length) = bound else {
        return
          "\(bound.text) is \(bound.kind?.words ?? "no value"); bounds of text are numbers of characters"
      }
      return length < 0 ? "\(length) is negative; bounds of text are numbers of characters" : nil
    case .boolean, .binary, .uuid, .uri, .object, nil:
      return "\(bound.text) is not allowed: values of the type \(sourceName) have no bounds"
    }
  }
}

extension Attribute.Validation {
  /// Returns the bound that a value fails, as the end of a sentence, or `nil`.
  ///
  /// The pattern is not tried, because a hostile pattern takes exponential time even on a short text.
  func problem(withBoundsOf value: Value) -> String? {
    let measured: Value
    let what: String
    if case .string(let text) = value {
      measured = .integer(Int64(text.count))
      what = "\(value.text) has \(text.count) characters, which"
    } else {
      measured = value
      what = value.text(precision)
    }
    if let precision, !precision.accepts(value) { return "\(value.text) \(precision.rule)" }
    if let order = measured.order(comparedTo: minimum), order < 0 {
      return "\(what) is less than the minimum \(minimum.text(precision))"
    }
    if let order = measured.order(comparedTo: maximum), order > 0 {
      return "\(what) is greater than the maximum \(maximum.text(precision))"
    }
    return nil
  }
}

extension Value {
  /// Returns a negative number, 0 or a positive number when this value is less than, equal to or greater than
  /// another value. Returns `nil` if the two cannot be compared.
  package func order(comparedTo other: Value) -> Int? {
    func order<Ordered: Comparable>(_ left: Ordered, _ right: Ordered) -> Int? {
      left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    }
    return switch (self, other) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.float(let left), .float(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(left, right)
    case (.decimal(let left), .decimal(let right)): order(left, right)
    case (.date(let left), .date(let right)): order(left, right)
    default: nil
    }
  }

  /// Returns the value as text for a reader, in the form of its attribute's precision.
  package func text(_ precision: Attribute.Precision?) -> String { precision?.text(self) ?? text }

  /// The value as text for a reader, limited in length.
  package var text: String {
    switch self {
    case .null: "none"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): "\"\(text.prefix(80))\(text.count > 80 ? "…" : "")\""
    case .date(let date): date.isoText()
    case .uuid(let uuid): uuid.uuidString
    case .uri(let text): "<\(text.prefix(80))>"
    case .binary(let bytes): "\(bytes.count) bytes"
    case .object(let key): "object \(key.entity)/\(key.number)"
    }
  }
}
