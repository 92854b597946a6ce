/// A decimal number in the form of PostgreSQL's `numeric`: a sign, a whole number and a power of ten.
public struct PostgreSQLNumeric: Sendable, Hashable {
  /// Whether the number is below zero.
  public var isNegative: Bool
  public var magnitude: UInt128
  /// The power of ten by which the whole number is multiplied.
  public var exponent: Int

  /// Creates a number from its parts.
  public init(isNegative: Bool, magnitude: UInt128, exponent: Int) {
    (self.isNegative, self.magnitude, self.exponent) = (isNegative, magnitude, exponent)
  }

  private enum Sign {
    static let plus: UInt16 = 0
    static let minus: UInt16 = 0x4000
    static let notANumber: UInt16 = 0xC000
  }

  /// Writes the bytes of a number: groups of four decimal digits, the first group's power of 10,000, the sign, and the
  /// number of digits after the point.
  static func write(_ number: PostgreSQLNumeric?, into values: inout BinaryValues) {
    guard let number else {
      for word in [0, 0, Sign.notANumber, 0] as [UInt16] { values.word(word) }
      return
    }
    var magnitude = number.magnitude
    // The power of the last group must be a multiple of four.
    let rest = ((number.exponent % 4) + 4) % 4
    var power = (number.exponent - rest) / 4
    var groups: [UInt16] = []
    if rest > 0 {
      // The factor can exceed 128 bits only by a few digits, so the last group is split off first.
      let factor = ([1, 10, 100, 1000] as [UInt128])[rest]
      let split = ([1, 1000, 100, 10] as [UInt128])[rest]
      groups.append(UInt16(magnitude % split * factor))
      magnitude /= split
    }
    while magnitude > 0 {
      groups.append(UInt16(magnitude % 10_000))
      magnitude /= 10_000
    }
    // Neither end of a number has groups of zeros.
    while groups.last == 0 { groups.removeLast() }
    let zeros = groups.prefix { $0 == 0 }.count
    groups.removeFirst(zeros)
    power += zeros
    values.word(Int16(groups.count))
    values.word(Int16(groups.isEmpty ? 0 : groups.count - 1 + power))
    values.word(number.isNegative && !groups.isEmpty ? Sign.minus : Sign.plus)
    values.word(Int16(max(0, -number.exponent)))
    for group in groups.reversed() { values.word(group) }
  }

  /// Reads a number from its bytes.
  ///
  /// - Returns: The number, or `nil` in it for "not a number"; `nil` if the bytes are not a number, or the number has more
  ///   digits than 128 bits have room for, or is infinite.
  static func read(_ bytes: RawSpan) -> PostgreSQLNumeric?? {
    guard bytes.byteCount >= 8 else { return nil }
    func word(_ index: Int) -> UInt16 { bytes.orderedInteger(at: 2 * index) }
    let count = Int(word(0))
    guard bytes.byteCount == 8 + 2 * count else { return nil }
    let weight = Int(Int16(bitPattern: word(1)))
    switch word(2) {
    case Sign.plus, Sign.minus: break
    case Sign.notANumber: return .some(nil)
    default: return nil
    }
    var magnitude: UInt128 = 0
    var power = weight + 1
    for index in 0..<count {
      let group = word(4 + index)
      guard group < 10_000 else { return nil }
      power -= 1
      // The zeros at the end of the last group are a power of ten, and need no room.
      let (digits, dropped) =
        index == count - 1 ? PostgreSQLNumeric.trimmed(group) : (group, 0)
      let factor = ([10_000, 1000, 100, 10, 1] as [UInt128])[dropped]
      let (product, overflows) = magnitude.multipliedReportingOverflow(by: factor)
      let (sum, carries) = product.addingReportingOverflow(UInt128(digits))
      guard !overflows, !carries else { return nil }
      magnitude = sum
      if index == count - 1 {
        return PostgreSQLNumeric(
          isNegative: word(2) == Sign.minus, magnitude: magnitude, exponent: power * 4 + dropped)
      }
    }
    return PostgreSQLNumeric(isNegative: false, magnitude: 0, exponent: 0)
  }

  private static func trimmed(_ group: UInt16) -> (UInt16, Int) {
    var (group, dropped) = (group, 0)
    while group != 0, group % 10 == 0 {
      group /= 10
      dropped += 1
    }
    return (group, dropped)
  }
}
