import Documents

/// Versions of an open document with their changes, which were computed.
final class OwnSource: ChangeSource {
  let versions: [PackedVersion]
  private let document: Document
  private let own: [String: OwnVersions.Own]

  var path: String { document.path }

  /// - Parameters:
  ///   - start: The version at which the first changes begin, if it is a version of the source too.
  ///   - own: The versions after it.
  init(_ document: Document, from start: SharedVersion? = nil, _ own: [OwnVersions.Own]) {
    self.document = document
    versions =
      [start].compactMap { $0 }.map { PackedVersion($0) }
      + own.map {
        PackedVersion(
          $0.version, from: $0.changes == nil ? nil : $0.version.parents[0],
          files: $0.changes?.files ?? [:])
      }
    self.own = Dictionary(
      own.map { ($0.version.identity, $0) }, uniquingKeysWith: { one, _ in one })
  }

  func changes(of version: PackedVersion) throws -> ChangeBook {
    guard let book = own[version.version.identity]?.changes else {
      throw PackFault("lacks the changes of a version.")
    }
    return book
  }

  func model(of version: PackedVersion) -> SharedModel? { own[version.version.identity]?.model }

  func verify() {}

  func contains(attachment digest: String) -> Bool {
    document.manifest.attachments.contains { $0.digest == digest }
  }

  func read(attachment digest: String, _ write: ([UInt8]) throws -> Void) throws {
    guard let reader = try document.openAttachment(digest: digest) else {
      throw PackFault("does not contain the attachment \(digest).")
    }
    try reader.forEachPiece { try write($0) }
  }
}
