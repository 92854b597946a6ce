import ObjectModel
import ObjectQuery

// Texts are compared as bytes, like in the search of the rows.
extension SQLTranslator {
  /// Returns the condition that a text contains another text.
  mutating func contains(_ text: SQLScalar, _ part: SQLScalar) throws(NotTranslatable) -> String {
    guard text.kind != .null, part.kind != .null else { return dialect.falseCondition }
    guard text.kind == .text, part.kind == .text else { throw NotTranslatable() }
    if part.constantText == "" { return text.isPresent }
    let found = try dialect.contains(text, part)
    return part.constant == nil
      ? "(\(part.value) = '' AND \(text.isPresent) OR \(found))" : "(\(found))"
  }

  /// Returns the condition that a text begins with another text.
  mutating func begins(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String {
    guard text.kind != .null, part.kind != .null else { return dialect.falseCondition }
    guard text.kind == .text, part.kind == .text else { throw NotTranslatable() }
    if part.constantText == "" { return text.isPresent }
    if let prefix = part.constantText {
      // A range can use an index: the order of UTF-8 bytes is that of the code points.
      guard let end = prefix.nextPrefix else { return "(\(text.value) >= \(part.value))" }
      return "(\(text.value) >= \(part.value) AND \(text.value) < \(try parameter(.text(end))))"
    }
    let start = try dialect.begins(text, with: part)
    return "(\(part.value) = '' AND \(text.isPresent) OR \(start))"
  }

  /// Returns the condition that a text ends with another text.
  mutating func ends(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String {
    guard text.kind != .null, part.kind != .null else { return dialect.falseCondition }
    guard text.kind == .text, part.kind == .text else { throw NotTranslatable() }
    if part.constantText == "" { return text.isPresent }
    let end = try dialect.ends(text, with: part)
    return part.constant == nil
      ? "(\(part.value) = '' AND \(text.isPresent) OR \(end))" : "(\(end))"
  }

  /// Returns the condition that a text matches a constant pattern. Stars may be only at the ends of the pattern.
  mutating func like(_ text: SQLScalar, _ pattern: String?) throws(NotTranslatable) -> String {
    // Split by bytes, like the search of the rows: a character after a star may combine with the star.
    guard let pattern = pattern?.utf8,
      !pattern.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "\\") })
    else { throw NotTranslatable() }
    let parts = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    let middle = parts.filter { !$0.isEmpty }
    guard middle.count <= 1 else { throw NotTranslatable() }
    let part = try constant(
      .string(String(decoding: middle.first.map(Array.init) ?? [], as: UTF8.self)))
    guard text.kind == .text else { throw NotTranslatable() }
    switch (parts.first?.isEmpty ?? true, parts.last?.isEmpty ?? true) {
    case _ where parts.count == 1: return "(\(text.value) = \(part.value))"
    case (true, true): return try contains(text, part)
    case (true, false): return try ends(text, with: part)
    default: return try begins(text, with: part)
    }
  }
}

extension SQLScalar {
  /// The text of a constant; `nil` for other values.
  package var constantText: String? {
    switch constant {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }
}

extension String {
  /// The least text that is greater than all texts with this prefix, if any.
  fileprivate var nextPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // The surrogates between the two are not characters.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var text = String.UnicodeScalarView(scalars)
      text.append(scalar)
      return String(text)
    }
    return nil
  }
}
