import TextMatching

/// A pattern of a model that matches whole texts. It gives up on texts that take too many steps.
struct BoundedPattern {
  private let expression: RegularPattern
  /// The number of steps left for back-references and similar constructs, for all texts together.
  private var stepsLeft = 20_000_000
  private var failuresLeft = 4

  /// Creates the pattern; `nil` if the text is not a regular expression.
  init?(_ pattern: String) {
    guard let expression = try? RegularPattern(pattern) else { return nil }
    self.expression = expression
  }

  /// The text of the pattern.
  var pattern: String { expression.text }

  /// Whether the step limit is used up.
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
