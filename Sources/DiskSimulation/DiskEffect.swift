import DurableFiles

/// A change of the visible state of the disk, recorded so that a simulated crash can undo it.
struct DiskEffect: Sendable {
  /// The number of the operation that made the change.
  var operation: Int
  var kind: Kind

  enum Kind: Sendable {
    /// A file, a directory or a link was created as a node. It is reachable only through an entry.
    case made(NodeNumber, SimulatedNode)
    case changed(NodeNumber, NodeChange)
    case synced(NodeNumber, SyncScope)
    /// A sync failed: the changes it should have made durable may or may not arrive, and no later sync makes them
    /// durable.
    case syncFailed(NodeNumber)
  }
}

/// A change of one node that is durable only after a sync of that node.
enum NodeChange: Sendable {
  case write(offset: Int, bytes: [UInt8], newByteCount: Int)
  case resize(oldByteCount: Int, newByteCount: Int)
  case permissions(FilePermissions)
  /// Sets or removes names, all in one step. With `needsPrevious`, the change happens only together with the change
  /// before it: the removal of a name that moved to another directory.
  case entries([String: NodeNumber?], needsPrevious: Bool)

  /// The file's size after the change; `nil` if the change does not affect the size.
  var newByteCount: Int? {
    switch self {
    case .write(_, _, let count), .resize(_, let count): count
    case .permissions, .entries: nil
    }
  }

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
