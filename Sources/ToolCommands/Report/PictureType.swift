import Foundation

/// A type of pictures that every browser shows. The first bytes of a file determine the type.
enum PictureType: String {
  case png, jpeg, gif, webp

  /// Returns the type of the picture that begins with the given bytes; `nil` if they begin no picture.
  init?(_ bytes: some Collection<UInt8>) {
    func begins(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins("GIF87a") || begins("GIF89a") {
      self = .gif
    } else if begins("RIFF"), begins("WEBP", at: 8) {
      self = .webp
    } else {
      return nil
    }
  }

  /// The number of bytes that determine the type.
  static let beginByteCount = 12

  /// The beginning of a URL that contains the picture. Its bytes in base64 follow.
  var urlBeginning: String { "data:image/\(rawValue);base64," }
}

/// The bytes that the pictures of a page may still take, so that the page stays small enough for a phone.
struct PictureAllowance {
  /// The most bytes of one picture.
  let mostPerPicture: Int
  /// The bytes that are left for all further pictures.
  private(set) var left: Int

  static let attachments = PictureAllowance(mostPerPicture: 2_000_000, left: 20_000_000)
  /// The allowance for values of rows.
  static let values = PictureAllowance(mostPerPicture: 100_000, left: 10_000_000)

  /// Takes the bytes of a picture. Returns `false` if the picture is too large for the page.
  mutating func take(_ byteCount: Int) -> Bool {
    guard byteCount <= mostPerPicture, byteCount <= left else { return false }
    left -= byteCount
    return true
  }
}
