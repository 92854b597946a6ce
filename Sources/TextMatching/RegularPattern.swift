// SAFETY: Texts are lent by the caller for the call, and read by `ScalarReader` within their bounds.

import Foundation
import Synchronization

/// A regular expression that is matched with whole texts, in bounded time.
///
///     let plate = try RegularPattern("[A-Z]{3}-\\d+")
///     try plate.matches("ABC-12")      // true
///
/// The syntax is that of ICU, which Foundation uses. An automaton decides patterns without back-references and atomic
/// groups. For every pattern, its time is at most proportional to the length of the text times the length of the
/// pattern. Foundation decides the other patterns, within a number of steps. A text that needs more steps is an
/// error, never "no match".
package struct RegularPattern: Sendable {
  /// The largest number of steps of an automaton for one text.
  package static let automatonStepLimit = 200_000_000
  /// The largest number of steps that Foundation reports for one text.
  package static let fallbackStepLimit = 5_000_000
  package let text: String
  private let engine: Engine

  private enum Engine: Sendable {
    case table(SharedTable)
    case positions(PositionMatcher)
    case foundation(BoundedExpression)
  }

  /// Reads a pattern.
  ///
  /// - Throws: ``PatternFault/notAPattern`` if Foundation does not accept the pattern.
  package init(_ text: String, ignoresCase: Bool = false) throws(PatternFault) {
    self.text = text
    // Foundation judges the syntax of a pattern that is not plain.
    let judged =
      PlainPattern.accepts(text) ? nil : try BoundedExpression(text, ignoresCase: ignoresCase)
    guard let program = PatternProgram(text, ignoresCase: ignoresCase) else {
      let expression =
        if let judged { judged } else { try BoundedExpression(text, ignoresCase: ignoresCase) }
      engine = .foundation(expression)
      return
    }
    engine =
      program.needsPositions
      ? .positions(PositionMatcher(program)) : .table(SharedTable(program))
  }

  /// Whether an automaton decides the pattern.
  package var isRegular: Bool { if case .foundation = engine { false } else { true } }

  /// Returns whether the whole text matches.
  ///
  /// - Throws: ``PatternFault/tooManySteps(limit:)`` if the match takes more steps than the limit.
  package func matches(_ text: String) throws(PatternFault) -> Bool {
    var steps = Self.fallbackStepLimit
    return try matches(text, fallbackSteps: &steps)
  }

  /// Returns whether the whole text matches, and subtracts the steps that Foundation reports from `fallbackSteps`.
  ///
  /// - Throws: ``PatternFault/tooManySteps(limit:)`` if the match takes more steps than the limit.
  package func matches(
    _ text: String, fallbackSteps: inout Int
  ) throws(PatternFault) -> Bool {
    if case .foundation(let expression) = engine {
      return try expression.matches(text, &fallbackSteps)
    }
    var text = text
    let result = text.withUTF8 { bytes in
      Result { () throws(PatternFault) in
        try unsafe matches(utf8: UnsafeRawBufferPointer(bytes))
      }
    }
    return try result.get()
  }

  /// Returns whether the whole text, which must be valid UTF-8, matches.
  ///
  /// - Throws: ``PatternFault/tooManySteps(limit:)`` if the match takes more steps than the limit.
  package func matches(utf8 text: UnsafeRawBufferPointer) throws(PatternFault) -> Bool {
    let reader = unsafe ScalarReader(text)
    switch engine {
    case .table(let table): return try table.matches(reader)
    case .positions(let matcher): return try matcher.matches(reader)
    case .foundation(let expression):
      var steps = Self.fallbackStepLimit
      return try expression.matches(unsafe String(decoding: text, as: UTF8.self), &steps)
    }
  }
}

/// The reason why a pattern can't be compiled or matched.
package enum PatternFault: Error, Sendable, Hashable {
  /// The text is not a regular expression.
  case notAPattern
  /// A text needs more steps than the limit.
  case tooManySteps(limit: Int)
}

/// Reads the scalars of a UTF-8 text, one after another.
@safe
struct ScalarReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  @unsafe init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  var byteCount: Int { unsafe bytes.count }

  /// Returns the next scalar's number; `nil` at the end.
  @inline(__always)
  mutating func next() -> UInt32? {
    guard offset < byteCount else { return nil }
    let first = unsafe bytes[offset]
    offset &+= 1
    if first < 0x80 { return UInt32(first) }
    return rest(first)
  }

  private mutating func rest(_ first: UInt8) -> UInt32 {
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    var scalar = UInt32(first) & (count == 3 ? 0x07 : count == 2 ? 0x0F : 0x1F)
    for _ in 0..<count {
      guard offset < byteCount, unsafe bytes[offset] & 0xC0 == 0x80 else { return 0xFFFD }
      scalar = scalar << 6 | UInt32(unsafe bytes[offset] & 0x3F)
      offset &+= 1
    }
    return scalar
  }
}
