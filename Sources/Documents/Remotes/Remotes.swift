import DurableFiles
package import Foundation
import JSONText

/// The remotes of a document, and the newest version of each head that a remote is known to have (spec §16.5).
///
/// The file is a matter of this copy of the document: a copy of the document has no remotes. Its facts about versions can be
/// computed again, in time in proportion to the document.
package struct Remotes: Sendable, Hashable {
  /// A place that versions are exchanged with.
  package struct Remote: Sendable, Hashable {
    /// The name of the remote, such as `origin`.
    package var name: String
    /// The path of the folder, or of the document.
    package var path: String

    /// The newest version of a remote that is a document, with the number that it has there; `nil` for a folder.
    package var theirs: Known?

    /// The paths of the key that signs packs, and of the file with the signers that are trusted; `nil` if packs are not signed.
    package var signing: (key: String, signers: String)? {
      get { key.flatMap { key in signers.map { (key, $0) } } }
      set { (key, signers) = (newValue?.key, newValue?.signers) }
    }
    private var key: String?
    private var signers: String?

    package init(name: String, path: String) {
      (self.name, self.path) = (name, path)
    }
  }

  /// A version of a head with its identity.
  package struct Known: Sendable, Hashable {
    /// The name of the remote that has the version.
    package var remote: String
    /// The name of the head that contains the version.
    package var head: String
    /// The number of the version in this document.
    package var number: Int64
    /// The date of the version. A version with the number and another date is another one: the document was put back to an
    /// earlier state, and changed.
    package var saved: Date
    /// The identity of the version.
    package var identity: String
    /// The sum of the rows of each store, by the store's name.
    package var sums: [String: RowSum]
    /// Whether the head only shows the version of another device. It lacks the changes of this document, so it is not a head to
    /// merge.
    package var isShown: Bool

    package init(
      remote: String, head: String, _ version: Manifest.VersionEntry, identity: String,
      sums: [String: RowSum], isShown: Bool = false
    ) {
      (self.remote, self.head, number, saved) = (remote, head, version.number, version.saved)
      (self.identity, self.sums, self.isShown) = (identity, sums, isShown)
    }

    /// Reads all rows of a version, and computes its identity.
    package init(remote: String, head: String, of content: VersionContent) throws {
      let sums = try content.sums()
      self.init(
        remote: remote, head: head, content.version,
        identity: try content.identity(sums).description, sums: sums)
    }

    /// Returns the version of a document's open head that this is; `nil` if the head lacks it.
    package func version(in document: Document) -> Manifest.VersionEntry? {
      guard head == document.head else { return nil }
      return document.versions.first { $0.number == number && $0.saved == saved }
    }
  }

  /// The remotes, the usual one first.
  package var remotes: [Remote] = []
  /// The newest version of each head that a remote has.
  package var known: [Known] = []

  package init() {}

  /// Returns the newest version of a head that a remote has.
  package func newest(of head: String, in remote: String) -> Known? {
    known.first { $0.head == head && $0.remote == remote }
  }

  /// Records the newest version of a head that a remote has.
  package mutating func record(_ one: Known) {
    known.removeAll { $0.head == one.head && $0.remote == one.remote }
    known.append(one)
  }
}

extension Container {
  package static let remotesFile = "remotes.json"

  /// Reads the remotes. A document without the file lacks remotes.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/damaged``.
  func remotes() throws -> Remotes {
    try reading {
      let place = inner(Container.remotesFile)
      guard try disk.exists(place) else { return Remotes() }
      let bytes = try disk.read(
        place, byteLimit: Manifest.byteLimit, links: .refusedBelow(path))
      guard let json = try? JSON.read(bytes), let remotes = Remotes(json) else {
        throw DocumentError(
          .damaged,
          "The file can't be read. Without it, the remotes can be added again: remove it, and run 'quire remote'.",
          path: place)
      }
      return remotes
    }
  }

  fileprivate func write(_ remotes: Remotes) throws {
    try reading {
      try disk.replace(inner(Container.remotesFile), links: .refused) { writer in
        try writer.write(remotes.json.text + "\n")
      }
    }
  }
}

extension Document {
  /// The remotes of the document, with their known versions.
  package var remotes: Remotes {
    get throws { try container.remotes() }
  }

  /// Changes the remotes, or their known versions.
  package func changeRemotes(_ change: (inout Remotes) throws -> Void) throws {
    try withExclusiveAccess {
      let before = try container.remotes()
      var remotes = before
      try change(&remotes)
      if remotes != before { try container.write(remotes) }
    }
  }
}

// MARK: - JSON

extension Remotes {
  private static let format = "quire-remotes"

  fileprivate init?(_ json: JSON) {
    guard case .string(Remotes.format)? = json["format"], case .number("1")? = json["version"],
      case .array(let remotes)? = json["remotes"], case .array(let known)? = json["known"]
    else { return nil }
    for one in remotes {
      guard case .string(let name)? = one["name"], case .string(let path)? = one["path"] else {
        return nil
      }
      var remote = Remote(name: name, path: path)
      if case .string(let key)? = one["key"], case .string(let signers)? = one["signers"] {
        remote.signing = (key, signers)
      }
      if let theirs = one["theirs"] {
        guard let known = Known(theirs) else { return nil }
        remote.theirs = known
      }
      self.remotes.append(remote)
    }
    for one in known {
      guard let known = Known(one) else { return nil }
      self.known.append(known)
    }
  }

  fileprivate var json: JSON {
    .object([
      "format": .string(Remotes.format),
      "version": .number(1),
      "remotes": .array(
        remotes.map {
          .object([
            "name": .string($0.name), "path": .string($0.path), "theirs": $0.theirs?.json,
            "key": ($0.signing?.key).map(JSON.string),
            "signers": ($0.signing?.signers).map(JSON.string),
          ])
        }),
      "known": .array(known.map(\.json)),
    ])
  }
}

extension Remotes.Known {
  fileprivate init?(_ json: JSON) {
    guard case .string(let remote)? = json["remote"], case .string(let head)? = json["head"],
      case .number(let digits)? = json["number"], let number = Int64(digits),
      case .string(let text)? = json["saved"], let saved = ManifestDate.date(text),
      case .string(let identity)? = json["identity"], identity.isDigest,
      case .members(let members)? = json["sums"]
    else { return nil }
    (self.remote, self.head, self.number, self.saved) = (remote, head, number, saved)
    (self.identity, sums, isShown) = (identity, [:], json["shown"] == .boolean(true))
    for member in members {
      guard case .string(let text) = member.value, let sum = RowSum(text) else { return nil }
      sums[member.name] = sum
    }
  }

  fileprivate var json: JSON {
    .object([
      "remote": .string(remote), "head": .string(head), "number": .number("\(number)"),
      "saved": .string(ManifestDate.text(saved)), "identity": .string(identity),
      "shown": isShown ? .boolean(true) : nil,
      "sums": .members(
        sums.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key, value: .string("\($0.value)"))
        }),
    ])
  }
}
