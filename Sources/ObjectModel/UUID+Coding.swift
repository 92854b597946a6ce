internal import Checksums
package import Foundation

extension UUID {
  /// The sixteen bytes of the UUID, in order.
  package var bytes: [UInt8] {
    let u = uuid
    return [
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ]
  }

  /// Creates the UUID of sixteen bytes; `nil` if the number of bytes is another.
  package init?(bytes b: [UInt8]) {
    guard b.count == 16 else { return nil }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }

  /// Creates the UUID of a text of 36 characters, with letters of either case; `nil` for any other text.
  ///
  /// Foundation's own initializer also accepts a space in place of a digit. It takes several times as long, and each store
  /// that is opened has a UUID to read.
  package init?(spelled text: String) {
    var digits = Array(text.utf8)
    guard digits.count == 36 else { return nil }
    // From the end, so that no removal moves a place that is still to come.
    for place in [23, 18, 13, 8] {
      guard digits.remove(at: place) == UInt8(ascii: "-") else { return nil }
    }
    guard let bytes = [UInt8](hex: String(decoding: digits, as: UTF8.self)) else { return nil }
    self.init(bytes: bytes)
  }
}
