public import Foundation

// Objects of the common classes, in the form that `ArchivedObject` reads.

extension KeyedArchiveWriter {
  /// Adds an array or a set of the given members, in this order.
  public mutating func array(
    _ members: [PropertyList], as archivedClass: ArchivedClass = .array
  ) -> PropertyList {
    add(archivedClass, ["NS.objects": .array(members)])
  }

  /// Adds a dictionary of the given values, in this order.
  public mutating func dictionary(
    _ members: [(name: String, value: PropertyList)], as archivedClass: ArchivedClass = .dictionary
  ) -> PropertyList {
    let names = members.map { text($0.name) }
    return add(
      archivedClass, ["NS.keys": .array(names), "NS.objects": .array(members.map(\.value))])
  }

  /// Adds a dictionary of the given texts, sorted by name.
  public mutating func dictionary(_ texts: [String: String]) -> PropertyList {
    let members = texts.sorted { $0.key < $1.key }.map { (name: $0.key, value: text($0.value)) }
    return dictionary(members)
  }

  public mutating func date(_ date: Date) -> PropertyList {
    add(.date, ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
  }

  public mutating func uuid(_ uuid: UUID) -> PropertyList {
    let bytes = uuid.uuid
    return add(
      .uuid,
      [
        "NS.uuidbytes": .data(
          Data([
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8,
            bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
          ]))
      ])
  }

  /// Adds a URL without a base.
  public mutating func url(_ text: String) -> PropertyList {
    add(.url, ["NS.base": Self.nothing, "NS.relative": self.text(text)])
  }

  /// Adds a decimal number. NaN becomes zero.
  public mutating func decimal(_ decimal: Decimal) -> PropertyList {
    // The text contains all digits and no exponent.
    let text = decimal.description
    let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
    var digits = parts.joined()
    var exponent = parts.count > 1 ? -parts[1].count : 0
    while digits.count > 1, digits.hasSuffix("0"), exponent < Int(Int8.max) {
      digits.removeLast()
      exponent += 1
    }
    let magnitude = UInt128(digits) ?? 0
    // Eight parts of 16 bits, the lowest part first, each with its low byte first.
    let mantissa = (0..<16).map { UInt8(truncatingIfNeeded: magnitude >> (8 * UInt128($0))) }
    let unused = magnitude.leadingZeroBitCount / 16
    return add(
      .decimal,
      [
        "NS.mantissa": .data(Data(mantissa)), "NS.mantissa.bo": .integer(1),
        "NS.exponent": .integer(magnitude == 0 ? 0 : Int64(exponent)),
        "NS.negative": .boolean(magnitude != 0 && text.hasPrefix("-")),
        "NS.length": .integer(Int64(8 - unused)), "NS.compact": .boolean(false),
      ])
  }
}
