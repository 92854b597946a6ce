import Checksums
import DurableFiles

extension Manifest {
  /// The name of the member that contains the checksum of a manifest (spec §7.3.9).
  package static let checksumName = "checksum"

  /// Returns a manifest's text with its checksum as the last member.
  ///
  /// - Parameter text: The text of the object without the member.
  static func sealed(_ text: String) -> String {
    precondition(
      text.hasSuffix("\n}"), "The JSON of a manifest must end with a brace on its own line.")
    var bytes = [UInt8](text.utf8)
    bytes.removeLast(2)
    bytes += ",\n  \"\(checksumName)\": \"".utf8
    bytes += checksum(of: bytes, 0..<bytes.count).utf8
    bytes += "\"\n}\n".utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Checks the checksum that a manifest contains.
  ///
  /// - Parameter text: The value of the member.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/damaged``.
  static func check(
    _ text: String, inManifest bytes: [UInt8], path: String
  ) throws(DocumentError) {
    guard let place = placeOfChecksum(text, in: bytes) else {
      throw DocumentError(
        .damaged, "checksum is not the last member of the manifest, or does not have 8 digits.",
        path: path)
    }
    let computed = checksum(of: bytes, 0..<place)
    guard text == computed else {
      throw DocumentError(
        .damaged,
        "The manifest's checksum \(text) differs from the computed checksum \(computed). Remove the member "
          + "'\(checksumName)' if you have edited the manifest by hand.", path: path)
    }
  }

  /// Returns the offset of the first digit of a checksum that ends a manifest.
  private static func placeOfChecksum(_ text: String, in bytes: [UInt8]) -> Int? {
    var end = bytes.endIndex
    func dropSpace() {
      while end > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
    }
    dropSpace()
    guard end > 0, bytes[end - 1] == UInt8(ascii: "}") else { return nil }
    end -= 1
    dropSpace()
    let tail = Array("\"\(text)\"".utf8)
    guard text.utf8.count == 8, bytes[..<end].reversed().starts(with: tail.reversed()) else {
      return nil
    }
    return end - tail.count + 1
  }

  private static func checksum(of bytes: [UInt8], _ range: Range<Int>) -> String {
    let digits = String(CRC32C.checksum(of: bytes.rawSpan.extracting(range)), radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}
