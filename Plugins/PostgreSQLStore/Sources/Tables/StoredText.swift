// SAFETY: Bytes are read within the span that contains them.

/// Texts as PostgreSQL keeps them (spec §14.3.2).
///
/// PostgreSQL has no text with the character U+0000. Two characters stand for it: U+0001 and U+0001. For U+0001 itself
/// stand U+0001 and U+0002. All other texts stay as they are. The order of texts stays the same, and so does the
/// beginning of a text.
enum StoredText {
  /// Whether a text contains one of the two characters that are written in another way.
  static func isPlain(_ bytes: RawSpan) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe !bytes.contains { $0 < 2 }
    }
  }

  /// Returns the stored form of a text.
  static func stored(_ bytes: RawSpan) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.byteCount + 8)
    unsafe bytes.withUnsafeBytes { bytes in
      for index in 0..<bytes.count {
        let byte = unsafe bytes[index]
        if byte < 2 { result.append(1) }
        result.append(byte < 2 ? byte + 1 : byte)
      }
    }
    return result
  }

  /// Returns the stored form of a text.
  static func stored(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 2 }) else { return text }
    return String(
      decoding: text.utf8.flatMap { $0 < 2 ? [1, $0 + 1] : [$0] as [UInt8] }, as: UTF8.self)
  }

  /// Returns the text that a stored form stands for; `nil` if the form is not valid.
  static func text(_ stored: RawSpan) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(stored.byteCount)
    return unsafe stored.withUnsafeBytes { bytes -> [UInt8]? in
      var index = 0
      while index < bytes.count {
        var byte = unsafe bytes[index]
        index += 1
        if byte == 1 {
          guard index < bytes.count, unsafe bytes[index] == 1 || bytes[index] == 2 else {
            return nil
          }
          byte = unsafe bytes[index] - 1
          index += 1
        }
        result.append(byte)
      }
      return result
    }
  }
}
