import DurableFiles

/// The state that certainly survives a crash at one moment, and the changes that may survive.
struct CrashImage: Sendable {
  /// The nodes, with the changes of each node whose changes are all certain.
  private(set) var settled: SimulatedNodes
  /// The changes that are not in `settled` yet, oldest first.
  private(set) var changes: [Change] = []
  /// The sizes of files that are certain, where they differ from the settled node's size.
  private var certainByteCounts: [NodeNumber: Int] = [:]

  /// A change of one node, and whether it is certain.
  struct Change: Sendable {
    var operation: Int
    var node: NodeNumber
    var change: NodeChange
    var standing: Standing
    /// Whether a later sync made the file's size certain.
    var isByteCountCertain = false
  }

  enum Standing: Sendable {
    /// The change may or may not have reached the disk; a sync would make it certain.
    case pending
    /// The change may or may not have reached the disk, and no later sync makes it certain, because a sync failed.
    case abandoned
    /// The change has reached the disk.
    case certain
  }

  init(_ nodes: SimulatedNodes) { settled = nodes }

  /// Returns whether a sync of the node would make any change certain.
  func hasPendingChanges(of node: NodeNumber) -> Bool {
    changes.contains { $0.node == node && $0.standing == .pending }
  }

  mutating func apply(_ effect: DiskEffect) {
    switch effect.kind {
    case .made(let number, let node):
      settled[number] = node
    case .changed(let number, let change):
      changes.append(
        Change(operation: effect.operation, node: number, change: change, standing: .pending))
    case .synced(let number, let scope):
      settle(number, scope)
    case .syncFailed(let number):
      for index in changes.indices
      where changes[index].node == number && changes[index].standing == .pending {
        changes[index].standing = .abandoned
      }
    }
  }

  /// Returns the size of a file without the uncertain changes of its size.
  func certainByteCount(of number: NodeNumber) -> Int {
    certainByteCounts[number] ?? settled[number]?.byteCount ?? 0
  }

  /// Makes the pending changes of a node certain after a sync, and the size with them.
  private mutating func settle(_ number: NodeNumber, _ scope: SyncScope) {
    for index in changes.indices where changes[index].node == number {
      if let byteCount = changes[index].change.newByteCount {
        changes[index].isByteCountCertain = true
        certainByteCounts[number] = byteCount
      }
      guard changes[index].standing == .pending else { continue }
      if case .permissions = changes[index].change, scope == .contents { continue }
      changes[index].standing = .certain
      if case .entries(let entries, needsPrevious: true) = changes[index].change {
        changes[index - 1].standing = .certain
        changes[index].change = .entries(entries, needsPrevious: false)
      }
    }
    collapse()
  }

  /// Applies the changes of each node whose changes are all certain.
  private mutating func collapse() {
    var blocked: Set<NodeNumber> = []
    for (index, change) in changes.enumerated() where change.standing != .certain {
      blocked.insert(change.node)
      // A change that the next change needs must stay, so that the two stay next to each other.
      if case .entries(_, needsPrevious: true) = change.change {
        blocked.insert(changes[index - 1].node)
      }
    }
    for change in changes where !blocked.contains(change.node) {
      change.change.apply(to: &settled[change.node]!)
      certainByteCounts[change.node] = nil
    }
    changes.removeAll { !blocked.contains($0.node) }
  }
}
