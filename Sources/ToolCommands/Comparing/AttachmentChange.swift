import Documents
import JSONText

/// A difference between the attachments of two documents, or of two versions of one.
struct AttachmentChange {
  let kind: ObjectChange.Kind
  let name: String

  /// Returns the attachments that differ between two versions, in the order of their names.
  static func all(in manifest: Manifest, from old: Int64, to new: Int64) -> [AttachmentChange] {
    func digests(_ version: Int64) -> [String: String] {
      Dictionary(
        manifest.attachments.filter { !$0.isContent && $0.isPart(of: version) }
          .map { ($0.name, $0.digest) }, uniquingKeysWith: { one, _ in one })
    }
    return all(from: digests(old), to: digests(new))
  }

  /// Returns the attachments that differ between two documents, in the order of their names.
  static func all(from old: Document, to new: Document) -> [AttachmentChange] {
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
      case (let one, let other):
        one == other ? nil : AttachmentChange(kind: .changed, name: name)
      }
    }
  }

  /// Returns the change as a line of text: `+ attachment "lisbon.jpg"`.
  func line(_ output: Console.Stream) -> String {
    let (sign, style): (String, Console.Style) =
      switch kind {
      case .inserted: ("+", .inserted)
      case .deleted: ("-", .deleted)
      case .changed: ("~", .changed)
      }
    return output.styled("\(sign) attachment \"\(oneLine(name))\"", style)
  }

  var json: JSON { .object(["change": .string(kind.rawValue), "name": .string(name)]) }

  /// A line among the changes of objects.
  var jsonLine: JSON {
    .object([
      "change": .string("attachment"), "action": .string(kind.rawValue), "name": .string(name),
    ])
  }
}
