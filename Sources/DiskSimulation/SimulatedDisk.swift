public import DurableFiles

/// A disk in memory that records its operations, fails as planned, and shows the states that a crash may leave.
///
///     let disk = SimulatedDisk()
///     try disk.replace("manifest") { try $0.write("old") }
///     disk.settle()
///     try disk.replace("manifest") { try $0.write("new") }
///
///     for state in disk.crashStates(limit: 10_000, seed: 1) {
///       let text = try state.disk.read("manifest", byteLimit: 100)
///       #expect(text == Array("old".utf8) || text == Array("new".utf8), "\(state)")
///     }
///
/// The disk runs the module's own code over simulated system calls, and is deterministic: the same sequence of calls
/// gives the same record. It behaves as a POSIX file system does: removed files stay readable while open, a rename
/// replaces in one step, and links are followed. It does not check permissions. All paths begin at its root, with or
/// without a leading slash.
///
/// A copy refers to the same disk. So does the result of ``seen(by:)``, on which locks and lock records belong to
/// another process.
public struct SimulatedDisk: Disk {
  let state: SharedState
  /// The process that makes the calls.
  public let process: ProcessIdentity

  /// Creates a disk that contains only an empty root.
  public init() {
    self.init(.empty)
  }

  init(_ state: SimulatedState) {
    self.state = SharedState(state)
    // The highest node number serves as the number of the boot: a crash ends every process, and the number has grown
    // since the last boot.
    let boot = state.nodes.keys.max()?.rawValue ?? 1
    process = ProcessIdentity(
      hostName: "here", bootID: "boot-\(boot)", processID: 100, startTime: 1)
  }

  private init(state: SharedState, process: ProcessIdentity) {
    self.state = state
    self.process = process
  }

  public var calls: any DiskCalls { SimulatedCalls(state: state, process: process) }
}

// MARK: - Recording and failing

extension SimulatedDisk {
  /// The operations since the last ``settle()``, including failed ones.
  public var operations: [RecordedOperation] { state.withLock { $0.operations } }

  /// The number of operations since the last ``settle()``.
  public var operationCount: Int { state.withLock { $0.operations.count } }

  /// Makes everything durable and begins a new record. A later crash goes back at most to this state.
  public func settle() {
    state.withLock { $0.settle() }
  }

  /// Plans a failure. If several failures match an operation, the one that was planned first happens.
  public func plan(_ failure: PlannedFailure) {
    state.withLock { $0.failures.append(ActiveFailure(plan: failure)) }
  }

  public func planNoFailures() {
    state.withLock { $0.failures = [] }
  }

  /// The number of open files and directories.
  public var openFileCount: Int { state.withLock { $0.openFiles.count } }
}

// MARK: - Other processes and time

extension SimulatedDisk {
  /// Returns the same disk as another process sees it, on this host or another.
  public func seen(by process: ProcessIdentity) -> SimulatedDisk {
    SimulatedDisk(state: state, process: process)
  }

  /// Ends a process as a crash would: its files are closed, its locks are released, and its lock records stay.
  ///
  /// The disk keeps running; for a crash of the machine see ``crashStates(limit:seed:)``.
  public func endProcess(_ process: ProcessIdentity) {
    state.withLock { state in
      state.endedProcesses.insert(process)
      state.openFiles = state.openFiles.filter { $0.value.process != process }
    }
  }

  /// Sets an action that runs whenever a call waits, for example for a lock. Waiting takes no real time.
  public func whilePausing(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.pauseAction = action }
  }
}
