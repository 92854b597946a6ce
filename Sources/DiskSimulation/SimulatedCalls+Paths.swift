import DurableFiles

extension SimulatedCalls {
  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    try perform(.status, path) { state throws(ErrorNumber) in
      let place = try state.nodes.place(of: path, followingLinks ? .followed : .refused)
      guard let node = place.node else { throw .noEntry }
      return state.status(of: node)
    }
  }

  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    try perform(.makeDirectory, path) { state throws(ErrorNumber) in
      let place = try state.nodes.place(of: path, .refused)
      guard place.node == nil else { throw .exists }
      _ = state.make(.directory([:]), permissions.masked, at: place)
    }
  }

  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    try perform(.makeSymbolicLink, path) { state throws(ErrorNumber) in
      let place = try state.nodes.place(of: path, .refused)
      guard place.node == nil else { throw .exists }
      let permissions = FilePermissions(rawValue: 0o777)
      _ = state.make(.symbolicLink(destination), permissions, at: place)
    }
  }

  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    try perform(.readSymbolicLink, path) { state throws(ErrorNumber) in
      let (_, node) = try state.named(path)
      guard case .symbolicLink(let destination)? = state.nodes[node]?.content else {
        throw .invalidArgument
      }
      return destination
    }
  }

  func remove(_ path: String) throws(ErrorNumber) {
    try perform(.remove, path) { state throws(ErrorNumber) in
      let (place, node) = try state.named(path)
      guard state.nodes[node]?.kind != .directory else { throw .isDirectory }
      state.change(place.directory, .entries([place.name: nil], needsPrevious: false))
    }
  }

  func removeDirectory(_ path: String) throws(ErrorNumber) {
    try perform(.removeDirectory, path) { state throws(ErrorNumber) in
      let (place, node) = try state.named(path)
      guard case .directory(let entries)? = state.nodes[node]?.content else {
        throw .notDirectory
      }
      guard entries.isEmpty else { throw .directoryNotEmpty }
      state.change(place.directory, .entries([place.name: nil], needsPrevious: false))
    }
  }

  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    try perform(.rename, path) { state throws(ErrorNumber) in
      let (old, node) = try state.named(path)
      let new = try state.nodes.place(of: newPath, .refused)
      guard !new.name.isEmpty else { throw .busy }
      let isDirectory = state.nodes[node]?.kind == .directory
      if let replaced = new.node {
        // POSIX: a rename between two names of one file does nothing.
        if replaced == node { return }
        switch (isDirectory, state.nodes[replaced]!.content) {
        case (true, .directory(let entries)):
          guard entries.isEmpty else { throw .directoryNotEmpty }
        case (true, _): throw .notDirectory
        case (false, .directory): throw .isDirectory
        case (false, _): break
        }
      }
      if isDirectory, state.nodes.isDirectory(new.directory, within: node) {
        throw .invalidArgument
      }
      state.move(node, from: old, to: new)
    }
  }

  func exchange(_ path: String, with other: String) throws(ErrorNumber) {
    try perform(.exchange, path) { state throws(ErrorNumber) in
      let (first, node) = try state.named(path)
      let (second, otherNode) = try state.named(other)
      if first.directory == second.directory {
        state.change(
          first.directory,
          .entries([first.name: otherNode, second.name: node], needsPrevious: false))
      } else {
        state.change(second.directory, .entries([second.name: node], needsPrevious: false))
        state.change(first.directory, .entries([first.name: otherNode], needsPrevious: true))
      }
    }
  }

  func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    try perform(.link, path) { state throws(ErrorNumber) in
      let (_, node) = try state.named(path)
      let new = try state.nodes.place(of: newPath, .refused)
      guard new.node == nil else { throw .exists }
      guard state.nodes[node]?.kind != .directory else { throw .notPermitted }
      state.change(new.directory, .entries([new.name: node], needsPrevious: false))
    }
  }
}

extension SimulatedState {
  /// Returns the node to open, and creates it if the request allows that.
  mutating func node(
    at place: SimulatedPlace, for request: OpenRequest
  ) throws(ErrorNumber) -> NodeNumber {
    guard let number = place.node else {
      guard request.mode == .create || request.mode == .updateOrCreate else { throw .noEntry }
      return make(.file(PagedBytes()), request.permissions.masked, at: place)
    }
    guard request.mode != .create else { throw .exists }
    switch nodes[number]!.kind {
    case .symbolicLink: throw .tooManyLinks
    case .directory where request.mode.allowsWriting: throw .isDirectory
    case .file where request.isDirectory: throw .notDirectory
    default: return number
    }
  }

  func status(of number: NodeNumber) -> FileStatus {
    let node = nodes[number]!
    return FileStatus(
      kind: node.kind, byteCount: node.byteCount,
      modificationNanoseconds: node.modificationNanoseconds, permissions: node.permissions,
      identity: FileIdentity(device: 1, inode: UInt64(number.rawValue)),
      nameCount: nodes.nameCount(of: number))
  }

  /// Returns the place and the node of a path, which must be neither the root nor end in `..`.
  fileprivate func named(
    _ path: String
  ) throws(ErrorNumber) -> (SimulatedPlace, NodeNumber) {
    let place = try nodes.place(of: path, .refused)
    guard let node = place.node else { throw .noEntry }
    guard !place.name.isEmpty else { throw .busy }
    return (place, node)
  }

  /// Moves a name. Within a directory the move is one change; between two directories, the removal depends on the
  /// insertion.
  fileprivate mutating func move(
    _ node: NodeNumber, from old: SimulatedPlace, to new: SimulatedPlace
  ) {
    if old.directory == new.directory {
      change(new.directory, .entries([old.name: nil, new.name: node], needsPrevious: false))
    } else {
      change(new.directory, .entries([new.name: node], needsPrevious: false))
      change(old.directory, .entries([old.name: nil], needsPrevious: true))
    }
  }
}

extension FilePermissions {
  /// The permissions after the usual mask of a process is subtracted.
  fileprivate var masked: FilePermissions { FilePermissions(rawValue: rawValue & ~0o022) }
}
