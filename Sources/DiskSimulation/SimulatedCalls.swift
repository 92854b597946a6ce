import DurableFiles

/// The system calls of a simulated disk.
struct SimulatedCalls: DiskCalls {
  let state: SharedState
  let process: ProcessIdentity

  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    try perform(.open, path) { state throws(ErrorNumber) in
      let links: LinkRule =
        request.mode == .create && request.links == .followed ? .refused : request.links
      let place = try state.nodes.place(of: path, links)
      let number = try state.node(at: place, for: request)
      return state.add(
        SimulatedState.OpenFile(
          node: number, path: path, allowsWriting: request.mode.allowsWriting, process: process))
    }
  }

  func close(_ descriptor: Descriptor) throws(ErrorNumber) {
    // A close that fails still closes, as on Linux and most other systems. Trying again could close a descriptor that
    // another open has received meanwhile.
    defer { state.withLock { $0.openFiles[descriptor] = nil } }
    try perform(.close, descriptor) { _, _ in }
  }

  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    let range = offset..<offset + buffer.byteCount
    let (bytes, limit) = try perform(.read, descriptor, range) {
      state, file throws(ErrorNumber) in
      guard case .file(let bytes)? = state.nodes[file.node]?.content else { throw .isDirectory }
      return (bytes, state.byteLimit)
    }
    guard let limit, limit < buffer.byteCount else { return bytes.read(into: &buffer, at: offset) }
    var start = buffer._mutatingExtracting(..<limit)
    return bytes.read(into: &start, at: offset)
  }

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    var copy: [UInt8] = []
    copy.append(copying: bytes)
    let range = offset..<offset + copy.count
    return try perform(.write, descriptor, range) { state, file throws(ErrorNumber) in
      guard file.allowsWriting else { throw .badDescriptor }
      let piece = Array(copy.prefix(state.byteLimit ?? copy.count))
      let oldCount = state.nodes[file.node]!.byteCount
      let newCount = max(oldCount, offset + piece.count)
      guard !piece.isEmpty else { return 0 }
      if offset > oldCount {
        // The range before a write beyond the end reads as zeros.
        state.change(file.node, .resize(oldByteCount: oldCount, newByteCount: offset))
      }
      state.change(file.node, .write(offset: offset, bytes: piece, newByteCount: newCount))
      return piece.count
    }
  }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    try perform(.truncate, descriptor, 0..<byteCount) { state, file throws(ErrorNumber) in
      guard file.allowsWriting else { throw .badDescriptor }
      let oldCount = state.nodes[file.node]!.byteCount
      guard byteCount != oldCount else { return }
      state.change(file.node, .resize(oldByteCount: oldCount, newByteCount: byteCount))
    }
  }

  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    do throws(ErrorNumber) {
      try perform(.sync, descriptor) { state, file in state.record(.synced(file.node, scope)) }
    } catch .interrupted {
      throw .interrupted
    } catch {
      state.withLock { state in
        if let file = state.openFiles[descriptor] { state.record(.syncFailed(file.node)) }
      }
      throw error
    }
  }

  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    try perform(.status, descriptor) { state, file in state.status(of: file.node) }
  }

  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) {
    try perform(.setPermissions, descriptor) { state, file in
      state.change(file.node, .permissions(permissions))
    }
  }

  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    try perform(.lock, descriptor) { state, file throws(ErrorNumber) in
      guard file.allowsWriting || kind == .shared else { throw .badDescriptor }
      let conflicts = state.openFiles.contains { other, otherFile in
        guard other != descriptor, otherFile.node == file.node, let held = otherFile.lock else {
          return false
        }
        return held == .exclusive || kind == .exclusive
      }
      guard !conflicts else { throw .wouldBlock }
      state.openFiles[descriptor]!.lock = kind
    }
  }

  func unlock(_ descriptor: Descriptor) throws(ErrorNumber) {
    try perform(.unlock, descriptor) { state, _ in state.openFiles[descriptor]!.lock = nil }
  }

  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    try perform(.list, descriptor) { state, file throws(ErrorNumber) in
      guard case .directory(let entries)? = state.nodes[file.node]?.content else {
        throw .notDirectory
      }
      return entries.map { DirectoryEntry(name: $0.key, kind: state.nodes[$0.value]!.kind) }
    }
  }

  func isRunning(_ process: ProcessIdentity) -> Bool {
    state.withLock { !$0.endedProcesses.contains(process) }
  }

  func uniqueNumber() -> UInt64 { state.withLock { $0.uniqueNumber() } }
  func abandon(temporaryNumber: UInt64) {
    state.withLock { _ = $0.abandonedNumbers.insert(temporaryNumber) }
  }
  func hasAbandoned(temporaryNumber: UInt64) -> Bool {
    state.withLock { $0.abandonedNumbers.contains(temporaryNumber) }
  }

  var uptime: Duration { state.withLock { $0.uptime } }

  func pause(for duration: Duration) {
    let action = state.withLock { state in
      state.uptime += duration
      return state.pauseAction
    }
    action?()  // It may use the disk, so it runs unlocked.
  }
}

// MARK: - Recording an operation

extension SimulatedCalls {
  /// Records an operation, and performs it unless a failure is planned for it.
  func perform<Result>(
    _ operation: DiskOperation, _ path: String, _ range: Range<Int>? = nil,
    _ body: (inout SimulatedState) throws(ErrorNumber) -> Result
  ) throws(ErrorNumber) -> Result {
    try state.withLock { state throws(ErrorNumber) in
      var record = RecordedOperation(
        number: state.operations.count + 1, operation: operation, path: path, range: range)
      defer { state.operations.append(record) }
      do throws(ErrorNumber) {
        try state.applyFailures(to: operation, path)
        return try body(&state)
      } catch {
        record.failure = error
        throw error
      }
    }
  }

  /// Records an operation on an open file, and performs it unless a failure is planned for it.
  fileprivate func perform<Result>(
    _ operation: DiskOperation, _ descriptor: Descriptor, _ range: Range<Int>? = nil,
    _ body: (inout SimulatedState, SimulatedState.OpenFile) throws(ErrorNumber) -> Result
  ) throws(ErrorNumber) -> Result {
    let path = state.withLock { $0.openFiles[descriptor]?.path } ?? "(closed)"
    return try perform(operation, path, range) { state throws(ErrorNumber) in
      guard let file = state.openFiles[descriptor], file.process == process else {
        throw .badDescriptor
      }
      return try body(&state, file)
    }
  }
}
