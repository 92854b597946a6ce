/// A hash function that takes its input piece by piece.
///
///     var hash = SHA256()
///     hash.update(header)
///     hash.update(body)
///     hash.digest()
public protocol HashFunction: Sendable {
  /// The result of the function.
  associatedtype Output: Sendable

  /// Creates the function with no input.
  init()

  mutating func update(_ bytes: RawSpan)

  /// Returns the result for all input so far. The function itself does not change and can take more input.
  func digest() -> Output
}

extension HashFunction {
  /// Returns the result for the given bytes.
  public static func digest(of bytes: RawSpan) -> Output {
    var function = Self()
    function.update(bytes)
    return function.digest()
  }
}
