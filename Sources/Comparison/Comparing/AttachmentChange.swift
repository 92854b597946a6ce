package import Documents

/// An attachment that differs between two documents, or between two versions of one document.
///
/// The bytes are compared by their SHA-256, so a comparison reads no attachment.
public struct AttachmentChange: Sendable, Hashable {
  /// Whether the attachment was inserted, changed or deleted.
  public let kind: ObjectChange.Kind
  /// The name of the attachment.
  public let name: String

  /// Returns the attachments that differ between two versions, in the order of their names.
  package static func all(in manifest: Manifest, from old: Int64, to new: Int64)
    -> [AttachmentChange]
  {
    func digests(_ version: Int64) -> [String: String] {
      Dictionary(
        manifest.attachments.filter { !$0.isContent && $0.isPart(of: version) }
          .map { ($0.name, $0.digest) }, uniquingKeysWith: { one, _ in one })
    }
    return all(from: digests(old), to: digests(new))
  }

  /// Returns the attachments that differ between two documents, in the order of their names.
  package static func all(from old: Document, to new: Document) -> [AttachmentChange] {
    func digests(_ document: Document) -> [String: String] {
      Dictionary(
        document.attachments.map { ($0.name, $0.digest) }, uniquingKeysWith: { one, _ in one })
    }
    return all(from: digests(old), to: digests(new))
  }

  /// Compares the digests of attachments.
  private static func all(
    from before: [String: String], to after: [String: String]
  ) -> [AttachmentChange] {
    Set(before.keys).union(after.keys).sorted().compactMap { name in
      switch (before[name], after[name]) {
      case (nil, _?): AttachmentChange(kind: .inserted, name: name)
      case (_?, nil): AttachmentChange(kind: .deleted, name: name)
      case (let before, let after):
        before == after ? nil : AttachmentChange(kind: .changed, name: name)
      }
    }
  }
}
