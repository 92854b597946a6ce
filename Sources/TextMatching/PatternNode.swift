/// A part of a regular expression that an automaton can decide.
///
/// Only whether a whole text matches is asked, so greedy and lazy repetitions are the same.
indirect enum PatternNode: Sendable {
  /// One scalar that passes a test, by the number of the test.
  case scalar(Int)
  /// Consecutive letters without regard to case. For each place the tests of a scalar that begins
  /// there, with the number of letters that the scalar stands for: `ß` stands for two.
  case word([[WordEdge]])
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A part at least and at most so many times; any number of times if there is no greatest one.
  case repetition(PatternNode, least: Int, most: Int?)
  case assertion(PatternAssertion)
  /// Whether a part matches a stretch that begins, or ends, at the place.
  case look(PatternNode, isBehind: Bool, isNegated: Bool)

  static let nothing = PatternNode.sequence([])

  /// The part that matches the same stretches read from their ends.
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
  /// The number of its test.
  var test: Int
  /// The number of letters that it stands for.
  var width: Int
}

/// A condition on a place between two scalars.
enum PatternAssertion: UInt8, Sendable {
  /// The start of the text.
  case textStart
  /// The end of the text.
  case textEnd
  /// The end of the text, or before the line end that is its last.
  case lastLineEnd
  /// The start of any line.
  case lineStart
  /// The end of any line.
  case lineEnd
  /// Between a word and something else.
  case wordBoundary
  /// Not between a word and something else.
  case noWordBoundary
  /// Not before a line feed.
  case notBeforeLineFeed
  /// Nowhere.
  case never
}
