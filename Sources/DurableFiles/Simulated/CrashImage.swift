/// What is certain to survive a crash at one moment, and what may.
struct CrashImage: Sendable {
  /// The nodes, with the changes of those that have no uncertain ones.
  private(set) var settled: SimulatedNodes
  /// The changes since, oldest first.
  private(set) var changes: [Change] = []
  /// The sizes files have for certain, where it is not that of the settled node.
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
    /// May or may not have arrived, and a sync would see to it.
    case pending
    /// May or may not have arrived, and no sync will see to it: one failed.
    case abandoned
    /// Has arrived.
    case certain
  }

  init(_ nodes: SimulatedNodes) { settled = nodes }

  /// Whether a sync of the node would make anything certain.
  func hasPendingChanges(of node: NodeNumber) -> Bool {
    changes.contains { $0.node == node && $0.standing == .pending }
  }

  /// Takes the next effect in.
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

  /// The size a file has for certain, if the changes are left aside whose size is not.
  func certainByteCount(of number: NodeNumber) -> Int {
    certainByteCounts[number] ?? settled[number]?.byteCount ?? 0
  }

  /// A sync makes pending changes certain, and the size with them.
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

  /// Applies the changes of nodes that have no uncertain ones.
  private mutating func collapse() {
    var blocked: Set<NodeNumber> = []
    for (index, change) in changes.enumerated() where change.standing != .certain {
      blocked.insert(change.node)
      // A change that the one after it needs stays, so that the two stay side by side.
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
