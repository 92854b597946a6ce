/// A change that an operation made to what processes see, as a crash may undo it.
struct DiskEffect: Sendable {
  /// The number of the operation that made it.
  var operation: Int
  var kind: Kind

  enum Kind: Sendable {
    /// A node came to be: an empty file or directory, or a link. Only an entry makes it reachable.
    case made(NodeNumber, SimulatedNode)
    /// A node changed.
    case changed(NodeNumber, NodeChange)
    /// A node was synced.
    case synced(NodeNumber, SyncScope)
    /// A sync failed: what it should have made durable may or may not arrive, and no later sync
    /// will see to it.
    case syncFailed(NodeNumber)
  }
}

/// A change of one node that is durable only after a sync of that node.
enum NodeChange: Sendable {
  case write(offset: Int, bytes: [UInt8], newByteCount: Int)
  case resize(oldByteCount: Int, newByteCount: Int)
  case permissions(FilePermissions)
  /// Sets or removes names, all in one step. If `needsPrevious`, only together with the change
  /// before it: the removal of a name that moved to another directory.
  case entries([String: NodeNumber?], needsPrevious: Bool)

  /// The file's size after the change, if it is one that bears on the size.
  var newByteCount: Int? {
    switch self {
    case .write(_, _, let count), .resize(_, let count): count
    case .permissions, .entries: nil
    }
  }

  /// Makes the change in whole.
  func apply(to node: inout SimulatedNode) {
    switch self {
    case .write(let offset, let bytes, _): node.bytes.write(bytes[...], at: offset)
    case .resize(_, let count): node.bytes.resize(to: count)
    case .permissions(let permissions): node.permissions = permissions
    case .entries(let entries, _):
      for (name, target) in entries { node.entries[name] = target }
    }
  }
}
