import Checksums

extension Manifest {
  /// The name of the member that contains the checksum of a manifest (spec §7.3.9).
  static let checksumName = "checksum"

  /// Returns a manifest's text with its checksum as the last member.
  ///
  /// - Parameter text: The text of the object without the member.
  static func sealed(_ text: String) -> String {
    precondition(
      text.hasSuffix("\n}"), "The JSON of a manifest must end with a brace on its own line.")
    let members = text.dropLast(2)
    return "\(members),\n\(line(after: members.utf8))\n}\n"
  }

  /// Checks the checksum of a manifest.
  ///
  /// - Parameters:
  ///   - text: The value of the member, or `nil` if the member is missing.
  ///   - bytes: The bytes of the manifest, a valid JSON object.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/damaged``. After an edit by hand, its message gives
  ///   the checksum to write.
  static func check(
    _ text: String?, inManifest bytes: [UInt8], path: String
  ) throws(DocumentError) {
    let brace = bytes.lastIndex(of: UInt8(ascii: "}"))!
    let last = bytes[..<brace].lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }!
    let members = bytes[...last]
    func fault(_ finding: String, _ remedy: String) -> DocumentError {
      DocumentError(
        .damaged, "\(finding) If you have edited the manifest by hand, \(remedy)", path: path)
    }
    guard let text else {
      throw fault(
        "The manifest has no checksum.",
        "write a comma after its last member, and then the line '\(line(after: members))'.")
    }
    let value = Array("\"\(text)\"".utf8)
    guard text.utf8.count == 8, members.suffix(value.count).elementsEqual(value) else {
      throw fault(
        "The manifest's checksum is not its last member, or does not have 8 digits.",
        "remove the member. The next error shows the line to write at the end.")
    }
    let computed = digits(ofChecksum: Array(bytes[..<(members.endIndex - 9)]))
    guard text == computed else {
      throw fault(
        "The manifest's checksum \(text) differs from the computed checksum \(computed).",
        "write \(computed) in its place.")
    }
  }

  /// Returns the line with the checksum that follows the other members of a manifest, a comma and a line feed.
  private static func line(after members: some Sequence<UInt8>) -> String {
    let start = "  \"\(checksumName)\": \""
    var bytes = Array(members)
    bytes += ",\n\(start)".utf8
    return start + digits(ofChecksum: bytes) + "\""
  }

  private static func digits(ofChecksum bytes: [UInt8]) -> String {
    let digits = String(CRC32C.checksum(of: bytes), radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}
