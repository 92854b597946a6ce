extension Character {
  /// The width of the character in columns of a terminal: two for wide characters of East Asia and for emoji, none for
  /// characters that only modify another character.
  package var displayWidth: Int {
    let scalars = unicodeScalars
    // The variation selector U+FE0F asks for the emoji form of a character that is text by default.
    if scalars.count > 1, scalars.contains("\u{FE0F}") { return 2 }
    return scalars.map(\.displayWidth).max() ?? 0
  }
}

extension String {
  /// The width of the text in columns of a terminal.
  package var displayWidth: Int {
    let bytes = utf8
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return bytes.count }
    return reduce(0) { $0 + $1.displayWidth }
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    // A soft hyphen and the signs before Arabic numbers are visible, although their category is format.
    switch value {
    case 0x20..<0x7F, 0xAD, 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2: return 1
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case .control: return 2
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
      0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
