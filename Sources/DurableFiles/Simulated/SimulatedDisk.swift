/// A disk in memory that records what is asked of it, fails when told to, and shows what a crash
/// may leave.
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
/// It runs the module's own code over simulated system calls, and is deterministic: one sequence of
/// calls gives one record. It behaves as a POSIX file system does (removed files stay readable
/// while open, a rename replaces in one step, links are followed), but checks no permissions. Paths
/// begin at its root whether or not they begin with a slash.
///
/// A copy is the same disk; so is what ``seen(by:)`` returns, on which locks and records are those
/// of another process.
public struct SimulatedDisk: Disk {
  let state: Guarded<SimulatedState>
  /// Who makes the calls.
  public let process: ProcessIdentity

  /// A disk that holds only an empty root.
  public init() {
    self.init(.empty)
  }

  init(_ state: SimulatedState) {
    self.state = Guarded(state)
    // A crash ends every process. Whatever was made since the last boot has raised the number.
    let boot = state.nodes.keys.max()?.rawValue ?? 1
    process = ProcessIdentity(
      hostName: "here", bootID: "boot-\(boot)", processID: 100, startTime: 1)
  }

  private init(state: Guarded<SimulatedState>, process: ProcessIdentity) {
    self.state = state
    self.process = process
  }

  /// The simulated system calls.
  public var calls: any DiskCalls { SimulatedCalls(state: state, process: process) }
}

// MARK: - Recording and failing

extension SimulatedDisk {
  /// The operations so far, failed ones included, since the last ``settle()``.
  public var operations: [RecordedOperation] { state.withLock { $0.operations } }

  /// How many operations there were since the last ``settle()``.
  public var operationCount: Int { state.withLock { $0.operations.count } }

  /// Makes all there is durable and begins a new record: the state crashes go back to.
  public func settle() {
    state.withLock { $0.settle() }
  }

  /// Adds a failure to come. Of several that apply the earliest planned happens.
  public func plan(_ failure: PlannedFailure) {
    state.withLock { $0.failures.append(ActiveFailure(plan: failure)) }
  }

  /// Takes all planned failures back.
  public func planNoFailures() {
    state.withLock { $0.failures = [] }
  }

  /// How many files and directories are open.
  public var openFileCount: Int { state.withLock { $0.openFiles.count } }
}

// MARK: - Other processes and time

extension SimulatedDisk {
  /// The same disk as another process sees it, on this host or another.
  public func seen(by process: ProcessIdentity) -> SimulatedDisk {
    SimulatedDisk(state: state, process: process)
  }

  /// Ends a process as a crash of it would: its files close, its locks go, its records stay.
  ///
  /// The disk goes on; for a crash of the machine see ``crashStates(limit:seed:)``.
  public func endProcess(_ process: ProcessIdentity) {
    state.withLock { state in
      state.endedProcesses.insert(process)
      state.openFiles = state.openFiles.filter { $0.value.process != process }
    }
  }

  /// Sets what happens whenever a call waits, for a lock say. Waiting takes no real time.
  public func whilePausing(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.pauseAction = action }
  }
}
