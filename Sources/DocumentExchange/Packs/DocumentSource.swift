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
    let found = one.flatMap { one in
      document.versions.first {
        $0.number == one.number && $0.saved == one.saved && one.head == document.head
      }
    }
    let first = found ?? document.versions[0]
    let start: Remotes.Known
    if let one, found != nil {
      start = one
    } else {
      let content = try document.content(ofVersion: first.number)
      defer { content.close() }
      let sums = try content.sums()
      start = Remotes.Known(
        remote: remote, head: document.head, first,
        identity: try content.identity(sums).description, sums: sums)
    }
    let own = try OwnVersions(of: document, since: start).versions
    let version = SharedVersion(
      identity: start.identity, parents: first.received.filter { $0 != start.identity },
      head: document.head, saved: first.saved, author: first.author, message: first.message)
    source = OwnSource(document, from: version, own)
    known = Dictionary(
      ([start] + own.map(\.known)).map { ($0.identity, $0) }, uniquingKeysWith: { one, _ in one })
  }

  /// Returns a version with the number that it has in the document.
  func known(_ identity: String) -> Remotes.Known? { known[identity] }
}
