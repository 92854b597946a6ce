/// A hash function that takes its input piece by piece.
///
///     var hash = SHA256()
///     hash.update(header)
///     hash.update(body)
///     hash.digest()
public protocol HashFunction: Sendable {
  /// What the function makes of its input.
  associatedtype Output: Sendable

  /// The function with no input yet.
  init()

  /// Takes more input.
  mutating func update(_ bytes: RawSpan)

  /// What comes of all input so far. The function itself stays as it is and may take more.
  func digest() -> Output
}

extension HashFunction {
  /// What comes of the given bytes.
  public static func digest(of bytes: RawSpan) -> Output {
    var function = Self()
    function.update(bytes)
    return function.digest()
  }
}
