import CommandInterface
import DurableFiles

/// An encoding of the text of imported files other than UTF-8.
enum TextEncoding: String, CaseIterable {
  case latin1
  case windows1252 = "windows-1252"
  case utf16 = "utf-16"

  /// The encoding that the first bytes of a file name; `nil` for UTF-8, and if they name none.
  init?(mark bytes: [UInt8]) {
    guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
    self = .utf16
  }

  /// Writes the text of a file in UTF-8.
  ///
  /// - Returns: Whether the file is text in this encoding.
  func convert(_ file: DurableFile, to copy: DurableFile) throws -> Bool {
    let byteCount = try file.byteCount()
    var place = 0
    var isLittle = true
    var waiting: UInt16?
    while place < byteCount {
      let bytes = try file.read(byteCount: min(1 << 18, byteCount - place), at: place)
      var text = String.UnicodeScalarView()
      switch self {
      case .latin1: for byte in bytes { text.append(Unicode.Scalar(byte)) }
      case .windows1252:
        for byte in bytes {
          guard let scalar = TextEncoding.windows(byte) else { return false }
          text.append(scalar)
        }
      case .utf16:
        if place == 0 { isLittle = !bytes.starts(with: [0xFE, 0xFF]) }
        guard bytes.count.isMultiple(of: 2) else { return false }
        for index in stride(from: 0, to: bytes.count, by: 2) {
          let unit =
            isLittle
            ? UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
            : UInt16(bytes[index + 1]) | UInt16(bytes[index]) << 8
          if place == 0, index == 0, unit == 0xFEFF { continue }
          guard TextEncoding.take(unit, &waiting, &text) else { return false }
        }
      }
      try copy.append(Array(String(text).utf8))
      place += bytes.count
    }
    return waiting == nil
  }

  /// Adds a unit of UTF-16, and returns `false` if a half of a pair is alone.
  private static func take(
    _ unit: UInt16, _ waiting: inout UInt16?, _ text: inout String.UnicodeScalarView
  ) -> Bool {
    if let high = waiting {
      guard UTF16.isTrailSurrogate(unit) else { return false }
      waiting = nil
      let scalar = 0x10000 + (UInt32(high) - 0xD800) << 10 + UInt32(unit) - 0xDC00
      return Unicode.Scalar(scalar).map { text.append($0) } != nil
    }
    if UTF16.isLeadSurrogate(unit) {
      waiting = unit
      return true
    }
    return Unicode.Scalar(unit).map { text.append($0) } != nil
  }

  /// Returns a character of Windows 1252, which differs from Latin 1 between 0x80 and 0x9F.
  private static func windows(_ byte: UInt8) -> Unicode.Scalar? {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    let number = others[Int(byte) - 0x80]
    return number == 0 ? nil : Unicode.Scalar(number)
  }

  private static let others: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152,
    0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]
}
