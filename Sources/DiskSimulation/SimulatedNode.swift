import DurableFiles

/// A file, a directory or a symbolic link of a simulated disk, independent of its names.
struct SimulatedNode: Sendable {
  var content: Content
  var permissions: FilePermissions
  var modificationNanoseconds: Int64 = 0

  enum Content: Sendable {
    case file(PagedBytes)
    case directory([String: NodeNumber])
    case symbolicLink(String)
  }

  var kind: FileKind {
    switch content {
    case .file: .file
    case .directory: .directory
    case .symbolicLink: .symbolicLink
    }
  }

  var byteCount: Int {
    switch content {
    case .file(let bytes): bytes.count
    case .directory: 0
    case .symbolicLink(let destination): destination.utf8.count
    }
  }

  /// The bytes of a file; empty for other nodes.
  var bytes: PagedBytes {
    get { if case .file(let bytes) = content { bytes } else { PagedBytes() } }
    _modify {
      var bytes = self.bytes
      // Removes the second reference to the pages, so that a page is written in place.
      content = .file(PagedBytes())
      defer { content = .file(bytes) }
      yield &bytes
    }
  }

  /// The entries of a directory; empty for other nodes.
  var entries: [String: NodeNumber] {
    get { if case .directory(let entries) = content { entries } else { [:] } }
    _modify {
      var entries = self.entries
      content = .directory([:])
      defer { content = .directory(entries) }
      yield &entries
    }
  }
}

/// The number of a file, directory or link of a simulated disk: its inode.
struct NodeNumber: Sendable, Hashable, Comparable {
  var rawValue: Int

  static let root = NodeNumber(rawValue: 1)

  static func < (left: NodeNumber, right: NodeNumber) -> Bool { left.rawValue < right.rawValue }
}

/// The files, directories and links of a disk.
typealias SimulatedNodes = [NodeNumber: SimulatedNode]
