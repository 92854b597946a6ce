/// Numbers with a decimal comma, as much of Europe writes them: `3,50`, `1.234,50`.
enum DecimalComma {
  /// Returns a number with a decimal point and without the points between its thousands; `nil` for any other text.
  static func pointed(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    var pointed: [UInt8] = []
    /// The digits since the last point; `nil` behind the comma.
    var group: Int? = 0
    var hasGroups = false
    for (place, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "-") where place == 0: pointed.append(byte)
      case 0x30...0x39:
        pointed.append(byte)
        group? += 1
      case UInt8(ascii: "."):
        // The first group has one to three digits, and the others have three.
        guard let count = group, hasGroups ? count == 3 : (1...3).contains(count) else {
          return nil
        }
        (group, hasGroups) = (0, true)
      case UInt8(ascii: ","):
        guard let count = group, hasGroups ? count == 3 : count > 0 else { return nil }
        pointed.append(UInt8(ascii: "."))
        group = nil
      default: return nil
      }
    }
    if let group, hasGroups ? group != 3 : group == 0 { return nil }
    return pointed.last == UInt8(ascii: ".") ? nil : pointed
  }
}
