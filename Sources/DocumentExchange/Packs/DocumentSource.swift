import Documents

/// The versions of another document, which is the remote itself.
struct DocumentSource {
  /// The versions with their changes.
  let source: OwnSource
  private let known: [String: Remotes.Known]

  /// Reads the versions of the open head.
  ///
  /// - Parameters:
  ///   - one: A version whose identity is known. Without it, all rows are read, and all versions.
  ///   - remote: The name of the remote.
  init(_ document: Document, since one: Remotes.Known?, remote: String) throws {
    let start: Remotes.Known
    if let one, one.version(in: document) != nil {
      start = one
    } else {
      let content = try document.content(ofVersion: document.versions[0].number)
      defer { content.close() }
      start = try Remotes.Known(remote: remote, head: document.head, of: content)
    }
    let own = try OwnVersions(of: document, since: start).versions
    let first = start.version(in: document)!
    let version = SharedVersion(
      first, of: document.head, identity: start.identity,
      parents: first.received.filter { $0 != start.identity })
    source = OwnSource(document, from: version, own)
    known = Dictionary(
      ([start] + own.map(\.known)).map { ($0.identity, $0) }, uniquingKeysWith: { one, _ in one })
  }

  /// Returns a version with the number that it has in the document.
  func known(_ identity: String) -> Remotes.Known? { known[identity] }
}
