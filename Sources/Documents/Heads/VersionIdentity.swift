import Checksums
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The identity of a version: a digest on which replicas agree, whatever numbers they gave to the version (spec §7.7.9).
///
/// Two replicas that exchange versions compare identities to find the versions that one of them lacks. To compute an
/// identity takes time in proportion to all rows of the version.
public struct VersionIdentity: Sendable, Hashable, CustomStringConvertible {
  /// 64 hexadecimal digits.
  public let description: String

  /// Reads a version of a document and returns its identity.
  ///
  /// - Parameter number: The number of a version of the open head.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of reading the version.
  public init(ofVersion number: Int64, of document: Document) throws {
    let then = try document.open(version: number)
    defer { try? then.close() }
    guard let version = then.versions.first(where: { $0.number == number }) else {
      throw DocumentError.noVersion(number, document.path)
    }
    var text = "quire-version 1\nsaved \(ManifestDate.text(version.saved))\n"
    if let author = version.author { text += "author \(author.hexadecimal)\n" }
    if let message = version.message { text += "message \(message.hexadecimal)\n" }
    for (name, hash) in try then.model.versionHashes.sorted(by: { $0.key.utf8 < $1.key.utf8 }) {
      text += "entity \(name) \(hash)\n"
    }
    let stores = try then.stores.map { store in
      let snapshot = try store.snapshot()
      return (try snapshot.metadata.uuid?.uuidString ?? "", try RowSum(of: snapshot))
    }
    for (uuid, sum) in stores.sorted(by: { $0.0 < $1.0 }) { text += "store \(uuid) \(sum)\n" }
    let attachments = then.manifest.attachments.filter { $0.isPart(of: number) }
    for isContent in [false, true] {
      for one in attachments.filter({ $0.isContent == isContent })
        .sorted(by: { $0.name.utf8 < $1.name.utf8 })
      {
        text += "\(isContent ? "content" : "attachment") \(one.name.hexadecimal) \(one.digest)\n"
      }
    }
    description = SHA256.digest(of: Array(text.utf8)).description
  }
}

extension String {
  /// The bytes of the text in hexadecimal digits.
  var hexadecimal: String { Array(utf8).hex }
}

extension String.UTF8View {
  static func < (one: Self, other: Self) -> Bool {
    one.lexicographicallyPrecedes(other)
  }
}
