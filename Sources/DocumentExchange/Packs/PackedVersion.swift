import Documents
import Foundation
import JSONText

/// A version in a pack.
struct PackedVersion: Sendable {
  let version: SharedVersion
  /// The identity of the version that the changes begin at; `nil` if the pack contains the document.
  let from: String?
  /// The name of the entry with the changes of the rows; `nil` if the pack contains the document, and for changes in memory.
  let changes: String?
  /// The name of the entry with the model, if the model differs from the model of ``from``.
  let model: String?
  /// The attachments that differ from the attachments of ``from``, by name.
  let files: [String: ChangeBook.File]

  init(
    _ version: SharedVersion, from: String? = nil, changes: String? = nil, model: String? = nil,
    files: [String: ChangeBook.File] = [:]
  ) {
    (self.version, self.from, self.changes) = (version, from, changes)
    (self.model, self.files) = (model, files)
  }
}

// MARK: - JSON

extension PackedVersion {
  var json: JSON {
    .object([
      "identity": .string(version.identity), "parents": .strings(version.parents),
      "head": .string(version.head), "saved": .string(ManifestDate.text(version.saved)),
      "author": version.author.map(JSON.string), "message": version.message.map(JSON.string),
      "from": from.map(JSON.string), "changes": changes.map(JSON.string),
      "model": model.map(JSON.string),
      "attachments": files.isEmpty
        ? nil
        : .array(
          files.sorted { $0.key < $1.key }.map { name, file in
            .object([
              "name": .string(name), "old": file.old.map(PackedVersion.json),
              "new": file.new.map(PackedVersion.json),
            ])
          }),
    ])
  }

  private static func json(_ file: ChangeBook.AttachedFile) -> JSON {
    .object(["digest": .string(file.digest), "byteCount": .number(file.byteCount)])
  }

  /// Reads a version; `nil` if a member is missing or wrong.
  init?(_ json: JSON) {
    guard case .string(let identity)? = json["identity"], identity.isDigest,
      case .array(let parents)? = json["parents"], parents.count <= PackFormat.countLimit,
      case .string(let head)? = json["head"],
      head == HeadName.main || HeadName.objection(to: head) == nil,
      case .string(let text)? = json["saved"], let saved = ManifestDate.date(text)
    else { return nil }
    var found: [String] = []
    for parent in parents {
      guard case .string(let one) = parent, one.isDigest, one != identity else { return nil }
      found.append(one)
    }
    func member(_ name: String) -> String?? {
      switch json[name] {
      case nil: .some(nil)
      case .string(let text)?: text
      default: nil
      }
    }
    guard let author = member("author"), let message = member("message"), let from = member("from"),
      let changes = member("changes"), let model = member("model"),
      (from == nil) == (changes == nil), from != nil || model == nil,
      from.map({ found.contains($0) }) ?? true
    else { return nil }
    var files: [String: ChangeBook.File] = [:]
    if let list = json["attachments"] {
      guard case .array(let items) = list, items.count <= PackFormat.countLimit else { return nil }
      for item in items {
        guard case .string(let name)? = item["name"],
          let old = PackedVersion.file(item["old"]), let new = PackedVersion.file(item["new"])
        else { return nil }
        guard files.updateValue(ChangeBook.File(old: old, new: new), forKey: name) == nil else {
          return nil
        }
      }
    }
    self.init(
      SharedVersion(
        identity: identity, parents: found, head: head, saved: saved, author: author,
        message: message), from: from, changes: changes, model: model, files: files)
  }

  private static func file(_ json: JSON?) -> ChangeBook.AttachedFile?? {
    guard let json else { return .some(nil) }
    guard case .string(let digest)? = json["digest"], digest.isDigest,
      case .number(let digits)? = json["byteCount"], let byteCount = Int(digits), byteCount >= 0
    else { return nil }
    return ChangeBook.AttachedFile(digest: digest, byteCount: byteCount)
  }
}
