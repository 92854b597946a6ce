/// Splits texts into words, folded for case and diacritics.
///
/// Both sides of a full-text search use it: an index for the words of its texts, and a query for its own words. A
/// splitter forgets each text, but its buffers are large, so use one splitter for many texts:
///
///     var splitter = WordSplitter()
///     splitter.split(text.utf8.span) { word, location in
///       index.add(word, at: location.position)
///       return true
///     }
///
/// The work is proportional to the length of the text, and the memory is constant. ASCII needs no table and no second
/// pass. The rules are in the chapter on full-text search of the specification.
package struct WordSplitter: Sendable {
  /// The number of scalars to which a word is cut. Words that agree in so many scalars count as equal.
  package static let scalarLimit = 64
  /// The number of scalars to which a character of a script without spaces is cut, so that a pair is within the limit.
  static let unitScalarLimit = 32

  var bytes = InlineArray<256, UInt8>(repeating: 0)
  var buffer = WordBuffer()
  /// The number of words so far.
  var position = 0

  package init() {}

  /// Calls a closure with each word of a text, in order.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8. Bytes that are invalid in UTF-8 separate words.
  ///   - body: Gets the word's folded bytes, which are valid only during the call, and the word's place in the text. It
  ///     returns whether the splitter goes on.
  @inline(__always)
  package mutating func split(
    _ text: Span<UInt8>, _ body: (Span<UInt8>, WordLocation) -> Bool
  ) {
    position = 0
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte < 0x80 {
        guard Self.isLetter(byte) || Self.isDigit(byte) else {
          place += 1
          continue
        }
        if let end = splitASCII(text, from: place) {
          guard
            body(
              bytes.span.extracting(first: end.byteCount),
              location(place..<end.place, end.byteCount))
          else { return }
          position += 1
          place = end.next
          continue
        }
      }
      guard let next = splitScalars(text, from: place, body) else { return }
      place = next
    }
  }

  /// Returns the place of an ordinary word.
  @inline(__always)
  func location(_ range: Range<Int>, _ byteCount: Int) -> WordLocation {
    WordLocation(
      position: position, range: range, kind: .ordinary, headEnd: range.upperBound,
      headByteCount: byteCount)
  }

  // MARK: - ASCII

  @inline(__always)
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// The end of a word of ASCII.
  private struct End {
    /// The end of the word in the text.
    var place: Int
    /// The first byte of the text that was not examined.
    var next: Int
    /// The number of bytes of the word in the buffer.
    var byteCount: Int
  }

  /// Writes the word at a letter or a digit into the buffer; returns `nil` if the word may continue beyond ASCII.
  @inline(__always)
  private mutating func splitASCII(_ text: Span<UInt8>, from start: Int) -> End? {
    var place = start
    var byteCount = 0
    while place < text.count {
      let byte = text[place]
      if Self.isLetter(byte) {
        if byteCount < Self.scalarLimit { bytes[byteCount] = byte | 0x20 }
        byteCount += 1
        place += 1
      } else if Self.isDigit(byte) {
        if byteCount < Self.scalarLimit { bytes[byteCount] = byte }
        byteCount += 1
        place += 1
      } else if byte == 0x20 {
        break
      } else if byte >= 0x80 {
        return nil
      } else {
        guard let next = joined(text, from: place) else { return nil }
        if next == place { break }
        while place < next {
          if byteCount < Self.scalarLimit { bytes[byteCount] = text[place] }
          byteCount += 1
          place += 1
        }
      }
    }
    if byteCount > Self.scalarLimit {
      byteCount = Self.scalarLimit
      while !Self.isLetter(bytes[byteCount - 1]), !Self.isDigit(bytes[byteCount - 1]) {
        byteCount -= 1
      }
    }
    return End(place: place, next: place, byteCount: byteCount)
  }

  /// Returns the end of the punctuation within a word at a place after a letter or a digit: the place itself if the
  /// word ends there, or `nil` if the word may continue beyond ASCII.
  private func joined(_ text: Span<UInt8>, from place: Int) -> Int? {
    var next = place + 1
    switch text[place] {
    case UInt8(ascii: "_"):
      while next < text.count, text[next] == UInt8(ascii: "_") { next += 1 }
      guard next < text.count else { return place }
      if text[next] >= 0x80 { return nil }
      return Self.isLetter(text[next]) || Self.isDigit(text[next]) ? next : place
    case UInt8(ascii: "'"):
      guard next < text.count else { return place }
      if text[next] >= 0x80 { return nil }
      let joins =
        Self.isLetter(text[place - 1])
        ? Self.isLetter(text[next]) : Self.isDigit(text[place - 1]) && Self.isDigit(text[next])
      return joins ? next : place
    case UInt8(ascii: "."), UInt8(ascii: ","):
      guard Self.isDigit(text[place - 1]), next < text.count else { return place }
      if text[next] >= 0x80 { return nil }
      return Self.isDigit(text[next]) ? next : place
    default: return place
    }
  }
}
