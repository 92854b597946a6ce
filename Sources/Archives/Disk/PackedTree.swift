import DurableFiles

/// The files and folders of an archive, by their paths.
struct PackedTree: Sendable {
  struct Node: Sendable {
    /// The entry; a folder need not have one.
    var entry: ArchiveEntry?
    var children: [DirectoryEntry] = []
    /// Its number among all of them.
    var number: UInt64

    var isDirectory: Bool { entry?.isDirectory ?? true }
  }

  private var nodes: [String: Node] = ["": Node(number: 1)]
  private let start: [Substring]
  private let isAbsolute: Bool

  init(_ entries: [ArchiveEntry], at folder: String) {
    (start, isAbsolute) = Self.parts(folder)
    for entry in entries { add(entry.path, entry) }
  }

  subscript(path: String) -> Node? { nodes[path] }

  private mutating func add(_ path: String, _ entry: ArchiveEntry?) {
    if nodes[path] != nil {
      // A folder that others led to before.
      nodes[path]!.entry = entry ?? nodes[path]!.entry
      return
    }
    let node = Node(entry: entry, number: UInt64(nodes.count + 1))
    nodes[path] = node
    let parts = path.utf8.split(separator: slash)
    let parent = parts.dropLast().map { String(Substring($0)) }.joined(separator: "/")
    add(parent, nil)
    nodes[parent]!.children.append(
      DirectoryEntry(
        name: String(Substring(parts[parts.count - 1])),
        kind: node.isDirectory ? .directory : .file))
  }

  /// The path from the archive's folder on, for a path on the disk; `nil` for one that does not lead there.
  func place(of path: String) throws(ErrorNumber) -> String {
    let (parts, isAbsolute) = Self.parts(path)
    guard isAbsolute == self.isAbsolute, parts.starts(with: start) else { throw .noEntry }
    return parts.dropFirst(start.count).joined(separator: "/")
  }

  /// What is at a place.
  func node(at place: String) throws(ErrorNumber) -> Node {
    if let node = nodes[place] { return node }
    // What a path needs on the way must be a folder.
    var parts = place.split(separator: "/")
    while parts.popLast() != nil {
      guard let node = nodes[parts.joined(separator: "/")] else { continue }
      throw node.isDirectory ? .noEntry : .notDirectory
    }
    throw .noEntry
  }

  /// The names a path consists of; there are no links here, so `..` takes back the name before.
  private static func parts(_ path: String) -> ([Substring], isAbsolute: Bool) {
    let isAbsolute = path.utf8.first == slash
    var parts: [Substring] = []
    for part in path.utf8.split(separator: slash).map(Substring.init) where part != "." {
      if part == "..", isAbsolute || (!parts.isEmpty && parts.last != "..") {
        _ = parts.popLast()
      } else {
        parts.append(part)
      }
    }
    return (parts, isAbsolute)
  }
}

private let slash = UInt8(ascii: "/")
