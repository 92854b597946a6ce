import Checksums
import Foundation

/// The identity of a version: a digest on which replicas agree even if they number the version differently (spec §7.7.9).
///
/// Two replicas that exchange versions compare identities to find the versions that one of them lacks. To compute an
/// identity takes time in proportion to all rows of the version.
public struct VersionIdentity: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  /// Reads a version of a document and returns its identity.
  ///
  /// - Parameter number: The number of a version of the open head.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of reading the version.
  public init(ofVersion number: Int64, of document: Document) throws {
    let content = try document.content(ofVersion: number)
    defer { content.close() }
    self = try content.identity(content.sums())
  }

  init(_ text: String) { description = SHA256.digest(of: Array(text.utf8)).description }
}

extension String {
  /// Whether the text is 64 hexadecimal digits in small letters.
  package var isDigest: Bool {
    utf8.count == 64
      && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The bytes of the text in hexadecimal digits.
  var hexadecimal: String { Array(utf8).hex }
}

extension String.UTF8View {
  static func < (one: Self, other: Self) -> Bool {
    one.lexicographicallyPrecedes(other)
  }
}
