extension Character {
  /// How many columns of a terminal the character takes: two for wide ones of East Asia and for pictures, none for
  /// what only changes others.
  var displayWidth: Int { unicodeScalars.map(\.displayWidth).max() ?? 0 }
}

extension String {
  /// How many columns of a terminal the text takes.
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case .control: return 2
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
