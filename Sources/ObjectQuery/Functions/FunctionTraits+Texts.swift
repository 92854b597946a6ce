import Foundation
import ObjectModel

extension FunctionTraits {
  private typealias Types = FunctionArguments

  static let texts: [FunctionTraits] = [
    ofText(.uppercase, names: ["upper"]) { $0.uppercased() },
    ofText(.lowercase, names: ["lower"]) { $0.lowercased() },
    ofText(.canonical) { $0.folded([.caseInsensitive, .diacriticInsensitive]) },
    ofText(.trim) { $0.trimmedOfWhiteSpace },
    FunctionTraits(
      .length, 1...1, names: ["len", "char_length"],
      type: typeOfLength
    ) { $0[0].length },
    FunctionTraits(
      .substring, 2...3, names: ["substr"], missing: "a length is not negative",
      type: typeOfSubstring
    ) { arguments in
      guard let text = arguments[0].text, let start = arguments[1].number?.integer else {
        return .null
      }
      guard arguments.count == 3 else { return text.characters(from: start, count: .max) }
      return arguments[2].number?.integer.map { text.characters(from: start, count: $0) } ?? .null
    },
    FunctionTraits(.replace, 3...3, type: Types.ofTexts) { arguments in
      guard let text = arguments[0].text, let part = arguments[1].text,
        let other = arguments[2].text
      else { return .null }
      return .value(.string(text.replacingScalars(part, with: other)))
    },
    FunctionTraits(
      .concat, 1...Int.max,
      type: typeOfJoined
    ) { arguments in
      var text = ""
      for argument in arguments {
        guard let part = argument.cast(to: .string, store: nil)?.text else { return .null }
        text += part
      }
      return .value(.string(text))
    },
  ]

  /// The functions of values of any type.
  static let anyValues: [FunctionTraits] = [
    FunctionTraits(
      .noIndex, 1...1,
      type: typeOfFirst
    ) { $0[0] },
    FunctionTraits(
      .coalesce, 1...Int.max, names: ["ifnull"],
      type: typeOfPresent
    ) { $0.first { !$0.isNull } ?? .null },
  ]

  private static let typeOfLength: TypeRule = { (arguments: FunctionArguments) throws(QueryError) in
    let type = arguments[0]
    guard type.isCollection || type.isComparable(to: .text) || type == .binary else {
      throw arguments.mismatch("a text or a collection", not: type)
    }
    return .number
  }

  private static let typeOfSubstring: TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    try arguments.need(.text, "a text first", to: 1)
    try arguments.need(.number, "numbers after the text", from: 1)
    return .text
  }

  private static let typeOfJoined: TypeRule = { (arguments: FunctionArguments) throws(QueryError) in
    try arguments.needSingleValues()
    return .text
  }

  private static let typeOfFirst: TypeRule = { (arguments: FunctionArguments) throws(QueryError) in
    arguments[0]
  }

  private static let typeOfPresent: TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    try arguments.needSingleValues()
    let known = arguments.types.first { $0 != .null && $0 != .unknown } ?? .unknown
    try arguments.need(known, "values of one type: \(known.words)")
    return arguments.types.contains(.unknown) ? .unknown : known
  }

  private static func ofText(
    _ function: Function, names: [String] = [], _ change: @escaping @Sendable (String) -> String
  ) -> FunctionTraits {
    FunctionTraits(function, 1...1, names: names, type: Types.ofTexts) { arguments in
      arguments[0].text.map { .value(.string(change($0))) } ?? .null
    }
  }
}

extension Operand {
  /// The number of characters, bytes or elements; null for a value without a length.
  var length: Operand {
    switch self {
    case .list(let items): Operand(items.count)
    case .value(.binary(let bytes)): Operand(bytes.count)
    case .value: text.map { Operand($0.count) } ?? .null
    }
  }
}

extension String {
  /// Returns the characters at the positions `start` to `start + count - 1`, counted from 1 as in SQL. Positions
  /// outside the text are ignored. Returns null for a negative count.
  fileprivate func characters(from start: Int64, count: Int64) -> Operand {
    guard count >= 0 else { return .null }
    let (sum, isOver) = start.addingReportingOverflow(count)
    let end = isOver ? Int64.max : sum
    let first = Swift.max(start, 1)
    guard end > first else { return .value(.string("")) }
    // No text has as many characters as the largest number, so the conversions below lose nothing.
    let tail = dropFirst(Int(clamping: first - 1))
    return .value(.string(String(tail.prefix(Int(clamping: end - first)))))
  }

  /// Returns the text with each occurrence of a part replaced, from left to right. The part is compared scalar by
  /// scalar, as `CONTAINS` does. An empty part replaces nothing.
  fileprivate func replacingScalars(_ part: String, with other: String) -> String {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    guard !wanted.isEmpty, wanted.count <= bytes.count else { return self }
    var result: [UInt8] = []
    var index = 0
    var hasFound = false
    while index < bytes.count {
      if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
        result.append(contentsOf: other.utf8)
        index += wanted.count
        hasFound = true
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return hasFound ? String(decoding: result, as: UTF8.self) : self
  }

  /// The text without the scalars of white space at its start and its end.
  fileprivate var trimmedOfWhiteSpace: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }
}
