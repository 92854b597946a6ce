import Documents
import DurableFiles

/// Puts the contents of small packs into one (spec §16.1.4).
struct Consolidation {
  let document: Document
  let remote: FolderRemote
  let graph: SharedGraph

  /// The size of the largest pack that is put together with more. Larger packs are few.
  private static let byteLimit = 4 << 20

  /// Writes the new pack, and then removes the packs that it contains.
  ///
  /// - Returns: The number of packs that were removed, and the number of bytes of the new one.
  func run() throws -> (count: Int, byteCount: Int) {
    let packs = try remote.packs.filter { pack in
      guard pack.document == nil,
        try remote.disk.status(of: pack.path).byteCount <= Consolidation.byteLimit
      else { return false }
      // A damaged pack stays, because a whole copy may still arrive.
      do { try pack.verify() } catch is PackFault { return false }
      return true
    }
    guard packs.count > 1 else { return (0, 0) }
    var parts: [PackWriter.Part] = []
    var seen: Set<[String]> = []
    for pack in packs {
      for one in pack.versions {
        guard let from = one.from, seen.insert([from, one.version.identity]).inserted else {
          continue
        }
        parts.append(
          PackWriter.Part(
            version: one.version, from: from, changes: try pack.changes(of: one),
            model: try pack.model(of: one)))
      }
    }
    let byteCount = try PackWriter(document: document, remote: remote).write(parts) {
      try graph.read(attachment: $0, $1)
    }
    for pack in packs {
      try remote.disk.remove(pack.path)
      try? remote.disk.remove(pack.path + Exchange.Signing.suffix)
    }
    return (packs.count, byteCount)
  }
}
