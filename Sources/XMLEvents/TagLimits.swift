// SAFETY: Before every read of eight bytes, the code checks that they lie within the span.

/// Finds start tags that exceed a limit before libxml2 sees them.
///
/// libxml2 compares each attribute of a tag with all attributes before it, so the time grows with the square of their
/// number. This scanner reads the text in UTF-8, in pieces of any size. In a well-formed text it follows the markup
/// exactly. In a malformed text it may count too many attributes, but never too few before the first error.
struct TagLimits {
  private enum State {
    /// Text between tags, or the internal subset of a document type.
    case content
    /// After the `<` of markup of unknown kind.
    case angle
    case bang
    case bangDash
    /// After `<![` and the given number of characters of `CDATA[`.
    case sectionName(Int)
    case tag
    /// In a comment, a CDATA section, a processing instruction or an end tag. It ends at a `>` that follows `count`
    /// bytes equal to `mark`.
    case skipped(mark: UInt8, count: Int)
    /// In a declaration that begins with `<!`.
    case declaration
  }

  private let attributeCount: Int
  private let nameByteCount: Int
  private var state = State.content
  /// Whether the text is in the internal subset of the document type.
  private var isInSubset = false
  /// The open quotation mark in a tag or a declaration; 0 if none is open.
  private var quote: UInt8 = 0
  /// The number of attributes of the open tag.
  private var count = 0
  /// The number of bytes since the last white space or value of the open tag.
  private var nameLength = 0
  /// The number of marks (see `State.skipped`) at the end of the previous piece.
  private var marks = 0

  init(_ limits: XMLLimits) {
    attributeCount = limits.attributeCount
    nameByteCount = limits.nameByteCount
  }

  /// A start tag that exceeds a limit.
  struct Excess {
    /// The number of bytes of the piece before the tag; 0 if the tag began in an earlier piece.
    let offset: Int
    /// Whether a name is too long; otherwise there are too many attributes.
    let isName: Bool
  }

  /// Reads the next piece of the text.
  ///
  /// - Returns: The first tag that exceeds a limit; `nil` if there is none so far.
  mutating func scan(_ piece: Span<UInt8>) -> Excess? {
    var index = 0
    var start = 0
    while index < piece.count {
      switch state {
      case .content:
        guard let found = nextMarkup(in: piece, from: index) else { return nil }
        index = found + 1
        if piece[found] == UInt8(ascii: "]") {
          (state, isInSubset, quote) = (.declaration, false, 0)
        } else {
          (state, start) = (.angle, found)
        }
      case .angle:
        classify(piece[index])
        guard case .tag = state else {
          index += 1
          continue
        }
        // A shorter tag can't exceed a limit, and no tag contains a `<`.
        if let next = TagLimits.firstIndex(of: UInt8(ascii: "<"), in: piece, from: index),
          next - index < min(4 * attributeCount, nameByteCount)
        {
          (state, index) = (.content, next)
        }
      case .bang:
        switch piece[index] {
        case UInt8(ascii: "-"): (state, index) = (.bangDash, index + 1)
        case UInt8(ascii: "[") where !isInSubset: (state, index) = (.sectionName(0), index + 1)
        default: (state, quote) = (.declaration, 0)
        }
      case .bangDash:
        guard piece[index] == UInt8(ascii: "-") else {
          (state, quote) = (.declaration, 0)
          continue
        }
        (state, marks, index) = (.skipped(mark: UInt8(ascii: "-"), count: 2), 0, index + 1)
      case .sectionName(let length):
        guard piece[index] == TagLimits.sectionName[length] else {
          (state, quote) = (.declaration, 0)
          continue
        }
        index += 1
        state = .sectionName(length + 1)
        if length + 1 == TagLimits.sectionName.count {
          (state, marks) = (.skipped(mark: UInt8(ascii: "]"), count: 2), 0)
        }
      case .skipped(let mark, let needed): index = skip(piece, from: index, mark, needed)
      case .declaration: index = readDeclaration(piece, from: index)
      case .tag:
        if let isName = readTag(piece, from: &index) {
          return Excess(offset: start, isName: isName)
        }
      }
    }
    return nil
  }

  private static let sectionName = Array("CDATA[".utf8)

  /// Determines the kind of markup from the byte after `<`.
  private mutating func classify(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "/"): (state, marks) = (.skipped(mark: 0, count: 0), 0)
    case UInt8(ascii: "?"): (state, marks) = (.skipped(mark: UInt8(ascii: "?"), count: 1), 0)
    case UInt8(ascii: "!"): state = .bang
    default: (state, quote, count, nameLength) = (.tag, 0, 0, 0)
    }
  }

  /// Returns the index of the next `<`, or of the `]` that ends the internal subset.
  private func nextMarkup(in piece: Span<UInt8>, from start: Int) -> Int? {
    guard isInSubset else {
      return TagLimits.firstIndex(of: UInt8(ascii: "<"), in: piece, from: start)
    }
    var index = start
    while index < piece.count {
      if piece[index] == UInt8(ascii: "<") || piece[index] == UInt8(ascii: "]") { return index }
      index += 1
    }
    return nil
  }

  /// Skips markup without attributes.
  ///
  /// - Returns: The index after the end of the markup, or the end of the piece.
  private mutating func skip(
    _ piece: Span<UInt8>, from start: Int, _ mark: UInt8, _ needed: Int
  ) -> Int {
    var index = start
    while let end = TagLimits.firstIndex(of: UInt8(ascii: ">"), in: piece, from: index) {
      if marks(before: end, in: piece, from: start, mark, needed) >= needed {
        state = .content
        return end + 1
      }
      index = end + 1
    }
    marks = marks(before: piece.count, in: piece, from: start, mark, needed)
    return piece.count
  }

  /// Returns the number of bytes equal to `mark` directly before an index, including those at the end of the previous
  /// piece.
  private func marks(
    before end: Int, in piece: Span<UInt8>, from start: Int, _ mark: UInt8, _ needed: Int
  ) -> Int {
    var found = 0
    while found < needed, end - found > start, piece[end - found - 1] == mark { found += 1 }
    return end - found == start ? min(needed, found + marks) : found
  }

  /// Continues in a declaration.
  ///
  /// - Returns: The index after its end or after the `[` of an internal subset, or the end of the piece.
  private mutating func readDeclaration(_ piece: Span<UInt8>, from start: Int) -> Int {
    for index in start..<piece.count {
      let byte = piece[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "[") where !isInSubset:
        (state, isInSubset) = (.content, true)
        return index + 1
      case UInt8(ascii: ">"):
        state = .content
        return index + 1
      default: break
      }
    }
    return piece.count
  }

  /// Continues in a start tag, up to its end or the end of the piece.
  ///
  /// - Returns: `true` if a name exceeds its limit, `false` if the number of attributes does; `nil` if neither does.
  private mutating func readTag(_ piece: Span<UInt8>, from index: inout Int) -> Bool? {
    while index < piece.count {
      let byte = piece[index]
      if byte == UInt8(ascii: "<") {
        // No tag contains this character: libxml2 reports an error, and may go on with a tag here.
        (state, index) = (.angle, index + 1)
        return nil
      }
      index += 1
      if quote != 0 {
        if byte == quote { (quote, nameLength) = (0, 0) }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: ">"):
        state = .content
        return nil
      case UInt8(ascii: "="):
        (count, nameLength) = (count + 1, 0)
        if count > attributeCount { return false }
      case 0x20, 0x09, 0x0A, 0x0D: nameLength = 0
      default:
        nameLength += 1
        if nameLength > nameByteCount { return true }
      }
    }
    return nil
  }

  /// Returns the index of a byte in a piece. The search compares eight bytes at a time.
  private static func firstIndex(of byte: UInt8, in piece: Span<UInt8>, from start: Int) -> Int? {
    unsafe piece.withUnsafeBytes { bytes in
      let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
      var index = start
      while index <= bytes.count &- 8 {
        // SAFETY: The condition of the loop keeps the eight bytes within the buffer.
        let word =
          unsafe UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ pattern
        // The lowest set bit is in the first byte that is zero (Mycroft).
        let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
        if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
        index &+= 8
      }
      while index < bytes.count {
        if unsafe bytes[index] == byte { return index }
        index &+= 1
      }
      return nil
    }
  }
}
