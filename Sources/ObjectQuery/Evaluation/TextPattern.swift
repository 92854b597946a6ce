// SAFETY: Buffers are read within their counts, and only during the call that lends them.

import Foundation
import ObjectModel
import TextMatching

/// A text prepared for comparison with many texts.
///
/// Without options texts are compared by their UTF-8 bytes. They are equal if the bytes are, and ordered as the bytes
/// are, which is the order of their code points. With `c` or `d` both sides are folded first, pure ASCII in place and
/// other texts by Foundation.
struct TextPattern: Sendable {
  let operation: QueryPredicate.Operator
  let options: TextOptions
  /// The text, folded if the options say so.
  let bytes: [UInt8]
  private let text: String
  private let glob: GlobPattern?
  private let expression: RegularPattern?
  /// The words of an operand of `TEXT`.
  let words: TextMatchers?

  /// Prepares a text for comparison.
  ///
  /// - Throws: ``QueryError`` if the operator is `MATCHES` and the text is not a regular expression, or the operator is `TEXT`
  ///   and the text is not a full-text query.
  init(
    _ text: String, _ operation: QueryPredicate.Operator, _ options: TextOptions
  ) throws(QueryError) {
    self.operation = operation
    self.options = options
    self.text = text
    bytes = Array(text.folded(options).utf8)
    glob = operation == .like ? GlobPattern(bytes) : nil
    expression = operation == .matches ? try TextPattern.expression(text, options) : nil
    words = operation == .text ? try TextMatchers(text) : nil
  }

  /// Whether texts must be folded before their bytes are compared.
  var isFolding: Bool { options.folds }

  /// Whether the order of a text's bytes is sufficient for the comparison.
  var comparesBytes: Bool {
    !isFolding && !options.contains(.localeSensitive) && operation != .matches
      && operation != .text
  }

  private static func expression(
    _ text: String, _ options: TextOptions
  ) throws(QueryError) -> RegularPattern {
    let folded =
      options.contains(.diacriticInsensitive) ? text.folded(.diacriticInsensitive) : text
    do {
      return try RegularPattern(folded, ignoresCase: options.contains(.caseInsensitive))
    } catch { throw QueryError(.badPattern, "\"\(text)\" is not a regular expression.") }
  }

  /// Returns whether the comparison of a text with the pattern is true.
  ///
  /// - Throws: ``QueryError`` with the code ``QueryError/Code/patternLimit`` if a regular expression takes too many
  ///   steps.
  func holds(_ other: String) throws -> Bool {
    var other = other
    return try other.withUTF8 { try unsafe holds(UnsafeRawBufferPointer($0)) }
  }

  /// Returns whether the comparison of a text in UTF-8 with the pattern is true.
  ///
  /// - Throws: ``QueryError`` with the code ``QueryError/Code/patternLimit`` if a regular expression takes too many
  ///   steps.
  func holds(_ other: UnsafeRawBufferPointer) throws -> Bool {
    if let expression { return try unsafe matches(expression, other) }
    if let words { return unsafe words.match(other) }
    if options.contains(.localeSensitive) {
      return holdsInLocale(unsafe String(decoding: other, as: UTF8.self))
    }
    guard isFolding else { return unsafe compare(other) }
    if unsafe !other.isASCII {
      var folded = unsafe String(decoding: other, as: UTF8.self).folded(options)
      return folded.withUTF8 { unsafe compare(UnsafeRawBufferPointer($0)) }
    }
    guard options.contains(.caseInsensitive) else { return unsafe compare(other) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: other.count, alignment: 1) { lower in
      unsafe lowercaseASCII(other, into: lower)
      return unsafe compare(UnsafeRawBufferPointer(lower))
    }
  }

  private func matches(
    _ expression: RegularPattern, _ other: UnsafeRawBufferPointer
  ) throws -> Bool {
    do {
      guard options.contains(.diacriticInsensitive), unsafe !other.isASCII else {
        return try unsafe expression.matches(utf8: other)
      }
      return try expression.matches(
        unsafe String(decoding: other, as: UTF8.self).folded(.diacriticInsensitive))
    } catch {
      guard case .tooManySteps(let limit) = error else { throw error }
      throw QueryError(
        .patternLimit,
        """
        MATCHES can't match a text of \(other.count) bytes with the pattern \
        "\(text.prefix(80))" within \(limit) steps. Write the pattern without back-references, \
        atomic groups and nested repetitions.
        """)
    }
  }

  /// Returns whether the comparison of folded bytes with the pattern's bytes is true.
  private func compare(_ other: UnsafeRawBufferPointer) -> Bool {
    unsafe bytes.withUnsafeBytes { pattern in
      switch operation {
      case .equal: unsafe sameBytes(other, pattern)
      case .notEqual: unsafe !sameBytes(other, pattern)
      case .lessThan: unsafe orderOfBytes(other, pattern) == .less
      case .lessThanOrEqual: unsafe orderOfBytes(other, pattern) != .greater
      case .greaterThan: unsafe orderOfBytes(other, pattern) == .greater
      case .greaterThanOrEqual: unsafe orderOfBytes(other, pattern) != .less
      case .beginsWith:
        unsafe other.count >= pattern.count
          && sameBytes(UnsafeRawBufferPointer(rebasing: other.prefix(pattern.count)), pattern)
      case .endsWith:
        unsafe other.count >= pattern.count
          && sameBytes(UnsafeRawBufferPointer(rebasing: other.suffix(pattern.count)), pattern)
      case .contains: unsafe firstPlace(of: pattern, in: other) != nil
      case .like: unsafe glob!.matches(other)
      case .matches, .text, .in, .between: false
      }
    }
  }

  private func holdsInLocale(_ other: String) -> Bool {
    let options = options.foundationOptions
    func finds(_ more: String.CompareOptions) -> Bool {
      text.isEmpty
        || other.range(of: text, options: options.union(more), locale: .current) != nil
    }
    func order() -> ComparisonResult {
      other.compare(text, options: options, range: nil, locale: .current)
    }
    return switch operation {
    case .equal: order() == .orderedSame
    case .notEqual: order() != .orderedSame
    case .lessThan: order() == .orderedAscending
    case .lessThanOrEqual: order() != .orderedDescending
    case .greaterThan: order() == .orderedDescending
    case .greaterThanOrEqual: order() != .orderedAscending
    case .beginsWith: finds(.anchored)
    case .endsWith: finds([.anchored, .backwards])
    case .contains: finds([])
    case .like:
      unsafe Array(other.folded(self.options).utf8).withUnsafeBytes { unsafe glob!.matches($0) }
    case .matches, .text, .in, .between: false
    }
  }
}

extension TextOptions {
  /// Whether texts must be folded before they are compared.
  var folds: Bool { !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) }

  var foundationOptions: String.CompareOptions {
    var options: String.CompareOptions = []
    if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    return options
  }
}

extension String {
  /// Returns the text without the differences that the options ignore.
  func folded(_ options: TextOptions) -> String {
    guard options.folds else { return self }
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? lowercased() : self
    }
    return folding(options: options.foundationOptions, locale: nil)
  }
}

/// Returns the order of two texts with the given options.
func orderOfTexts(_ left: String, _ right: String, _ options: TextOptions) -> Order {
  if options.contains(.localeSensitive) {
    let result = left.compare(
      right, options: options.foundationOptions, range: nil, locale: .current)
    return Order(rawValue: result.rawValue) ?? .same
  }
  var left = left.folded(options)
  var right = right.folded(options)
  return left.withUTF8 { left in
    right.withUTF8 { right in
      unsafe orderOfBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    }
  }
}

// MARK: - Bytes

@inline(__always)
func sameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard left.count > 0 else { return true }
  return unsafe memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
}

@inline(__always)
func orderOfBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Order {
  let shared = min(left.count, right.count)
  if shared > 0 {
    let order = unsafe memcmp(left.baseAddress!, right.baseAddress!, shared)
    if order != 0 { return order < 0 ? .less : .greater }
  }
  return Order(left.count, right.count)
}

/// Returns the first occurrence of a pattern at or after a start, or `nil` if it does not occur.
///
/// The function tests eight positions at a time for both the first and the last byte of the pattern.
func firstPlace(
  of pattern: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, from start: Int = 0
) -> Int? {
  let last = pattern.count - 1
  if last < 0 { return start }
  let end = bytes.count - last
  guard start < end, let text = bytes.baseAddress else { return nil }
  let ones: UInt64 = 0x0101_0101_0101_0101
  let firsts = unsafe UInt64(pattern[0]) &* ones
  let lasts = unsafe UInt64(pattern[last]) &* ones
  var place = start
  while place &+ 8 <= end {
    let differences =
      unsafe (text.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ firsts)
      | (text.loadUnaligned(fromByteOffset: place &+ last, as: UInt64.self) ^ lasts)
    // A bit is set where a byte is zero, and possibly in the byte above one. So each candidate is checked.
    var candidates = UInt64(
      littleEndian: (differences &- ones) & ~differences & 0x8080_8080_8080_8080)
    while candidates != 0 {
      let candidate = place &+ candidates.trailingZeroBitCount &>> 3
      if unsafe memcmp(text + candidate, pattern.baseAddress!, last &+ 1) == 0 { return candidate }
      candidates &= candidates &- 1
    }
    place &+= 8
  }
  while place < end {
    if unsafe memcmp(text + place, pattern.baseAddress!, last &+ 1) == 0 { return place }
    place &+= 1
  }
  return nil
}

extension UnsafeRawBufferPointer {
  /// Whether every byte is ASCII.
  var isASCII: Bool {
    var index = 0
    while index &+ 8 <= count {
      if unsafe loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
        return false
      }
      index &+= 8
    }
    while index < count {
      if unsafe self[index] >= 0x80 { return false }
      index &+= 1
    }
    return true
  }
}

/// Writes ASCII bytes with capital letters changed to lower case.
@inline(__always)
func lowercaseASCII(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
  precondition(target.count >= source.count, "The target must have room for the source.")
  guard let from = source.baseAddress, let to = target.baseAddress else { return }
  for i in 0..<(source.count) {
    let byte = unsafe from.load(fromByteOffset: i, as: UInt8.self)
    let isCapital = byte &- 0x41 < 26
    unsafe to.storeBytes(of: isCapital ? byte | 0x20 : byte, toByteOffset: i, as: UInt8.self)
  }
}

// MARK: - LIKE and MATCHES

/// A pattern of `LIKE`: `?` matches one character, `*` any number of characters, and a backslash escapes the next
/// character.
struct GlobPattern: Sendable {
  private enum Part {
    case byte(UInt8)
    case one
    case many
  }

  private var parts: [Part] = []

  init(_ pattern: [UInt8]) {
    var isEscaped = false
    for byte in pattern {
      switch byte {
      case _ where isEscaped:
        parts.append(.byte(byte))
        isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "?"): parts.append(.one)
      case UInt8(ascii: "*"):
        if case .many? = parts.last { continue }
        parts.append(.many)
      default: parts.append(.byte(byte))
      }
    }
    if isEscaped { parts.append(.byte(UInt8(ascii: "\\"))) }
  }

  /// Returns whether the whole text matches the pattern. The time is at most proportional to the text's length times
  /// the pattern's length, for every pattern.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    var part = 0
    // The state to return to if the parts after the last `*` do not match: the `*` then takes one more byte.
    var retry: (place: Int, part: Int)?
    while true {
      if part < parts.count, case .many = parts[part] {
        retry = (place, part + 1)
        part += 1
        continue
      }
      if place == text.count, part == parts.count { return true }
      if place < text.count, part < parts.count,
        let length = unsafe length(of: parts[part], at: place, in: text)
      {
        place += length
        part += 1
        continue
      }
      guard let last = retry, last.place < text.count else { return false }
      retry = (last.place + 1, last.part)
      place = last.place + 1
      part = last.part
    }
  }

  /// Returns the number of bytes that a part matches at a position, or `nil` if it does not match there.
  private func length(of part: Part, at place: Int, in text: UnsafeRawBufferPointer) -> Int? {
    let byte = unsafe text[place]
    switch part {
    case .byte(let expected): return byte == expected ? 1 : nil
    case .one:
      // The position may be inside a character, if a `*` stopped there.
      if byte & 0xC0 == 0x80 { return nil }
      var length = 1
      while place + length < text.count, unsafe text[place + length] & 0xC0 == 0x80 {
        length += 1
      }
      return length
    case .many: return nil
    }
  }
}
