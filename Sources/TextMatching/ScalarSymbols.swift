/// Numbers for scalars, equal for scalars that the tests of a pattern do not distinguish.
struct ScalarSymbols {
  private let tests: [PreparedTest]
  private var ofASCII = [Int32](repeating: -1, count: 128)
  private var others: [UInt32: Int32] = [:]
  private var numbers: [[UInt64]: Int32] = [:]
  /// For each symbol, a bit for each test.
  private var bits: [[UInt64]] = []

  init(_ tests: [PreparedTest]) { self.tests = tests }

  /// The number of scalars beyond ASCII that already have a symbol.
  var knownCount: Int { others.count }

  @inline(__always)
  mutating func symbol(of scalar: UInt32) -> Int {
    if scalar < 128 {
      let known = ofASCII[Int(scalar)]
      if known >= 0 { return Int(known) }
    }
    return otherSymbol(of: scalar)
  }

  private mutating func otherSymbol(of scalar: UInt32) -> Int {
    if let known = others[scalar] { return Int(known) }
    var found = [UInt64](repeating: 0, count: (tests.count + 63) / 64)
    for (number, test) in tests.enumerated() where test.holds(scalar) {
      found[number / 64] |= 1 << UInt64(number % 64)
    }
    let symbol = numbers[found] ?? Int32(bits.count)
    if symbol == bits.count {
      numbers[found] = symbol
      bits.append(found)
    }
    if scalar < 128 { ofASCII[Int(scalar)] = symbol } else { others[scalar] = symbol }
    return Int(symbol)
  }

  /// Returns whether the scalars of a symbol pass a test.
  func holds(_ test: Int, for symbol: Int) -> Bool {
    bits[symbol][test / 64] >> UInt64(test % 64) & 1 != 0
  }
}
