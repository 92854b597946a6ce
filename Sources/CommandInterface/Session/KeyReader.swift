/// A key that was pressed.
package enum Key: Equatable {
  case text(Unicode.Scalar)
  case enter, tab, escape, backspace, delete
  case left, right, up, down, home, end, wordLeft, wordRight
  case control(Character)
  case unknown
}

/// Converts the bytes that a terminal sends to keys: UTF-8, control characters and escape sequences.
package struct KeyReader {
  private var pending: [UInt8] = []

  /// Reads one byte.
  ///
  /// - Returns: The key that the byte completes; `nil` if more bytes follow.
  package mutating func take(_ byte: UInt8) -> Key? {
    if pending.first == 0x1B { return takeSequence(byte) }
    if !pending.isEmpty { return takeText(byte) }
    switch byte {
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x7F, 0x08: return .backspace
    case 0x1B:
      pending = [byte]
      return nil
    case 1...26: return .control(Character(Unicode.Scalar(byte + 0x60)))
    case ..<0x20: return .unknown
    case ..<0x80: return .text(Unicode.Scalar(byte))
    case 0xC2..<0xF5:
      pending = [byte]
      return nil
    default: return .unknown
    }
  }

  private mutating func takeText(_ byte: UInt8) -> Key? {
    guard (0x80..<0xC0).contains(byte) else {
      pending = []
      return take(byte)
    }
    pending.append(byte)
    let wanted = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
    guard pending.count == wanted else { return nil }
    defer { pending = [] }
    return String(validating: pending, as: UTF8.self)?.unicodeScalars.first.map { .text($0) }
      ?? .unknown
  }

  private mutating func takeSequence(_ byte: UInt8) -> Key? {
    pending.append(byte)
    if pending.count == 2 {
      switch byte {
      case 0x5B, 0x4F: return nil
      default:
        pending = []
        switch byte {
        case 0x62: return .wordLeft
        case 0x66: return .wordRight
        case 0x1B: return .escape
        default: return .unknown
        }
      }
    }
    // The parameters of a sequence come before a letter or a tilde.
    guard (0x40...0x7E).contains(byte) else {
      if pending.count > 16 { pending = [] }
      return nil
    }
    let parameters = String(decoding: pending[2..<pending.count - 1], as: UTF8.self)
    pending = []
    let isWithControl = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
    switch (byte, parameters) {
    case (0x41, _): return .up
    case (0x42, _): return .down
    case (0x43, _): return isWithControl ? .wordRight : .right
    case (0x44, _): return isWithControl ? .wordLeft : .left
    case (0x48, _), (0x7E, "1"), (0x7E, "7"): return .home
    case (0x46, _), (0x7E, "4"), (0x7E, "8"): return .end
    case (0x7E, "3"): return .delete
    default: return .unknown
    }
  }
}
