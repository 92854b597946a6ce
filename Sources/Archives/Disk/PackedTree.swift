import DurableFiles

/// The files and folders of an archive, by their paths.
struct PackedTree: Sendable {
  struct Node: Sendable {
    /// The entry; `nil` for a folder without its own entry.
    var entry: ArchiveEntry?
    var children: [DirectoryEntry] = []
    /// The number of the node among all nodes.
    var number: UInt64

    var isDirectory: Bool { entry?.isDirectory ?? true }
  }

  private var nodes: [String: Node] = ["": Node(number: 1)]
  private let start: PlaceInTree

  init(_ entries: [ArchiveEntry], at folder: String) {
    start = PlaceInTree(folder)
    for entry in entries { add(entry.path, entry) }
  }

  subscript(path: String) -> Node? { nodes[path] }

  private mutating func add(_ path: String, _ entry: ArchiveEntry?) {
    if nodes[path] != nil {
      // The folder exists already, because paths of other entries lead through it.
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

  /// Returns the path within the archive's folder for a path on the disk.
  ///
  /// - Throws: `noEntry` for a path outside of the folder.
  func place(of path: String) throws(ErrorNumber) -> String {
    guard let names = PlaceInTree(path).names(below: start) else { throw .noEntry }
    return names.joined(separator: "/")
  }

  /// Returns the node at a path within the archive's folder.
  func node(at place: String) throws(ErrorNumber) -> Node {
    if let node = nodes[place] { return node }
    // If the path leads through a file, the error is `notDirectory`.
    var parts = place.split(separator: "/")
    while parts.popLast() != nil {
      guard let node = nodes[parts.joined(separator: "/")] else { continue }
      throw node.isDirectory ? .noEntry : .notDirectory
    }
    throw .noEntry
  }
}

private let slash = UInt8(ascii: "/")
