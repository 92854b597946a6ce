import DurableFiles

/// The whole state of a simulated disk: its contents, the record of operations, and the planned failures.
struct SimulatedState: Sendable {
  /// The nodes that processes see.
  private(set) var nodes: SimulatedNodes
  /// The nodes that a crash would leave if nothing had happened since the record began.
  private(set) var initialNodes: SimulatedNodes
  /// The effects since the record began.
  private(set) var effects: [DiskEffect] = []
  var operations: [RecordedOperation] = []
  var failures: [ActiveFailure] = []
  var openFiles: [Descriptor: OpenFile] = [:]
  var endedProcesses: Set<ProcessIdentity> = []
  var uptime = Duration.zero
  /// The numbers of the temporary files that a process could not remove.
  var abandonedNumbers: Set<UInt64> = []
  var pauseAction: (@Sendable () -> Void)?
  /// The number of bytes that the current operation may read or write, if a failure limits it.
  private(set) var byteLimit: Int?
  private var changeCount: Int64 = 0
  private var nextNode: Int
  private var nextDescriptor: Int32 = 3
  private var nextUnique: UInt64

  struct OpenFile: Sendable {
    var node: NodeNumber
    var path: String
    var allowsWriting: Bool
    var process: ProcessIdentity
    var lock: LockKind?
  }

  init(_ nodes: SimulatedNodes) {
    self.nodes = nodes
    initialNodes = nodes
    nextNode = (nodes.keys.max()?.rawValue ?? 1) + 1
    // After a crash there are more nodes than before, so earlier numbers are not used again.
    nextUnique = UInt64(nextNode) << 32
  }

  /// A disk that contains only an empty root.
  static var empty: SimulatedState {
    SimulatedState([
      .root: SimulatedNode(
        content: .directory([:]), permissions: FilePermissions(rawValue: 0o755))
    ])
  }

  /// Makes everything that processes see durable, and begins a new record.
  mutating func settle() {
    initialNodes = nodes
    effects = []
    operations = []
  }

  mutating func uniqueNumber() -> UInt64 {
    defer { nextUnique += 1 }
    return nextUnique
  }

  mutating func add(_ file: OpenFile) -> Descriptor {
    defer { nextDescriptor += 1 }
    let descriptor = Descriptor(rawValue: nextDescriptor)
    openFiles[descriptor] = file
    return descriptor
  }
}

// MARK: - Changing nodes

extension SimulatedState {
  mutating func make(
    _ content: SimulatedNode.Content, _ permissions: FilePermissions, at place: SimulatedPlace
  ) -> NodeNumber {
    let number = NodeNumber(rawValue: nextNode)
    nextNode += 1
    let node = SimulatedNode(content: content, permissions: permissions)
    nodes[number] = node
    record(.made(number, node))
    change(place.directory, .entries([place.name: number], needsPrevious: false))
    return number
  }

  mutating func change(_ number: NodeNumber, _ change: NodeChange) {
    change.apply(to: &nodes[number]!)
    if case .permissions = change {
    } else {
      // A strictly increasing clock makes every change visible, as a real clock usually does.
      changeCount += 1
      nodes[number]!.modificationNanoseconds = changeCount
    }
    record(.changed(number, change))
  }

  /// Throws, or limits the operation, if a failure is planned for it.
  mutating func applyFailures(
    to operation: DiskOperation, _ path: String
  ) throws(ErrorNumber) {
    byteLimit = nil
    var fault: PlannedFailure.Fault?
    for index in failures.indices {
      // Every failure counts the operation, even if another failure applies.
      let next = failures[index].fault(for: operation, path)
      fault = fault ?? next
    }
    switch fault {
    case .error(let error): throw error
    case .short(let byteCount): byteLimit = byteCount
    case nil: break
    }
  }

  mutating func record(_ kind: DiskEffect.Kind) {
    effects.append(DiskEffect(operation: operations.count + 1, kind: kind))
  }
}
