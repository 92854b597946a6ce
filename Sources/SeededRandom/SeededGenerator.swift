/// A generator of random numbers that a seed reproduces.
///
///     var random = SeededGenerator()
///     #expect(law(&random), "\(random)")      // A failure prints the seed.
///
/// To repeat a failure, give the printed seed to ``init(seed:)``. The generator is SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  /// The seed that determines all numbers.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator from a seed. The default is a random seed.
  public init(seed: UInt64 = .random(in: 0 ... .max)) {
    self.seed = seed
    state = seed
  }

  /// The seed, for the message of a failed test.
  public var description: String { "seed \(seed)" }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
