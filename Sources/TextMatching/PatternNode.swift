/// A part of a regular expression that an automaton can decide.
///
/// Only matches of a whole text are needed, so greedy and lazy repetitions have the same result.
indirect enum PatternNode: Sendable {
  /// One scalar that passes a test, given by the number of the test.
  case scalar(Int)
  /// Consecutive letters, compared without case. Each place has the tests for a scalar that begins there, with the
  /// number of letters that the scalar stands for: `ß` stands for two.
  case word([[WordEdge]])
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A part repeated at least and at most the given number of times; without an upper limit if `most` is `nil`.
  case repetition(PatternNode, least: Int, most: Int?)
  case assertion(PatternAssertion)
  /// A condition that a part matches a stretch that begins, or ends, at the place.
  case look(PatternNode, isBehind: Bool, isNegated: Bool)

  static let nothing = PatternNode.sequence([])

  /// The part that matches the same stretches in reverse.
  var reversed: PatternNode {
    switch self {
    case .scalar, .assertion, .look: self
    case .word(let places):
      .word(
        places.indices.map { place in
          let end = places.count - place
          return places.indices.flatMap { start in
            places[start].filter { start + $0.width == end }
          }
        })
    case .sequence(let parts): .sequence(parts.reversed().map(\.reversed))
    case .choice(let parts): .choice(parts.map(\.reversed))
    case .repetition(let part, let least, let most):
      .repetition(part.reversed, least: least, most: most)
    }
  }
}

/// A scalar within consecutive letters.
struct WordEdge: Sendable {
  /// The number of the scalar's test.
  var test: Int
  /// The number of letters that the scalar stands for.
  var width: Int
}

/// A condition on a place between two scalars.
enum PatternAssertion: UInt8, Sendable {
  case textStart
  case textEnd
  /// The end of the text, or the place before a line end at the end of the text.
  case lastLineEnd
  case lineStart
  case lineEnd
  /// A place between a word and something else.
  case wordBoundary
  /// A place that is not between a word and something else.
  case noWordBoundary
  /// A place that is not before a line feed.
  case notBeforeLineFeed
  case never
}
