import TextMatching

/// A pattern of a model that whole texts are matched with, giving up on those that take too long.
struct BoundedPattern {
  private let expression: RegularPattern
  /// The steps that back-references and the like may still take, in all texts together.
  private var stepsLeft = 20_000_000
  private var failuresLeft = 4

  /// The pattern; `nil` when it is no regular expression.
  init?(_ pattern: String) {
    guard let expression = try? RegularPattern(pattern) else { return nil }
    self.expression = expression
  }

  /// The text of the pattern.
  var pattern: String { expression.text }

  /// Whether so many steps were spent that no more should be.
  var isExhausted: Bool { stepsLeft <= 0 || failuresLeft <= 0 }

  /// Returns whether the whole text matches; `nil` if that takes too many steps.
  mutating func matches(_ text: String) -> Bool? {
    guard !isExhausted else { return nil }
    do { return try expression.matches(text, fallbackSteps: &stepsLeft) } catch {
      failuresLeft -= 1
      return nil
    }
  }
}
