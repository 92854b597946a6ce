import CommandInterface
import Foundation
import ObjectModel

/// Texts in the form in which a page of HTML contains them.
enum HTMLText {
  /// Returns a text for the content of an element or the value of an attribute in double quotes.
  ///
  /// Characters that control a terminal or change the order of the displayed text are spelled out, except line breaks
  /// and tabs.
  static func escaped(_ text: String) -> String {
    text.escaping { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "\n", "\t": nil
      default: TerminalText.spelled(scalar)
      }
    }
  }

  /// Returns a number with commas between groups of three digits: `12,345`.
  static func number(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// Returns a count with its noun: `1 row`, `12,345 rows`.
  static func count(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number(count)) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  /// Returns a number of bytes with three digits and a unit: `1.25 MB`.
  static func size(_ byteCount: Int) -> String {
    guard byteCount >= 1000 else { return count(byteCount, "byte") }
    var value = Double(byteCount)
    var unit = 0
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    return "\(String(format: "%.\(digits)f", value)) \(units[unit])"
  }

  /// Returns an element with a moment, to the second: `<time datetime="…">2026-05-01 12:30:05</time>`.
  static func moment(_ date: Date) -> String {
    let full = Wording.text(.date(date))
    var shown = full.replacing("T", with: " ")
    if let end = shown.firstIndex(where: { $0 == "." || $0 == "Z" }) {
      shown = String(shown[..<end])
    }
    return "<time datetime=\"\(escaped(full))\">\(escaped(shown))</time>"
  }
}

/// The bytes of a page on their way to a file or a stream. Memory holds one piece of the page.
final class PageOutput {
  private let sink: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []
  /// The number of bytes of the page so far.
  private(set) var byteCount = 0
  /// Whether the destination has refused a piece.
  private(set) var hasFailed = false

  private static let pieceByteCount = 1 << 16

  init(to sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

  /// Writes markup.
  func write(_ markup: String) throws { try write(Array(markup.utf8)) }

  /// Writes bytes of markup.
  func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    byteCount += bytes.count
    if buffer.count >= Self.pieceByteCount { try flush() }
  }

  /// Writes a piece of JSON for an element `script`. An HTML parser finds no tag in the piece, and the piece contains no
  /// character that controls a terminal.
  func write(script json: [UInt8]) throws {
    let shown = TerminalText.shownJSON(json)
    guard shown.contains(0x3C) else { return try write(shown) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(shown.count + 16)
    for byte in shown {
      // JSON contains this character only in strings, where an escape has the same meaning.
      if byte == 0x3C { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    try write(bytes)
  }

  /// Passes the remaining bytes on.
  func flush() throws {
    guard !buffer.isEmpty else { return }
    do { try sink(buffer) } catch {
      hasFailed = true
      throw error
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
